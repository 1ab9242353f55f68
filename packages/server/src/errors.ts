/**
 * These are the errors that the service throws on purpose.
 *
 * An error answers two questions. The caller asks: what status and code do I get? The code that catches it asks: what
 * happens next? Any other error than an `AppError` or a `SourceError` is a bug; its caller gets a 500 without details.
 *
 *   throw notFound('collection', 'docs-4f2a');
 *   throw invalid('give exactly one of tables and queries', { loc: ['body', 'config', 'tables'] });
 *   throw new SourceError('rate_limited', 'the source asked us to slow down', { retryAfter: 30 });
 */
import { storableText } from './model/storable.ts';

/** A message repeats this many characters of a value, which are enough to recognize it. */
const SHOWN = 100;

/** Returns the value of a caller or a source as a message quotes it: a long one is cut. */
export const shown = (value: string): string =>
  value.length <= SHOWN ? value : `${value.slice(0, SHOWN).toWellFormed()}…`;

/** A fault of a request is listed in the body of a 422. */
export interface Fault {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

export class AppError extends Error {
  override readonly name = 'AppError';
  readonly status: number;
  /** The code is snake_case and stable, because programs branch on it. */
  readonly code: string;
  /** Only a 422 has faults. */
  readonly faults: readonly Fault[];
  /** The caller of a 429 or 503 should wait this many seconds. */
  readonly retryAfter: number | undefined;

  constructor(
    status: number,
    message: string,
    about: { code: string; faults?: readonly Fault[]; retryAfter?: number; cause?: unknown },
  ) {
    super(message, { cause: about.cause });
    this.status = status;
    this.code = about.code;
    this.faults = about.faults ?? [];
    this.retryAfter = about.retryAfter;
  }
}

/** Makes a 422 for a rule that a schema cannot express. `loc` begins with body, query, path or headers. */
export const invalid = (
  message: string,
  options: { loc?: readonly (string | number)[]; code?: string; type?: string } = {},
) =>
  new AppError(422, message, {
    code: options.code ?? 'invalid',
    faults: [{ loc: options.loc ?? ['body'], msg: message, type: options.type ?? 'value_error' }],
  });

/** A caller finds the existing ids in these places. */
const LISTS = {
  'API key': 'GET /v1/api-keys lists them',
  'auth provider': 'GET /v1/auth-providers lists them',
  backup: 'GET /v1/backups lists them',
  collection: 'GET /v1/collections lists them',
  entity: 'GET /v1/entities lists them',
  'entity definition': 'GET /v1/entity-definitions lists them',
  job: 'GET /v1/sync/jobs lists them',
  'maintenance run': 'GET /v1/collections/{readable_id}/maintenance lists them',
  member: 'GET /v1/members lists them',
  message: 'GET /v1/webhooks/messages lists them',
  organization: 'GET /v1/organizations lists them',
  record: 'GET /v1/collections/{readable_id}/contents/list lists them',
  recovery: 'POST /v1/webhooks/subscriptions/{id}/recover makes one and gives its id',
  session: 'GET /v1/auth/sessions lists them',
  source: 'GET /v1/sources lists them',
  'source connection': 'GET /v1/source-connections lists them',
  transformer: 'GET /v1/transformers lists them',
  'webhook subscription': 'GET /v1/webhooks/subscriptions lists them',
} as const;

export const notFound = (what: keyof typeof LISTS, id: string) =>
  new AppError(404, `${what} '${shown(id)}' does not exist: ${LISTS[what]}`, { code: 'not_found' });
export const conflict = (message: string) => new AppError(409, message, { code: 'conflict' });
export const forbidden = (message: string) => new AppError(403, message, { code: 'forbidden' });
export const unauthorized = (message: string) =>
  new AppError(401, message, { code: 'unauthorized' });
export const tooLarge = (message: string) => new AppError(413, message, { code: 'too_large' });
/** The time in `retryAfter` is in seconds. */
export const quotaExceeded = (message: string, retryAfter: number) =>
  new AppError(429, message, { code: 'quota_exceeded', retryAfter });
/** No client reads this answer; the error stops the work that was done for the client. */
export const clientGone = () => new AppError(499, 'the client has gone', { code: 'client_gone' });
export const unavailable = (message: string, retryAfter: number, cause?: unknown) =>
  new AppError(503, message, { code: 'unavailable', retryAfter, cause });

/** The kind says what the sync does next, and does not follow the name of an HTTP status. */
export type SourceErrorKind =
  | 'auth' // The sync stops, because the connection needs new credentials.
  | 'rate_limited' // The sync waits `retryAfter` seconds, or a minute, and goes on (patience.ts).
  | 'transient' // The sync waits a few seconds and goes on. It stops when that does not help (patience.ts).
  | 'outdated' // The source no longer knows the cursor or the bookmark, so the same job begins again from the start.
  | 'skip' // The record counts as failed, and the sync goes on with the next one.
  | 'config' // The sync stops, because the configuration must be changed.
  | 'fatal'; // The sync stops, because another try would not help.

/** In these stages a sync asks something outside of Quarry, or may be hindered by another process. */
type SourceErrorStage = 'pull' | 'extract' | 'embed' | 'commit';

/**
 * The message and the hint are stored with jobs, so they lose the characters that databases cannot store: a source
 * may quote anything in them.
 */
export class SourceError extends Error {
  override readonly name: string = 'SourceError';
  readonly kind: SourceErrorKind;
  /** The source may be asked again after this many seconds. */
  readonly retryAfter: number | undefined;
  /** The hint tells the person who reads about the failure what to do. */
  readonly hint: string | undefined;
  /** The sync met the error in this stage. An error belongs to the pull unless it names another stage. */
  readonly stage: SourceErrorStage;

