/**
 * Asks a source something for a caller who waits for the answer: whether it accepts settings, or which values a field
 * may have. An error of the source becomes an HTTP error for the caller.
 */
import type { Ctx } from '../context.ts';
import {
  AppError,
  AuthProviderError,
  invalid,
  SourceError,
  SourceRateLimitExceededException,
  withHint,
} from '../errors.ts';
import type { Call, OpenedSource } from '../sign-in/open-source.ts';
import type { Source } from '../sources/define.ts';
import { describeWithCauses } from './causes.ts';

const TIMEOUT_MS = 10_000;

export interface SourceToAsk {
  readonly source: Source;
  /** The log must not show these texts, the longest of which come first. */
  readonly secrets: readonly string[];
  /** An error names this path of the request, unless the source says that the settings are wrong. */
  readonly loc: readonly string[];
  readonly open: (call: Call) => OpenedSource<Call>;
}

/**
 * Opens the source, and returns what `ask` returns. Throws a 422 with the message of the source when it refuses, does
 * not answer in time or cannot be reached, and a 429 when a limit of the organization does not allow the request. The
 * causes of the error go only to the log, because the caller must not learn them.
 */
export async function askSource<Answer>(
  ctx: Ctx,
  { source, secrets, loc, open }: SourceToAsk,
  ask: (context: OpenedSource<Call>['context']) => Promise<Answer>,
): Promise<Answer> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const meter = { requests: 0, bytes: 0 };
  try {
    await using opened = open({ signal, meter, mayWait: false, span: ctx.span });
    return await ask(opened.context);
  } catch (error) {
    const refusal = signal.aborted ? timeoutError(source, loc) : refusalOf(error, loc);
    if (!refusal) throw error;
    const causes = describeWithCauses(error, secrets);
    const about = { organization: ctx.organization.id, source: source.shortName };
    ctx.log.info({ ...about, causes }, 'a source refused a connection');
    throw refusal;
  }
}

const timeoutError = (source: Source, loc: readonly string[]): AppError =>
  invalid(`${source.name} did not answer within ${TIMEOUT_MS / 1000} seconds`, {
    loc,
    code: 'source_unreachable',
  });

function refusalOf(error: unknown, loc: readonly string[]): AppError | null {
  if (!(error instanceof SourceError)) return null;
  const { message, kind } = error;
  if (error instanceof SourceRateLimitExceededException)
    return new AppError(429, message, {
      code: 'source_rate_limit_exceeded',
      retryAfter: error.retryAfter,
    });
  const isOfProvider = error instanceof AuthProviderError;
  const isConfig = kind === 'config' && !isOfProvider;
  // Other hints of a provider do not fit: they say what to do about a connection that already exists.
  const hasHint = kind === 'config' || !isOfProvider;
  return invalid(hasHint ? withHint(error) : message, {
    loc: isConfig ? ['body', 'config'] : loc,
    code: CODES[kind],
  });
}

const CODES: Record<SourceError['kind'], string> = {
  auth: 'credentials_refused',
  config: 'invalid',
  transient: 'source_unreachable',
  rate_limited: 'source_unreachable',
  outdated: 'source_failed',
  skip: 'invalid',
  fatal: 'source_failed',
};
