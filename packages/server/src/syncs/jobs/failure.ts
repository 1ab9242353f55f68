/** Describes why a job failed, without anything that only the log may show. */
import type { ErrorDetails } from '../../db/schema.ts';
import { SourceError } from '../../errors.ts';

const RETRYABLE: ReadonlySet<string> = new Set(['transient', 'rate_limited']);

export function describeFailure(error: unknown): { error: string; details: ErrorDetails } {
  if (!(error instanceof SourceError)) {
    const message = 'the sync stopped because of an error in Quarry; see its log';
    return {
      error: message,
      details: { code: 'internal', stage: 'sync', message, retryable: true },
    };
  }
  const { kind, message, hint, stage } = error;
  return {
    error: message,
    details: {
      code: kind,
      stage,
      message,
      retryable: RETRYABLE.has(kind),
      ...(hint && { hint }),
    },
  };
}

export function heldBackDetails(count: number): ErrorDetails {
  return {
    code: 'deletions_need_confirmation',
    stage: 'sweep',
    message: `${count} entities are no longer at the source; they were kept, because so many deletions at once may be a mistake`,
    retryable: false,
    hint: 'look at the source, then confirm with POST …/jobs/{job_id}/confirm-deletions',
  };
}
