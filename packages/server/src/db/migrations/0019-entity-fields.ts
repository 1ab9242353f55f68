/**
 * The table counts which fields the entities of a connection have, so that the fields can be listed without reading an
 * entity. The migration also gives all pushed entities the one definition that exists for them. Before, pushed entities
 * of other types had ids of definitions that did not exist.
 */
import { type Kysely, sql } from 'kysely';
import type { DatabaseKind } from '../connect.ts';

/** This is the id of the definition `push/PushedEntity`, as sources/definitions.ts makes it. */
const PUSHED = '8d80cff9-9762-5b5b-9a47-e6369698cabf';

export const up =
  (kind: DatabaseKind) =>
  async (db: Kysely<unknown>): Promise<void> => {
    await db.schema
      .createTable('entity_fields')
      .addColumn('connection_id', 'text', (c) => c.notNull())
      .addColumn('entity_type', 'text', (c) => c.notNull())
      .addColumn('field', 'text', (c) => c.notNull())
      .addColumn('count', 'integer', (c) => c.notNull())
      .addColumn('open', 'integer', (c) => c.notNull())
      .addPrimaryKeyConstraint('entity_fields_pk', ['connection_id', 'entity_type', 'field'])
      .execute();
    const keys =
      kind === 'postgres'
        ? sql`jsonb_object_keys(e.metadata) as f(key)`
        : sql`json_each(e.metadata) as f`;
    await sql`
      insert into entity_fields (connection_id, entity_type, field, count, open)
      select e.connection_id, e.entity_type, f.key, count(*),
        sum(case when e.viewers is null or e.is_public then 1 else 0 end)
      from entities as e cross join ${keys}
      where f.key <> '' and f.key not like '%.%' and octet_length(f.key) <= 500
      group by e.connection_id, e.entity_type, f.key`.execute(db);
    await sql`
      update entities set definition_id = ${PUSHED}
      where definition_id <> ${PUSHED}
        and connection_id in (select id from connections where short_name = 'push')`.execute(db);
  };
