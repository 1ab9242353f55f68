/** The index finds the entities that transformers failed. There are usually none among very many rows. */
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index entities_failed on entities (connection_id)
    where failed_attempt is not null`.execute(db);
}
