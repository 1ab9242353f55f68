/**
 * Says what an answer means for the sync. A source may read the answers of its service itself (`refusal`); otherwise the
 * status decides. The sentence with which a service explains its refusal becomes a part of the message, because it
 * often says what to do.
 */
import { SourceError, type SourceErrorKind } from '../../errors.ts';
import { presentIn } from '../../net/guarded-send.ts';
import {
  type RequestFailure,
  type RequestFault,
  type TextAnswer,
  withoutQuery,
} from '../../net/request.ts';
import { retryAfterOf } from '../../net/retry-after.ts';
import { beginningOf } from '../../util.ts';
import type { CloudApi } from '../api.ts';
import type { SignedRequest } from '../auth.ts';
import { messageIn } from './xml.ts';

const MAX_SENTENCE = 300;
/** A shorter value of a header may be an ordinary word, so it is not removed from a sentence. */
const MIN_SECRET = 8;
const SECRET = '[secret]';

/**
 * The service has answered 404: the resource does not exist, or the account may not know that it exists. A 403 or 451,
 * in contrast, says that it exists.
 */
export class NotFound extends SourceError {}

type RefusalRules = Pick<CloudApi<never>, 'refusal' | 'retryAfter'>;

/** Returns undefined when the service has accepted the request. */
export function refusalOf(
  answer: TextAnswer,
  signed: Omit<SignedRequest, 'stamp'>,
  { refusal, retryAfter }: RefusalRules,
): SourceError | undefined {
  const { status, headers, text } = answer;
  let parsed: { readonly body: unknown } | undefined;
  const own = refusal?.({
    status,
    headers,
    get body() {
      parsed ??= { body: jsonOrText(text) };
      return parsed.body;
    },
  });
  if (status < 300 && !own) return undefined;
  const now = Date.now();
  // Where a service refuses with a successful status, a proxy passes on only some headers, and the refusal counts.
  const readable = status < 300 ? presentIn(headers) : headers;
  const wait = retryAfterOf(readable, now) ?? retryAfter?.(readable, now);
  if (own) return withoutSecrets(own, signed, wait);
  const sentence = sentenceIn(jsonOrText(text)) ?? messageIn(text);
  const explained =
    sentence === undefined ? '' : `: ${withoutSigned(beginningOf(sentence, MAX_SENTENCE), signed)}`;
  return byStatus(`${withoutQuery(signed.url)} answered ${status}`, explained, { status, wait });
}

function byStatus(
  message: string,
  explained: string,
  { status, wait }: { readonly status: number; readonly wait: number | undefined },
): SourceError {
  if (status === 429 || (wait !== undefined && (status === 403 || status >= 500)))
    return new SourceError('rate_limited', `${message}: it asks to wait${explained}`, {
      ...(wait !== undefined && { retryAfter: wait }),
    });
  if (status === 401)
    return new SourceError(
      'auth',
      `${message}: the credentials are refused or have expired${explained}`,
    );
  if (status === 404) return new NotFound('skip', `${message}${explained}`);
  if ([403, 410, 451].includes(status)) return new SourceError('skip', `${message}${explained}`);
  if (status >= 500 || status === 408 || status === 425)
    return new SourceError('transient', `${message}${explained}`);
  return new SourceError('fatal', `${message}${explained}`);
}

export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Many services explain a refusal in plain text or HTML.
    return text;
  }
}

/**
 * Finds the explanation in the usual places of a JSON body. RFC 9457 and RFC 6749 name some of them, and Jira writes
 * into `errorMessages`.
 */
export function sentenceIn(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { message, detail, title, error_description, error, errors, errorMessages } =
    body as Record<string, unknown>;
  const [first] = [errorMessages, errors].flatMap((list) => (Array.isArray(list) ? list : []));
  for (const found of [message, detail, title, error_description, error, first]) {
    if (typeof found === 'string' && found.trim() !== '')
      return beginningOf(found.trim(), MAX_SENTENCE);
    const inner = found === message ? undefined : sentenceIn(found);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

type SignedValues = Pick<SignedRequest, 'headers' | 'secrets'>;

/**
 * A service may repeat the request in its answer, so the values of the signature, and those that it was made with, are
 * removed from the text.
 */
function withoutSigned(text: string, { headers, secrets = [] }: SignedValues): string {
  const values = Object.values(headers).flatMap((value) => [value, ...value.split(/[\s,]+/)]);
  const hidden = [...values, ...secrets].filter(({ length }) => length >= MIN_SECRET);
  return hidden
    .toSorted((a, b) => b.length - a.length)
    .reduce((safe, secret) => safe.replaceAll(secret, SECRET), text);
}

/**
 * Removes secrets from the message. Adds the time to wait when the source has recognized a limit but has not read the
 * time.
 */
function withoutSecrets(
  error: SourceError,
  signed: SignedValues,
  wait: number | undefined,
): SourceError {
  const message = withoutSigned(error.message, signed);
  const { kind, hint, stage } = error;
  const retryAfter = error.retryAfter ?? (kind === 'rate_limited' ? wait : undefined);
  if (message === error.message && retryAfter === error.retryAfter) return error;
  return new SourceError(kind, message, { retryAfter, hint, stage });
}

/** The cause of the error is the failure, unless the failure was caused by a SourceError. */
export function sourceErrorOf(failure: RequestFailure, url: URL): SourceError {
  const { fault, message, cause } = failure;
  // A SourceError for an address that is not allowed, or for a limit, already has a complete message.
  if (cause instanceof SourceError) return cause;
  const [kind, what] = WORDS[fault](message);
  return new SourceError(kind, `${withoutQuery(url)} ${what}`, {
    cause: failure,
    hint: fault === 'broken' ? hintFor(message) : undefined,
  });
}

/** `message` is the code of an error of the network, or its words. */
const hintFor = (message: string): string | undefined =>
  HINTS.find(([pattern]) => pattern.test(message))?.[1];

const HINTS: readonly [RegExp, string][] = [
  [/^ENOTFOUND$/, 'No host has this name. Check the address.'],
  [
    /^ECONNREFUSED$/,
    'Nothing listens there. Check the host and the port, and whether the service runs.',
  ],
  [
    /^ERR_SSL_WRONG_VERSION_NUMBER$/,
    'The server does not speak TLS at this port. Check the port, and whether its address begins with http://.',
  ],
  [
    /^Response does not match the HTTP/,
    'The server does not speak HTTP at this port. Check the port.',
  ],
  [/^CERT_HAS_EXPIRED$/, 'The certificate of the server has expired. Its operator must renew it.'],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    'The certificate of the server is for another host. Check the host.',
  ],
  [
    /SELF_SIGNED|^UNABLE_TO_/,
    'No known authority has signed the certificate of the server. The operator of Quarry can add one with NODE_EXTRA_CA_CERTS.',
  ],
];

const WORDS: Readonly<Record<RequestFault, (message: string) => [SourceErrorKind, string]>> = {
  late: (message) => ['transient', `did not answer in full (${message})`],
  broken: (message) => ['transient', `could not be read (${message})`],
  not_json: (message) => ['transient', `answered with ${message}`],
  form: (message) => ['fatal', `answered in ${message}`],
  too_large: (message) => ['fatal', `answered with ${message}`],
  redirected: (message) => ['fatal', message],
};
