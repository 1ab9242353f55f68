/**
 * Every error the service throws on purpose.
 *
 * An error answers two questions. To the caller: what status and code do I get? To the code that
 * catches it: what happens next? Anything that is neither an `AppError` nor a `SourceError` is a
 * bug and leaves the process as a 500 with no details.
 *
 *   throw notFound('collection', 'docs-4f2a');
 *   throw invalid('give exactly one of tables and queries', { loc: ['body', 'config', 'tables'] });
 *   throw new SourceError('rate_limited', 'the source asked us to slow down', { retryAfter: 30 });
 */
import { storableText } from './model/storable.ts';

/** Characters of a value that a message repeats: enough to know which one is meant. */
const SHOWN = 100;

/** What a caller or a source has sent, as a message quotes it: a long value by its beginning. */
export const shown = (value: string): string =>
  value.length <= SHOWN ? value : `${value.slice(0, SHOWN).toWellFormed()}…`;

/** One fault of a request, as the 422 body lists it. */
export interface Fault {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

export class AppError extends Error {
  override readonly name = 'AppError';
  readonly status: number;
  /** snake_case, stable: programs branch on it. */
  readonly code: string;
  /** Of a 422. */
  readonly faults: readonly Fault[];
  /** Seconds, of a 429 or 503. */
  readonly retryAfter: number | undefined;

  constructor(
    status: number,
    code: string,
    message: string,
    options: { faults?: readonly Fault[]; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.status = status;
    this.code = code;
    this.faults = options.faults ?? [];
    this.retryAfter = options.retryAfter;
  }
}

/** 422 for what a schema cannot say. `loc` begins with body, query, path or headers. */
export const invalid = (
  message: string,
  options: { loc?: readonly (string | number)[]; code?: string; type?: string } = {},
) =>
  new AppError(422, options.code ?? 'invalid', message, {
    faults: [{ loc: options.loc ?? ['body'], msg: message, type: options.type ?? 'value_error' }],
  });
/** Where a caller finds the ids that exist. */
const LISTS = {
  'API key': 'GET /v1/api-keys lists them',
  collection: 'GET /v1/collections lists them',
  entity: 'GET /v1/entities lists them',
  'entity definition': 'GET /v1/entity-definitions lists them',
  job: 'GET /v1/sync/jobs lists them',
  'maintenance run': 'GET /v1/collections/{readable_id}/maintenance lists them',
  message: 'GET /v1/webhooks/messages lists them',
  organization: 'GET /v1/organizations lists them',
  record: 'GET /v1/collections/{readable_id}/contents/list lists them',
  recovery: 'POST /v1/webhooks/subscriptions/{id}/recover makes one and gives its id',
  source: 'GET /v1/sources lists them',
  'source connection': 'GET /v1/source-connections lists them',
  transformer: 'GET /v1/transformers lists them',
  'webhook subscription': 'GET /v1/webhooks/subscriptions lists them',
} as const;

export const notFound = (what: keyof typeof LISTS, id: string) =>
  new AppError(404, 'not_found', `${what} '${shown(id)}' does not exist: ${LISTS[what]}`);
export const conflict = (message: string) => new AppError(409, 'conflict', message);
export const forbidden = (message: string) => new AppError(403, 'forbidden', message);
export const unauthorized = (message: string) => new AppError(401, 'unauthorized', message);
export const tooLarge = (message: string) => new AppError(413, 'too_large', message);
/** `retryAfter`: seconds. */
export const quotaExceeded = (message: string, retryAfter: number) =>
  new AppError(429, 'quota_exceeded', message, { retryAfter });
/** Nobody reads this answer: it is how what was done for the caller stops. */
export const clientGone = () => new AppError(499, 'client_gone', 'the client has gone');
export const unavailable = (message: string, retryAfter: number, cause?: unknown) =>
  new AppError(503, 'unavailable', message, { retryAfter, cause });

/** What the sync does next decides the kind; the name of an HTTP status does not. */
export type SourceErrorKind =
  | 'auth' // stop, the connection needs new credentials
  | 'rate_limited' // stop; trying again after `retryAfter` seconds may help
  | 'transient' // stop; trying again later may help
  | 'skip' // count this record as failed and go on with the next one
  | 'config' // stop, the configuration names something that is not there
  | 'fatal'; // stop, trying again would not help

/** Message and hint are kept with jobs, so they lose what no database stores: a source may quote anything in them. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  readonly kind: SourceErrorKind;
  /** Seconds. */
  readonly retryAfter: number | undefined;
  /** What the person who reads the failure can do about it. */
  readonly hint: string | undefined;

  constructor(
    kind: SourceErrorKind,
    message: string,
    options: { retryAfter?: number; hint?: string; cause?: unknown } = {},
  ) {
    super(storableText(message), { cause: options.cause });
    this.kind = kind;
    this.retryAfter = options.retryAfter;
    this.hint = options.hint === undefined ? undefined : storableText(options.hint);
  }
}
