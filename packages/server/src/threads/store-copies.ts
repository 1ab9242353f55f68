/** Stores copies of large collections beside the database, and tells the log what kept them from it. */
import type { Logger } from 'pino';
import type { KeepSegmentsOptions, SearchIndex } from '../engines/ports.ts';

interface StoreCopiesDeps {
  readonly db: Parameters<SearchIndex['keepSegments']>[0];
  readonly index: Pick<SearchIndex, 'keepSegments'>;
  readonly log: Logger;
}

/** Works until the signal aborts. */
export const storeCopies = (
  { db, index, log }: StoreCopiesDeps,
  options: Omit<KeepSegmentsOptions, 'failed'>,
): Promise<void> =>
  index.keepSegments(db, {
    ...options,
    failed: (err) => log.warn({ err }, 'the memory of collections was not stored'),
  });
