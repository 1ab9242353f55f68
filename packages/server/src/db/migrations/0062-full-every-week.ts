/**
 * Connections whose sources report deletions get a full sync every week, as new ones do: only a full sync tries a record
 * again that failed. Before, they had no full syncs unless a caller gave `full_every`.
 */
import { type Kysely, sql } from 'kysely';

const SOURCES = [
  'caldav',
  'git',
  'gmail',
  'google_drive',
  'imap',
  'outlook_mail',
  'sharepoint_online',
  'web',
];

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`update connections set full_every = 168
    where full_every is null and short_name in (${sql.join(SOURCES)})`.execute(db);
}
