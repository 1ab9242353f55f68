/** This file asks the database itself which tables and columns it has. */
import { type RawBuilder, sql } from 'kysely';
import { DECODED_COLUMNS } from './columns.ts';
import type { DatabaseKind } from './connect.ts';
import { DISTRIBUTED_TABLES, DISTRIBUTION_COLUMN } from './distributed.ts';
import type { Db } from './schema.ts';

/** `regnamespace` would read the name as SQL, where some names need quotes. */
const OWN_SCHEMA = sql`(select oid from pg_namespace where nspname = current_schema())`;

/** The kinds are the same for both databases. SQLite stores a boolean as an integer, and JSON as text. */
export const COLUMN_KINDS = ['text', 'integer', 'real', 'boolean', 'bytes', 'json'] as const;
export type ColumnKind = (typeof COLUMN_KINDS)[number];

export interface TableShape {
  readonly name: string;
  /**
   * These are the columns of the primary key, in its order. The id of the collection, which only PostgreSQL has in the
   * keys of the tables of contents, is left out: the other columns tell the rows apart, too.
   */
  readonly key: readonly string[];
  /** The columns are in the order of their names, which is the same in both databases. */
  readonly columns: Readonly<Record<string, ColumnKind>>;
}

interface CatalogColumn {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  /** This is the place of the column in the primary key; it is 0 or null for another column. */
  readonly place: number | null;
}

interface CatalogReference {
  readonly table: string;
  readonly target: string;
}

/** Returns the names of all tables of the schema that Quarry uses. */
export async function tableNames(db: Db, kind: DatabaseKind): Promise<readonly string[]> {
  const { rows } = await (kind === 'sqlite'
    ? sql<{ name: string }>`select name from sqlite_schema
        where type = 'table' and name not like 'sqlite\\_%' escape '\\'`
    : sql<{ name: string }>`select relname as name from pg_class
        where relnamespace = ${OWN_SCHEMA} and relkind in ('r', 'p')`
  ).execute(db);
  return rows.map(({ name }) => name);
}

/**
 * Returns the shapes of the tables with these names that exist. A table comes after those to which its rows refer, so that
 * rows can be inserted in this order.
 */
export async function tableShapes(
  db: Db,
  kind: DatabaseKind,
  names: readonly string[],
): Promise<readonly TableShape[]> {
  const { columns, references } = kind === 'sqlite' ? SQLITE : POSTGRES;
  const { rows } = await columns(names).execute(db);
  const byTable = Map.groupBy(rows, ({ table }) => table);
  const shapes = [...byTable].map(([name, ofTable]) => shapeOf(name, ofTable));
  return inOrderOfReferences(shapes, (await references(names).execute(db)).rows);
}

/** Returns the columns of a table; the list is empty when the table does not exist. */
export async function columnNames(
  db: Db,
  kind: DatabaseKind,
  table: string,
): Promise<readonly string[]> {
  const { rows } = await (kind === 'sqlite' ? SQLITE : POSTGRES).columns([table]).execute(db);
  return rows.map(({ column }) => column).toSorted();
}

const SQLITE = {
  columns: (names: readonly string[]): RawBuilder<CatalogColumn> => sql`
    select tables.name as "table", columns.name as "column", columns.type as "type",
      columns.pk as place
    from sqlite_schema as tables, pragma_table_info(tables.name) as columns
    where tables.type = 'table' and tables.name in (${sql.join(names)})`,
  references: (names: readonly string[]): RawBuilder<CatalogReference> => sql`
    select tables.name as "table", refers."table" as target
    from sqlite_schema as tables, pragma_foreign_key_list(tables.name) as refers
    where tables.type = 'table' and tables.name in (${sql.join(names)})`,
};

const POSTGRES = {
  columns: (names: readonly string[]): RawBuilder<CatalogColumn> => sql`
    select tables.relname as "table", columns.attname as "column",
      format_type(columns.atttypid, null) as "type",
      (select array_position(keys.indkey::int2[], columns.attnum) from pg_index as keys
       where keys.indrelid = tables.oid and keys.indisprimary) + 1 as place
    from pg_class as tables join pg_attribute as columns on columns.attrelid = tables.oid
    where tables.relnamespace = ${OWN_SCHEMA} and tables.relkind in ('r', 'p')
      and columns.attnum > 0 and not columns.attisdropped
      and tables.relname in (${sql.join(names)})`,
  references: (names: readonly string[]): RawBuilder<CatalogReference> => sql`
    select tables.relname as "table", targets.relname as target
    from pg_constraint as refers
      join pg_class as tables on tables.oid = refers.conrelid
      join pg_class as targets on targets.oid = refers.confrelid
    where refers.contype = 'f' and tables.relnamespace = ${OWN_SCHEMA}
      and tables.relname in (${sql.join(names)})`,
};

function shapeOf(name: string, columns: readonly CatalogColumn[]): TableShape {
  const key = columns
    .flatMap(({ column, place }) => (place ? [{ column, place }] : []))
    .toSorted((a, b) => a.place - b.place)
    .map(({ column }) => column)
    .filter((column) => column !== DISTRIBUTION_COLUMN || !isDistributed(name));
  const kinds = columns
    .map(({ column, type }) => [column, kindOf(name, column, type)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { name, key, columns: Object.fromEntries(kinds) };
}

const isDistributed = (name: string) => DISTRIBUTED_TABLES.some((one) => one === name);

const KINDS: Readonly<Record<string, ColumnKind>> = {
  text: 'text',
  integer: 'integer',
  bigint: 'integer',
  real: 'real',
  'double precision': 'real',
  boolean: 'boolean',
  blob: 'bytes',
  bytea: 'bytes',
  json: 'json',
  jsonb: 'json',
};

function kindOf(table: string, column: string, type: string): ColumnKind {
  const decoded: Readonly<Record<string, Readonly<Record<string, ColumnKind>>>> = DECODED_COLUMNS;
  const kind = decoded[table]?.[column] ?? KINDS[type.toLowerCase()];
  if (kind === undefined) throw new Error(`the column ${table}.${column} has the type ${type}`);
  return kind;
}

function inOrderOfReferences(
  shapes: readonly TableShape[],
  references: readonly CatalogReference[],
): readonly TableShape[] {
  const ordered: TableShape[] = [];
  let rest = shapes.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  while (rest.length > 0) {
    const waiting = new Set(rest.map(({ name }) => name));
    const ready = rest.filter(
      ({ name }) =>
        !references.some(
          (one) => one.table === name && one.target !== name && waiting.has(one.target),
        ),
    );
    if (ready.length === 0) throw new Error('tables refer to each other in a circle');
    ordered.push(...ready);
    rest = rest.filter((shape) => !ready.includes(shape));
  }
  return ordered;
}
