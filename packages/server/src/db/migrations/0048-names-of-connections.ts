/**
 * Connections keep their names as a search for a part of a name compares them: in lower case and without accents.
 * Databases do not fold all letters alike.
 */
import { type Kysely, sql } from 'kysely';

interface Connections {
  connections: { id: string; name: string };
}

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('connections')
    .addColumn('folded_name', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  const rows = await (db as Kysely<Connections>)
    .selectFrom('connections')
    .select(['id', 'name'])
    .execute();
  for (const { id, name } of rows) {
    const folded = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
    await sql`update connections set folded_name = ${folded} where id = ${id}`.execute(db);
  }
}
