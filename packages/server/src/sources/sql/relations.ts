/**
 * A connection reads relations: tables or queries. Each relation is a partition. A table in the schema of the
 * credentials is identified by its name alone, and any other table by schema and name. So the ids of records stay the
 * same when a connection reads more schemas. (MySQL calls a schema a database.)
 *
 * Rows are identified by a key. The key of a table is its primary key, or else its smallest unique index whose columns
 * are never null. The configuration names the key of a query. A table without a key is refused, because nothing
 * identifies its rows.
 */
import { SourceError } from '../../errors.ts';
import type { Query, Selection } from './config.ts';

export interface Relation {
  /** This is the name of the table or query. */
  readonly name: string;
  /** This is the name that people see. It contains the schema unless that is the schema of the credentials. */
  readonly label: string;
  /** The ids of the relation's rows begin with these parts. */
  readonly path: readonly string[];
  readonly kind: 'table' | 'query';
  /** The schema is null for a query. */
  readonly schema: string | null;
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

export interface CatalogTable {
  readonly schema: string;
  readonly name: string;
  /** If false, this is a view or a foreign table, which has no rows of its own. */
  readonly hasRows: boolean;
  /** If true, the table is a part of a partitioned table, and its rows are read through the partitioned table. */
  readonly isPart: boolean;
  readonly key: readonly string[] | null;
}

/** A catalog answers which tables a server has. */
export interface Catalog<Table extends CatalogTable> {
  /** Returns the tables of these schemas, and the tables with these names of the form `schema.table`. */
  tables(schemas: readonly string[], named: readonly string[]): Promise<Table[]>;
  /** Returns those of these schemas that exist. */
  existing(schemas: readonly string[]): Promise<readonly string[]>;
  isSame(one: string, another: string): boolean;
  /** These functions return errors for a schema and for a table that do not exist. */
  missingSchema(schema: string): SourceError;
  missingTable(name: string): SourceError;
  /** Returns SQL for the FROM clause that reads the table. */
  from(table: Table): string;
}

/**
 * Returns the chosen relations; `home` is the schema of the credentials. Throws a SourceError 'config' for a schema or a
 * named table that does not exist.
 */
export async function findRelations<Table extends CatalogTable>(
  catalog: Catalog<Table>,
  home: string,
  { tables, schemas, queries }: Selection,
): Promise<((Relation & { readonly table: Table | null }) | UnreadableTable)[]> {
  if (queries) return queries.map(queryRelation);
  const read = schemas ?? [home];
  const found = await catalog.tables(read, tables ?? []);
  const chosen = (table: Table) => tableRelation(catalog, home, table);
  if (!tables) {
    await requireSchemas(catalog, read, found);
    return found.filter(({ hasRows, isPart }) => hasRows && !isPart).map(chosen);
  }
  const named = tables.map((name) => tableNamed(catalog, { name, home, found }));
  if (named.includes(undefined)) await requireSchemas(catalog, read, found);
  return named.map((table, i) => {
    const name = tables[i] ?? '';
    if (!table) throw catalog.missingTable(name);
    if (named.indexOf(table) < i)
      throw new SourceError('config', `the configuration names the table ${name} twice`);
    return chosen(table);
  });
}

function tableNamed<Table extends CatalogTable>(
  { isSame }: Catalog<Table>,
  { name, home, found }: { name: string; home: string; found: readonly Table[] },
): Table | undefined {
  // Where upper and lower case do not matter, two tables still never differ in them alone.
  const ofHome = found.find((table) => isSame(table.schema, home) && isSame(table.name, name));
  if (ofHome) return ofHome;
  const [table, another] = found.filter((table) => isSame(`${table.schema}.${table.name}`, name));
  // Both a schema and a table may have a dot in their name.
  if (another)
    throw new SourceError('config', `the name ${name} means two tables: read them by queries`);
  return table;
}

async function requireSchemas<Table extends CatalogTable>(
  catalog: Catalog<Table>,
  schemas: readonly string[],
  found: readonly Table[],
): Promise<void> {
  const empty = schemas.filter((one) => !found.some(({ schema }) => catalog.isSame(schema, one)));
  if (empty.length === 0) return;
  const existing = await catalog.existing(empty);
  const missing = empty.find((one) => !existing.some((other) => catalog.isSame(one, other)));
  if (missing !== undefined) throw catalog.missingSchema(missing);
}

function tableRelation<Table extends CatalogTable>(
  catalog: Catalog<Table>,
  home: string,
  table: Table,
): (Relation & { readonly table: Table }) | UnreadableTable {
  const { schema, name, key, hasRows } = table;
  const path = catalog.isSame(schema, home) ? [name] : [schema, name];
  const label = path.join('.');
  // The first dot separates the schema from the name, so dots of the schema are escaped.
  const partition = `${escapedName(schema).replaceAll('.', '%2E')}.${escapedName(name)}`;
  if (!key) return { partition, error: withoutKey(label, hasRows) };
  const from = catalog.from(table);
  return { name, label, path, kind: 'table', schema, partition, from, key, table };
}

const queryRelation = ({ name, query, key }: Query): Relation & { readonly table: null } => ({
  name,
  label: name,
  path: [name],
  kind: 'query',
  schema: null,
  partition: escapedName(name),
  // A FROM clause cannot contain a query that writes. The line break ends a comment at the end of the query.
  from: `(${withoutSemicolon(query)}\n) as r`,
  key,
  table: null,
});

export const withoutSemicolon = (query: string) => query.trim().replace(/;$/, '');

function withoutKey(name: string, hasRows: boolean): SourceError {
  return hasRows
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
