/**
 * On PostgreSQL, the positions of sources become `json` instead of `jsonb`, so that they are kept exactly as the source
 * wrote them. `jsonb` refuses the NUL character, which a key of a table may have, and sorts the properties of objects, so
 * that a position which came again looked like a new one.
 */
import { type Kysely, sql } from 'kysely';
import type { DatabaseKind } from '../connect.ts';

export const up =
  (kind: DatabaseKind) =>
  async (db: Kysely<unknown>): Promise<void> => {
    if (kind !== 'postgres') return;
    await sql`alter table sync_jobs alter column bookmark type json`.execute(db);
    await sql`alter table connections alter column cursor type json`.execute(db);
  };
