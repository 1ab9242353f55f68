/**
 * Files of messages of Outlook were stored before rows knew their parents: the id of a file is that of its message and a
 * number.
 */
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // Transformers may have made entities of a file, or given it another type.
  const id = sql`coalesce(e.origin, e.entity_id)`;
  const start = sql`rtrim(${id}, '0123456789')`;
  const message = sql`substr(${start}, 1, length(${start}) - 1)`;
  await sql`update entities as e set parent = ${message}
    where e.connection_id in (select id from connections where short_name = 'outlook_mail')
      and ${start} like '%/' and ${start} <> ${id}
      and (e.entity_type = 'OutlookAttachment' or exists (select 1 from entities as m
        where m.connection_id = e.connection_id and m.entity_id = ${message}))`.execute(db);
}
