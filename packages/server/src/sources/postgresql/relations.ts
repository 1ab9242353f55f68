/**
 * A connection reads relations: tables or queries. Each relation is a partition. A table in the schema of the
 * credentials is identified by its name alone, and any other table by schema and name. So the ids of records stay the
 * same when a connection reads more schemas.
 *
 * Rows are identified by a key. The key of a table is its primary key, or else the smallest unique index without
 * expressions or conditions whose columns are never null. The configuration names the key of a query. A table without a
 * key is refused, because nothing identifies its rows.
 */
import pg from 'pg';
import { SourceError } from '../../errors.ts';
import type { DatabaseSession } from './session.ts';

interface Query {
  readonly name: string;
  readonly query: string;
  readonly key: readonly string[];
}

export interface Selection {
  /** A table in the schema of the credentials has its name alone; any other table has the form `schema.table`. */
  readonly tables?: readonly string[] | undefined;
  readonly schemas?: readonly string[] | undefined;
  readonly queries?: readonly Query[] | undefined;
}

export interface Relation {
  /** This is the name of the table or query. */
  readonly name: string;
  /** This is the name that people see. It contains the schema unless that is the schema of the credentials. */
  readonly label: string;
  /** The ids of the relation's rows begin with these parts. */
  readonly path: readonly string[];
  readonly kind: 'table' | 'query';
  /** `schema` and `oid` are null for a query. */
  readonly schema: string | null;
  readonly oid: number | null;
  readonly partition: string;
  /** This is SQL for the FROM clause, with the alias `r`. */
  readonly from: string;
  readonly key: readonly string[];
}

/** This is a table that cannot be read; the error says why. */
export interface UnreadableTable {
  readonly partition: string;
  readonly error: SourceError;
}

/**
 * Returns the relations of a connection. `home` is the schema of the credentials. Throws a SourceError 'config' for a
 * schema or a named table that does not exist.
 */
export async function findRelations(
  session: DatabaseSession,
  home: string,
  { tables, schemas, queries }: Selection,
): Promise<(Relation | UnreadableTable)[]> {
  if (queries) return queries.map(queryRelation);
  const read = schemas ?? [home];
  const found = await session.query<CatalogTable>(TABLES, [read, tables ?? []]);
  if (!tables) {
    await requireSchemas(session, read, found);
    return found
      .filter(({ kind, is_part }) => isTable(kind) && !is_part)
      .map((table) => tableRelation(home, table));
  }
  const named = tables.map((name) => tableNamed(name, home, found));
  if (named.includes(undefined)) await requireSchemas(session, read, found);
  return named.map((table, i) => {
    const name = tables[i];
    if (!table)
      throw new SourceError(
        'config',
        `the table ${name} does not exist in ${name?.includes('.') ? 'this database' : `the schema ${home}`}`,
      );
    if (named.indexOf(table) < i)
      throw new SourceError('config', `the configuration names the table ${name} twice`);
    return tableRelation(home, table);
  });
}

interface CatalogTable {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  /** The kind is relkind: r is a table, p a partitioned table, v a view, m a materialized view, f a foreign table. */
  readonly kind: string;
  /** If true, the table is a part of a partitioned table, and its rows are read through the partitioned table. */
  readonly is_part: boolean;
  readonly key: string[] | null;
}

function tableNamed(
  name: string,
  home: string,
  found: readonly CatalogTable[],
): CatalogTable | undefined {
  const ofHome = found.find((table) => table.schema === home && table.name === name);
  if (ofHome) return ofHome;
  const [table, another] = found.filter((table) => `${table.schema}.${table.name}` === name);
  // Both a schema and a table may have a dot in their name.
  if (another)
    throw new SourceError('config', `the name ${name} means two tables: read them by queries`);
  return table;
}

async function requireSchemas(
  session: DatabaseSession,
  schemas: readonly string[],
  found: readonly CatalogTable[],
): Promise<void> {
  const empty = schemas.filter((schema) => !found.some((table) => table.schema === schema));
  if (empty.length === 0) return;
  const text = 'select nspname::text as name from pg_namespace where nspname = any($1)';
  const rows = await session.query<{ name: string }>(text, [empty]);
  const missing = empty.find((schema) => !rows.some(({ name }) => name === schema));
  if (missing !== undefined)
    throw new SourceError('config', `the schema ${missing} does not exist in this database`);
}

const isTable = (kind: string) => kind === 'r' || kind === 'p';

function tableRelation(
  home: string,
  { oid, schema, name, kind, key }: CatalogTable,
): Relation | UnreadableTable {
  const path = schema === home ? [name] : [schema, name];
  const label = path.join('.');
  // The first dot separates the schema from the name, so dots of the schema are escaped.
  const partition = `${escapedName(schema).replaceAll('.', '%2E')}.${escapedName(name)}`;
  if (!key) return { partition, error: withoutKey(label, kind) };
  const table = `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`;
  // Tables that inherit from this table are read as tables of their own.
  const from = `${kind === 'r' ? 'only ' : ''}${table} as r`;
  return { name, label, path, kind: 'table', schema, oid, partition, from, key };
}

const queryRelation = ({ name, query, key }: Query): Relation => ({
  name,
  label: name,
  path: [name],
  kind: 'query',
  schema: null,
  oid: null,
  partition: escapedName(name),
  // A FROM clause cannot contain a query that writes. The line break ends a comment at the end of the query.
  from: `(${query.trim().replace(/;$/, '')}\n) as r`,
  key,
});

function withoutKey(name: string, kind: string): SourceError {
  return isTable(kind)
    ? new SourceError(
        'config',
        `the table ${name} has no primary key, so its rows cannot be told apart: give it one, or read it by a query with a key`,
      )
    : new SourceError(
        'config',
        `${name} is a view or a foreign table and has no primary key: read it by a query with a key`,
      );
}

/** A partition is a path, so slashes in a name are escaped: they would look like another level. */
const escapedName = (name: string) => name.replaceAll('%', '%25').replaceAll('/', '%2F');

const TABLES = `
  select c.oid, n.nspname::text as schema, c.relname::text as name, c.relkind::text as kind, c.relispartition as is_part, k.key
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
