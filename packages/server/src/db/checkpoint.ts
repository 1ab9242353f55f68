import { type Kysely, sql } from 'kysely';
import type { Schema } from './schema.ts';

/**
 * Writes the log beside the file of a SQLite database into the file. Returns false when somebody reads an older state of the
 * database. Throws when the disk has no room; SQLite does the same when the last connection is closed, but hides errors.
 */
export async function checkpoint(db: Kysely<Schema>): Promise<boolean> {
  const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db);
  return rows[0]?.busy === 0;
}
