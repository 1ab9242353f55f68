/**
 * Finds the tables of a MySQL server in its information schema, which shows only what the user may see. A unique index
 * identifies rows only if it holds whole columns that are never null.
 */
import mysql from 'mysql2';
import { SourceError } from '../../errors.ts';
import type { Catalog, CatalogTable, Relation } from '../sql/relations.ts';
import type { MysqlSession } from './session.ts';

export interface MysqlTable extends CatalogTable {
  /** This is the index of the key. */
  readonly index: string | null;
  /** These are the columns that the user may read, or all columns if the user may not read one of the key. */
  readonly columns: readonly string[];
}

/** The table is null for a query. */
export type MysqlRelation = Relation & { readonly table: MysqlTable | null };

/** These databases hold the accounts and the state of the server. */
const OF_SERVER = ['information_schema', 'mysql', 'performance_schema', 'sys'];

export async function mysqlCatalog(session: MysqlSession): Promise<Catalog<MysqlTable>> {
  const { home } = session;
  const [[mode] = []] = await session.query('select @@lower_case_table_names');
  const plain = (name: string) => (mode === '0' ? name : name.toLowerCase());
  const existing = async (schemas: readonly string[]) => {
    const rows = await session.query(SCHEMAS, [schemas]);
    return rows.map(([schema]) => String(schema));
  };
  return {
    async tables(schemas, named) {
      const candidates = named.flatMap((name) =>
        [...name.matchAll(/\./g)].map(({ index }) => name.slice(0, index)),
      );
      const asked = [...new Set([...schemas, ...candidates])];
      const refused = schemas.find((one) => OF_SERVER.includes(one.toLowerCase()));
      if (refused !== undefined)
        throw new SourceError(
          'config',
          `the database ${refused} belongs to the server itself: choose another one`,
        );
      const tables: MysqlTable[] = [];
      for (const schema of await existing(asked))
        if (!OF_SERVER.includes(schema.toLowerCase()))
          tables.push(...(await tablesOf(session, schema)));
      const isRead = ({ schema }: MysqlTable) =>
        schemas.some((one) => plain(one) === plain(schema));
      const isNamed = ({ schema, name }: MysqlTable) =>
        named.some((one) => plain(one) === plain(`${schema}.${name}`));
      return tables.filter((table) => isRead(table) || isNamed(table));
    },
    existing,
    isSame: (one, another) => plain(one) === plain(another),
    missingSchema: (schema) =>
      new SourceError(
        'config',
        `the database ${schema} does not exist on this server, or the user may not read it`,
      ),
    missingTable: (name) =>
      new SourceError(
        'config',
        `the table ${name} does not exist ${name.includes('.') ? 'on this server' : `in the database ${home}`}, or the user may not read it`,
      ),
    from: ({ schema, name }) => `${tableSql(schema, name)} as r`,
  };
}

export const tableSql = (schema: string, name: string) =>
  `${mysql.escapeId(schema, true)}.${mysql.escapeId(name, true)}`;

async function tablesOf(session: MysqlSession, schema: string): Promise<MysqlTable[]> {
  const tables = await session.query(TABLES, [schema]);
  const columns = await columnsIn(session, schema);
  const indexes = indexesOf(await session.query(UNIQUE_COLUMNS, [schema]));
  return tables.map(([name, type]): MysqlTable => {
    const [index] = indexes.get(String(name)) ?? [];
    const ofTable = columns.get(String(name)) ?? [];
    const readable = ofTable.filter(({ mayRead }) => mayRead);
    const mayReadKey =
      readable.length > 0 &&
      index?.columns.every((one) => readable.some((column) => column.name === one)) !== false;
    return {
      schema,
      name: String(name),
      hasRows: type === 'BASE TABLE' || type === 'SYSTEM VERSIONED',
      isPart: false,
      key: index?.columns ?? null,
      index: index?.name ?? null,
      columns: (mayReadKey ? readable : ofTable).map((column) => column.name),
    };
  });
}

export interface ListedColumn {
  readonly name: string;
  readonly type: string;
  readonly mayRead: boolean;
}

/** Maps the tables of a database to their columns. */
export async function columnsIn(
  session: MysqlSession,
  schema: string,
): Promise<ReadonlyMap<string, readonly ListedColumn[]>> {
  const columns = new Map<string, ListedColumn[]>();
  for (const [table, name, type, mayRead] of await session.query(COLUMNS, [schema]))
    columns.set(String(table), [
      ...(columns.get(String(table)) ?? []),
      { name: String(name), type: String(type), mayRead: mayRead === '1' },
    ]);
  return columns;
}

interface UniqueIndex {
  readonly name: string;
  readonly columns: string[];
}

/** Maps tables to their indexes that identify rows: the primary key, and then those with the fewest columns. */
function indexesOf(
  rows: readonly (readonly (string | null)[])[],
): ReadonlyMap<string, readonly UniqueIndex[]> {
  const indexes = new Map<string, { table: string; isUsable: boolean } & UniqueIndex>();
  for (const [table = '', name = '', column, isUsable] of rows) {
    const id = JSON.stringify([table, name]);
    const index = indexes.get(id) ?? {
      table: String(table),
      name: String(name),
      columns: [],
      isUsable: true,
    };
    index.columns.push(String(column));
    indexes.set(id, { ...index, isUsable: index.isUsable && isUsable === '1' });
  }
  const rank = ({ name, columns }: UniqueIndex) => (name === 'PRIMARY' ? 0 : columns.length);
  const usable = [...indexes.values()]
    .filter(({ isUsable }) => isUsable)
    .toSorted((a, b) => rank(a) - rank(b));
  return Map.groupBy(usable, ({ table }) => table);
}

const SCHEMAS = 'select schema_name from information_schema.schemata where schema_name in (?)';

const TABLES = `
  select table_name, table_type from information_schema.tables
  where table_schema = ? and table_type in ('BASE TABLE', 'SYSTEM VERSIONED', 'VIEW')
  order by table_name`;

const COLUMNS = `
  select table_name, column_name, data_type, find_in_set('select', privileges) > 0
  from information_schema.columns where table_schema = ? order by table_name, ordinal_position`;

/** A column of the index is not usable when only its beginning counts, when it may be null, or when it is an expression. */
const UNIQUE_COLUMNS = `
  select table_name, index_name, column_name,
    column_name is not null and sub_part is null and nullable <> 'YES'
  from information_schema.statistics where table_schema = ? and non_unique = 0
  order by table_name, index_name, seq_in_index`;
