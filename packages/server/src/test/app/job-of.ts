/** Returns a job as a connection shows it. */
import type { SourceConnectionJob } from '../../syncs/schema.ts';

export const jobOf = (status: SourceConnectionJob['status']): SourceConnectionJob => ({
  id: '00000000-0000-7000-8000-00000000000a',
  source_connection_id: '00000000-0000-7000-8000-000000000001',
  status,
  started_at: '2026-01-01T00:00:00.000Z',
  completed_at: '2026-01-01T00:00:02.000Z',
  duration_seconds: 2,
  entities_inserted: 1,
  entities_updated: 2,
  entities_deleted: 3,
  entities_failed: 4,
  deletions_held_back: 0,
  entities_by_type: null,
  error: null,
  error_details: null,
  waits_for: null,
  warnings: [],
});
