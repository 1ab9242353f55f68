/** The index finds the entities whose vectors are made again after a change of the embedder. Usually it is empty. */
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index entities_without_vectors on entities (connection_id)
    where chunk_version = ''`.execute(db);
}
