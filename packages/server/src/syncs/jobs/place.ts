/**
 * Says where the next attempt of a job goes on: a full one at its bookmark, an incremental one at the cursor of its
 * connection. What the attempts before have left out up to there is not met again, so the job keeps it.
 */
import type { Selectable } from 'kysely';
import type { ConnectionTable, SettledCounts, SyncJobTable } from '../../db/schema.ts';

type JobAtPlace = Pick<Selectable<SyncJobTable>, 'full' | 'bookmark' | 'settled' | 'by_type'>;
type CursorOfConnection = Pick<Selectable<ConnectionTable>, 'configured_at' | 'cursor_field'>;

/** Both are null for an attempt that starts the pull again. */
export function placeOf(
  { full, bookmark, settled }: JobAtPlace,
  connection: CursorOfConnection,
): Pick<JobAtPlace, 'bookmark' | 'settled'> {
  return {
    bookmark: bookmark && isValidFor(bookmark, connection) ? bookmark : null,
    settled: !full && settled && isValidFor(settled, connection) ? settled : null,
  };
}

/** A place is only valid for the configuration and the cursor field under which it was written. */
const isValidFor = (
  { configuredAt, cursorField = null }: SettledCounts,
  connection: CursorOfConnection,
) => configuredAt === connection.configured_at && cursorField === connection.cursor_field;

/** Returns the counters of the records that were left out before the place. */
export const leftOutUntil = (
  place: SettledCounts | null,
  { by_type }: Pick<JobAtPlace, 'by_type'>,
) => ({
  entities_skipped: place?.skipped ?? 0,
  entities_failed: place?.failed ?? 0,
  left_out: JSON.stringify(place?.leftOut ?? {}),
  skipped_by_reason: JSON.stringify(place?.skippedBy ?? {}),
  by_type: by_type && JSON.stringify({ ...by_type, failed: place?.failedBy ?? {} }),
});
