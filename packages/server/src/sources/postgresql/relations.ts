/**
 * What a connection reads: tables of one schema, or queries. Each is a partition of its own.
 *
 * Rows are known by a key: of a table its primary key, else the smallest unique index without
 * expressions or conditions whose columns are never null; of a query what its author says. Without
 * one a row cannot be told from another, and the table is refused.
 */
import pg from 'pg';
import { SourceError } from '../../errors.ts';
import type { Session } from './session.ts';

interface Query {
  readonly name: string;
  readonly query: string;
  readonly key: readonly string[];
}

export interface Selection {
  readonly tables?: readonly string[] | undefined;
  readonly queries?: readonly Query[] | undefined;
}

export interface Relation {
  /** Of the table or query: the first part of the ids of its rows. */
  readonly name: string;
  readonly kind: 'table' | 'query';
  readonly partition: string;
  /** What stands behind FROM; its rows are `r`. */
  readonly from: string;
  readonly key: readonly string[];
}

/** A table that cannot be read, and why. */
export interface Refused {
  readonly partition: string;
  readonly error: SourceError;
}

/** Throws a SourceError 'config' for a schema or a named table that is not there. */
export async function findRelations(
  session: Session,
  schema: string,
  { tables, queries }: Selection,
): Promise<(Relation | Refused)[]> {
  if (queries) return queries.map(ofQuery);
  const found = await session.query<Table>(TABLES, [schema]);
  if (found.length === 0 && !(await schemaExists(session, schema)))
    throw new SourceError('config', `the schema ${schema} does not exist in this database`);
  if (!tables)
    return found
      .filter(({ kind, is_part }) => isTable(kind) && !is_part)
      .map((table) => ofTable(schema, table));
  const byName = new Map(found.map((table) => [table.name, table]));
  return tables.map((name) => {
    const table = byName.get(name);
    if (!table)
      throw new SourceError('config', `the table ${name} does not exist in the schema ${schema}`);
    return ofTable(schema, table);
  });
}

interface Table {
  readonly name: string;
  /** relkind: r table, p partitioned table, v view, m materialized view, f foreign table. */
  readonly kind: string;
  /** Of a partitioned table, through which its rows are read. */
  readonly is_part: boolean;
  readonly key: string[] | null;
}

const isTable = (kind: string) => kind === 'r' || kind === 'p';

function ofTable(schema: string, { name, kind, key }: Table): Relation | Refused {
  const partition = escapedName(`${schema}.${name}`);
  if (!key) return { partition, error: withoutKey(name, kind) };
  const table = `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`;
  // Tables that inherit from this one are read by themselves.
  const from = `${kind === 'r' ? 'only ' : ''}${table} as r`;
  return { name, kind: 'table', partition, from, key };
}

const ofQuery = ({ name, query, key }: Query): Relation => ({
  name,
  kind: 'query',
  partition: escapedName(name),
  // In FROM only a query that reads is allowed. The line break ends a comment.
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

/** Partitions are paths: a slash in a name is no step down. */
const escapedName = (name: string) => name.replaceAll('%', '%25').replaceAll('/', '%2F');

async function schemaExists(session: Session, schema: string): Promise<boolean> {
  const rows = await session.query('select 1 from pg_namespace where nspname = $1', [schema]);
  return rows.length > 0;
}

const TABLES = `
  select c.relname::text as name, c.relkind::text as kind, c.relispartition as is_part, k.key
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
  where n.nspname = $1 and c.relkind in ('r', 'p', 'v', 'm', 'f')
  order by c.relname`;
