/** The index finds the entities for which a transformer failed. Usually very few of many rows are such entities. */
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index entities_failed on entities (connection_id)
    where failed_attempt is not null`.execute(db);
}