  constructor(
    kind: SourceErrorKind,
    message: string,
    options: {
      retryAfter?: number | undefined;
      hint?: string | undefined;
      cause?: unknown;
      stage?: SourceErrorStage;
    } = {},
  ) {
    super(storableText(message), { cause: options.cause });
    this.kind = kind;
    this.retryAfter = options.retryAfter;
    this.hint = options.hint === undefined ? undefined : storableText(options.hint);
    this.stage = options.stage ?? 'pull';
  }

  /** Gives the same error with the stage in which the sync met it. */
  at(stage: SourceErrorStage): SourceError {
    const { kind, message, retryAfter, hint } = this;
    return new SourceError(kind, message, { retryAfter, hint, stage, cause: this });
  }
}

/** Returns the message, and the hint as a sentence of its own. */
export const withHint = ({ message, hint }: SourceError): string =>
  hint === undefined ? message : `${message.replace(/[.\s]+$/, '')}. ${hint}`;

/** It says which limit was reached, and the seconds until the oldest counted request leaves its window. */
interface ReachedLimit {
  readonly sourceShortName: string;
  readonly limit: number;
  readonly windowSeconds: number;
  readonly retryAfter: number;
}

/** A limit of the organization on requests to the source, and not the source itself, holds a request back. */
export class SourceRateLimitExceededException extends SourceError {
  override readonly name = 'SourceRateLimitExceededException';
  readonly sourceShortName: string;
  declare readonly retryAfter: number;

  constructor({ sourceShortName, limit, windowSeconds, retryAfter }: ReachedLimit) {
    super(
      'rate_limited',
      `SourceRateLimitExceededException: the limit of ${limit} requests in ${windowSeconds} s to ${sourceShortName} is reached (retry_after ${retryAfter.toFixed(1)} s)`,
      {
        retryAfter,
        hint: `An admin may change the limit: PUT /v1/source-rate-limits/${sourceShortName}.`,
      },
    );
    this.sourceShortName = sourceShortName;
  }
}

/**
 * An auth provider, and not the source, refuses to give or to use the credentials of a connection, or cannot be
 * reached.
 */
export class AuthProviderError extends SourceError {}
