/** Records in the database which entities appear and vanish, so that nothing escapes that lasts only for one commit. */
import { type Kysely, sql } from 'kysely';
import type { DatabaseKind } from '../../../db/connect.ts';
import type { Schema } from '../../../db/schema.ts';

export interface RowChange {
  readonly entity: string;
  readonly change: 'appeared' | 'vanished';
}

export interface RowLog {
  /** Returns the changes of this connection since the last call. */
  take(connectionId: string): Promise<RowChange[]>;
}

export async function openRowLog(db: Kysely<Schema>, kind: DatabaseKind): Promise<RowLog> {
  await sql`create table row_log (connection_id text, entity text, change text)`.execute(db);
  for (const [event, row, change] of [
    ['insert', 'new', 'appeared'],
    ['delete', 'old', 'vanished'],
  ] as const) {
    const log = sql`insert into row_log values
      (${sql.raw(row)}.connection_id, ${sql.raw(row)}.entity_id, ${sql.lit(change)});`;
    const trigger = sql`create trigger ${sql.raw(`row_log_${event}`)} after ${sql.raw(event)} on entities for each row`;
    if (kind === 'sqlite') {
      await sql`${trigger} begin ${log} end`.execute(db);
      continue;
    }
    const name = sql.raw(`log_${event}`);
    await sql`create function ${name}() returns trigger language plpgsql as $$
      begin ${log} return null; end $$`.execute(db);
    await sql`${trigger} execute function ${name}()`.execute(db);
  }
  return {
    async take(connectionId) {
      const { rows } = await sql<RowChange>`
        delete from row_log where connection_id = ${connectionId} returning entity, change`.execute(
        db,
      );
      return rows;
    },
  };
}
