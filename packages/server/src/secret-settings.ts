/**
 * These settings are secret: their values are never printed, and each of them can be read from a file, which the setting
 * with _FILE behind its name names. Orchestrators hand secrets over as files, and an environment is shown in more places.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { KEY_SETTINGS } from './providers.ts';

export const SECRET_SETTINGS: ReadonlySet<string> = new Set([
  'QUARRY_API_KEY',
  'QUARRY_OPERATOR_KEY',
  'QUARRY_ENCRYPTION_KEY',
  'QUARRY_OTHER_ENCRYPTION_KEY',
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'QUARRY_OAUTH_CLIENT_SECRET',
  'QUARRY_SMTP_URL',
  'OTEL_EXPORTER_OTLP_HEADERS',
  ...KEY_SETTINGS,
]);

/** A larger file is not a secret, but a file that was named by mistake. */
const MAX_BYTES = 64 * 1024;

type Environment = Readonly<Record<string, string | undefined>>;

export const fileSettingOf = (name: string): string => `${name}_FILE`;

/**
 * Returns the environment with the secrets of the files that it names, and without the names of these files. An empty
 * variable counts as not set. Throws an Error with one sentence for each file that cannot be used.
 */
export function withSecretFiles(env: Environment): Environment {
  const values: Record<string, string | undefined> = { ...env };
  const faults: string[] = [];
  for (const name of SECRET_SETTINGS) {
    const setting = fileSettingOf(name);
    const path = env[setting];
    delete values[setting];
    if (!path) continue;
    try {
      if (env[name])
        throw new Error(`${name} is set too, and both name the same secret: leave one of them out`);
      values[name] = secretIn(path);
    } catch (error) {
      faults.push(`${setting}: ${(error as Error).message}`);
    }
  }
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return values;
}

/** Editors and `echo` end a file with a newline, which does not belong to the secret. */
function secretIn(path: string): string {
  const text = textOf(resolve(path)).replace(/\r?\n$/, '');
  if (text === '') throw new Error(`${path} is empty: write the secret into it`);
  if (/[\0\r\n]/.test(text))
    throw new Error(`${path} is not one line of text: write only the secret into it`);
  return text;
}

function textOf(path: string): string {
  const file = opened(path);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new Error(`${path} is not a file: name the file with the secret`);
    if (stats.size > MAX_BYTES)
      throw new Error(
        `${path} has ${stats.size} bytes, and a secret has at most ${MAX_BYTES}: name the file with the secret`,
      );
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error;
    throw new Error(`${path} is not text in UTF-8: write the secret into it as text`, {
      cause: error,
    });
  } finally {
    closeSync(file);
  }
}

function opened(path: string): number {
  try {
    // A pipe that nobody writes to would otherwise stop the start for ever.
    return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw new Error(whyNotOpened(path, error as NodeJS.ErrnoException), { cause: error });
  }
}

function whyNotOpened(path: string, { code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT')
    return `${path} does not exist: write the secret into it, or mount the secret there`;
  if (code === 'EACCES' || code === 'EPERM')
    return `${path} may not be read by ${user()}: give this user the right to read it and to enter its folders`;
  return `${path} cannot be read (${message}): name the file with the secret`;
}

/** Windows has no numbers of users. */
const user = (): string => (process.geteuid ? `the user ${process.geteuid()}` : 'this user');
