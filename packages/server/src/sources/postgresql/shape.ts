/**
 * A shape says how the rows of a table or query are selected, and what each selected value is.
 *
 * A row consists of its key, its mark (when a continuous sync goes by a column), its size, the names behind its
 * foreign keys, and its columns. The content of bytea is not taken in, only its length. A row over MAX_ROW_BYTES
 * comes only with its key, mark and size, so that one giant value cannot take the memory of all.
 */
import pg from 'pg';
import { SourceError } from '../../errors.ts';
import type { Reference } from './references.ts';
import type { Relation } from './relations.ts';
import { type Roles, rolesOf } from './roles.ts';
import { isSecret } from './secret-columns.ts';
import type { Column, DatabaseSession } from './session.ts';
import { arrayOf, count, kindOf, size, type ValueKind } from './values.ts';

export const MAX_ROW_BYTES = 10 * 1024 * 1024;

export interface ShapedColumn {
  readonly name: string;
  readonly type: Type;
  readonly kind: ValueKind;
}

export interface Shape {
  readonly relation: Relation;
  readonly columns: readonly ShapedColumn[];
  /** The values of these columns are read; the other columns have names of secrets. */
  readonly shown: readonly ShapedColumn[];
  /** The roles say what the shown columns mean. */
  readonly roles: Roles;
  /** These references name something. */
  readonly references: readonly (Reference & { readonly sql: string })[];
}

interface Type {
  readonly name: string;
  /** SQL writes the type like this. */
  readonly sql: string;
  readonly isEnum: boolean;
  /** This is the type of the elements of an array, and null for another type. */
  readonly element: { readonly name: string; readonly isEnum: boolean } | null;
}

export const describeColumns = (session: DatabaseSession, { from }: Relation): Promise<Column[]> =>
  session.columns(`select * from ${from} limit 0`);

/** Throws a SourceError 'config' for columns that cannot make an entity. */
export function checkColumns(relation: Relation, columns: readonly Column[]): void {
  const names = new Set<string>();
  for (const { name } of columns) {
    if (names.has(name))
      throw new SourceError(
        'config',
        `the query ${relation.label} has two columns ${name}: name one of them otherwise, with AS`,
      );
    names.add(name);
  }
  const missing = relation.key.find((name) => !names.has(name));
  if (missing !== undefined)
    throw new SourceError(
      'config',
      `the ${relation.kind} ${relation.label} has no column ${missing}, which its key names`,
    );
}

/** Reads the types of all columns with one query. */
export async function readTypes(
  session: DatabaseSession,
  oids: ReadonlySet<number>,
): Promise<ReadonlyMap<number, Type>> {
  const rows = await session.query<{
    oid: number;
    name: string;
    sql: string;
    is_enum: boolean;
    element: string | null;
    element_is_enum: boolean | null;
  }>(TYPES, [[...oids]]);
  return new Map(
    rows.map(({ oid, name, sql, is_enum, element, element_is_enum }) => [
      oid,
      {
        name,
        sql,
        isEnum: is_enum,
        element: element === null ? null : { name: element, isEnum: element_is_enum === true },
      },
    ]),
  );
}

const TYPES = `
  select t.oid, t.typname::text as name, format_type(t.oid, -1) as sql, t.typtype = 'e' as is_enum,
    coalesce(b.typname, e.typname)::text as element,
    coalesce(b.typtype, e.typtype) = 'e' as element_is_enum
  from pg_type t
  left join pg_type e on e.typarray = t.oid
  left join pg_type b on b.oid = e.typbasetype
  where t.oid = any($1::oid[])`;

interface ShapeParts {
  readonly columns: readonly Column[];
  /** The types of the columns are found by their OIDs. */
  readonly types: ReadonlyMap<number, Type>;
  readonly references: readonly Reference[];
}

export function shape(relation: Relation, { columns, types, references }: ShapeParts): Shape {
  const shaped = columns.map(({ name, typeOid }) => {
    const type = types.get(typeOid);
    if (!type) throw new Error(`PostgreSQL does not know the type ${typeOid} of ${name}`);
    return { name, type, kind: kindOfColumn(type) };
  });
  // A column that leads to a secret has the value of the secret.
  const namesOf = (name: string) =>
    references.flatMap(({ columns, keys }) => keys.filter((_, i) => columns[i] === name));
  const shown = shaped.filter(
    ({ name, kind }) => ![name, ...namesOf(name)].some((one) => isSecret(one, kind)),
  );
  const isShown = (name: string) => shown.some((one) => one.name === name);
  return {
    relation,
    columns: shaped,
    shown,
    roles: rolesOf(relation.name, shown),
    references: references.flatMap(({ sql, ...reference }) =>
      sql !== null && reference.columns.every(isShown) ? [{ ...reference, sql }] : [],
    ),
  };
}

function kindOfColumn({ name, isEnum, element }: Type): ValueKind {
  if (name === 'bytea') return size;
  if (element?.name === 'bytea') return count;
  return element ? arrayOf(kindOf(element.name, element.isEnum)) : kindOf(name, isEnum);
}

export const columnSql = (name: string) => `r.${pg.escapeIdentifier(name)}`;

/** `mark` is an SQL expression. */
export function select({ relation, shown, references }: Shape, mark: string): string {
  const key = relation.key.map(columnSql);
  // The names are one value, because a statement gives at most 1,664 values and a table may have 1,600 columns.
  const names = `to_json(array[${references.map(({ sql }) => sql).join(', ')}]::text[])`;
  const values = [names, ...shown.map(contentOf)].map(
    (value) => `case when size.bytes <= ${MAX_ROW_BYTES} then ${value} end`,
  );
  const sizes = shown.flatMap(sizeOf).map((size) => `coalesce(${size}, 0)::bigint`);
  return `select ${[...key, mark, 'size.bytes', ...values].join(', ')}
    from ${relation.from}
    cross join lateral (select ${['0', ...sizes].join(' + ')} as bytes) as size`;
}

function contentOf({ name, type }: ShapedColumn): string {
  if (type.name === 'bytea') return `octet_length(${columnSql(name)})`;
  if (type.element?.name === 'bytea') return `cardinality(${columnSql(name)})`;
  return type.element ? `to_json(${columnSql(name)}::text[])` : columnSql(name);
}

const TEXTS: ReadonlySet<string> = new Set(['text', 'varchar', 'bpchar']);
const FIXED =
  /^(bool|int[248]|float[48]|oid|uuid|date|time|timetz|timestamp|timestamptz|interval)$/;

/**
 * The SQL does not read the value itself: the length of a text is beside it, and any other value counts as on disk.
 */
function sizeOf({ name, type }: ShapedColumn): string[] {
  if (type.name === 'bytea' || type.element?.name === 'bytea' || FIXED.test(type.name)) return [];
  return [`${TEXTS.has(type.name) ? 'octet_length' : 'pg_column_size'}(${columnSql(name)})`];
}
