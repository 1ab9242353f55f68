/**
 * Passwords are stored as Argon2id (RFC 9106) with the parameters of the OWASP Password Storage Cheat Sheet: 19 MiB of
 * memory, two passes, one lane. The text form is that of the PHC string format, so the parameters can change later.
 */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import pLimit from 'p-limit';

const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;
const TAG_BYTES = 32;
const SALT_BYTES = 16;
const FORM =
  /^\$argon2id\$v=19\$m=(?<memory>\d+),t=(?<passes>\d+),p=(?<parallelism>\d+)\$(?<salt>[\w+/]+)\$(?<tag>[\w+/]+)$/;

/** Two hashes at once keep the memory small and leave threads of Node for files. Others wait. */
const inTurn = pLimit(2);
const derive = promisify(argon2);

interface Argon2Parameters {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly salt: Buffer;
}

/** The same password may be typed in several forms of Unicode, so all become one form (NIST SP 800-63B, 5.1.1.2). */
const tagOf = (password: string, { salt, ...parameters }: Argon2Parameters): Promise<Buffer> =>
  inTurn(() =>
    derive('argon2id', {
      message: password.normalize('NFKC'),
      nonce: salt,
      tagLength: TAG_BYTES,
      ...parameters,
    }),
  );

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const parameters = { memory: MEMORY_KIB, passes: PASSES, parallelism: LANES, salt };
  const tag = await tagOf(password, parameters);
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${unpadded(salt)}$${unpadded(tag)}`;
}

/**
 * Tells whether the password belongs to the hash. Null, for an account that does not exist or has no password, takes as
 * long as a wrong password. Throws an Error for a hash in another form.
 */
export async function isPassword(password: string, hash: string | null): Promise<boolean> {
  const { memory, passes, parallelism, salt, tag } = FORM.exec(hash ?? NOBODY)?.groups ?? {};
  if (salt === undefined || tag === undefined) throw new Error('a password hash is unreadable');
  const made = await tagOf(password, {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
  });
  const stored = Buffer.from(tag, 'base64');
  return made.length === stored.length && timingSafeEqual(made, stored) && hash !== null;
}

const unpadded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');

/** No password is known for this hash. */
const NOBODY = `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${unpadded(Buffer.alloc(SALT_BYTES))}$${unpadded(Buffer.alloc(TAG_BYTES))}`;
