/** Reads a push that came, and makes of it what is stored. Large ones take a tenth of a second of the processor. */
import { AppError, invalid } from '../../errors.ts';
import { jsonOf } from '../../http/json-body.ts';
import { validatorCompiler } from '../../http/validate.ts';
import { sha256, sha256Url } from '../../model/hash.ts';
import { Push, type PushedFile, type SentPush } from '../../model/pushed.ts';
import { checkPush, checkPushCount } from './check.ts';

/** A push that was found valid. */
export interface ReadPush {
  readonly json: string;
  readonly file: PushedFile | null;
  /** Equal pushes have equal digests. */
  readonly digest: string;
}

const validate = validatorCompiler({ schema: Push, method: 'POST', url: '', httpPart: 'body' });

/** Throws a 413 or a 422. */
export function readPush({ json: sent, file }: SentPush): ReadPush {
  const body = file ? bodyOfForm(file, sent) : sent && jsonOf(sent);
  checkPushCount(body);
  const { value, error } = validate(body) as { value?: Push; error?: Error };
  if (!value) throw error;
  checkPush(value);
  const json = JSON.stringify(value);
  const whole = file
    ? `[${json},${JSON.stringify([file.name, sha256(file.content)]).slice(1)}`
    : json;
  return { json, file, digest: sha256Url(whole) };
}

/** A form becomes a push with one entity, whose text is that of the file. */
function bodyOfForm(file: PushedFile, sent: Uint8Array | undefined): unknown {
  const given = sent === undefined ? {} : ofEntity(() => jsonOf(sent));
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
  if (!isObject) throw invalid('it must be an object', { loc: ['body', 'entity'] });
  if ('text' in given)
    throw invalid('leave it out: the file has the text', { loc: ['body', 'entity', 'text'] });
  return { entities: [{ entity_id: file.name, name: file.name, ...given, text: '' }] };
}

/** Tells the faults of a body as those of the part. */
function ofEntity(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const faults = error.faults.map(({ loc: [, ...rest], msg, type }) => ({
      loc: ['body', 'entity', ...rest],
      msg: msg.replace('the body', 'the part entity'),
      type,
    }));
    throw new AppError(error.status, 'the part entity cannot be read', {
      code: error.code,
      faults,
    });
  }
}
