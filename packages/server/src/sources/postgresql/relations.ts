/**
 * Finds the tables of a PostgreSQL database. A unique index identifies rows only if it has no expressions and no
 * condition.
 */
import pg from 'pg';
import { SourceError } from '../../errors.ts';
import type { Catalog, CatalogTable, Relation } from '../sql/relations.ts';
import type { DatabaseSession } from './session.ts';

export interface PostgresTable extends CatalogTable {
  readonly oid: number;
  /** The kind is relkind: r is a table, p a partitioned table, v a view, m a materialized view, f a foreign table. */
  readonly kind: string;
}

/** The table is null for a query. */
export type PostgresRelation = Relation & { readonly table: PostgresTable | null };

/** `home` is the schema of the credentials. */
export const postgresCatalog = (
  session: DatabaseSession,
  home: string,
): Catalog<PostgresTable> => ({
  tables: (schemas, named) => session.query<PostgresTable>(TABLES, [schemas, named]),
  async existing(schemas) {
    const text = 'select nspname::text as name from pg_namespace where nspname = any($1)';
    const rows = await session.query<{ name: string }>(text, [schemas]);
    return rows.map(({ name }) => name);
  },
  isSame: (one, another) => one === another,
  missingSchema: (schema) =>
    new SourceError('config', `the schema ${schema} does not exist in this database`),
  missingTable: (name) =>
    new SourceError(
      'config',
      `the table ${name} does not exist in ${name.includes('.') ? 'this database' : `the schema ${home}`}`,
    ),
  from({ schema, name, kind }) {
    const table = `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`;
    // Tables that inherit from this table are read as tables of their own.
    return `${kind === 'r' ? 'only ' : ''}${table} as r`;
  },
});

const TABLES = `
  select c.oid, n.nspname::text as schema, c.relname::text as name, c.relkind::text as kind,
    c.relkind in ('r', 'p') as "hasRows", c.relispartition as "isPart", k.key
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  left join lateral (
    select array_agg(a.attname::text order by p.place) as key
    from pg_index i
    cross join unnest(i.indkey::int2[]) with ordinality as p(attnum, place)
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = p.attnum
    where i.indrelid = c.oid and i.indisunique and i.indisvalid
      and i.indpred is null and i.indexprs is null and p.place <= i.indnkeyatts
    group by i.indexrelid, i.indisprimary
    having bool_and(a.attnotnull)
    order by i.indisprimary desc, count(*), i.indexrelid
    limit 1
  ) k on true
  where (n.nspname = any($1) or n.nspname || '.' || c.relname = any($2))
    and c.relkind in ('r', 'p', 'v', 'm', 'f')
  order by n.nspname, c.relname`;
