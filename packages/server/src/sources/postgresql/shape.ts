/**
 * A shape describes how the rows of a table or query are selected, and what each selected value means.
 *
 * A selected row consists of its key, its mark (in a continuous sync), its size, the names of the rows to which its
 * foreign keys refer, and its columns. Of bytea only the length is selected. Of a row with more than MAX_ROW_BYTES only
 * the key, mark and size are selected, so that one very large value cannot use up the memory.
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
  /** These columns are selected. The others are left out because their names say that they hold secrets. */
  readonly shown: readonly ShapedColumn[];
  /** This is the meaning of the shown columns. */
  readonly roles: Roles;
  /** These are the references that have SQL for a name. */
  readonly references: readonly (Reference & { readonly sql: string })[];
}

interface Type {
  readonly name: string;
  /** This is the name of the type in SQL. */
  readonly sql: string;
  readonly isEnum: boolean;
  /** This is the type of an array's elements; null when the type is not an array. */
  readonly element: { readonly name: string; readonly isEnum: boolean } | null;
}

export const describeColumns = (session: DatabaseSession, { from }: Relation): Promise<Column[]> =>
  session.columns(`select * from ${from} limit 0`);

/** Throws a SourceError 'config' when two columns have the same name, or a column of the key is missing. */
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
  /** Maps the oid of a type to the type. */
  readonly types: ReadonlyMap<number, Type>;
  readonly references: readonly Reference[];
}

export function shape(relation: Relation, { columns, types, references }: ShapeParts): Shape {
  const shaped = columns.map(({ name, typeOid }) => {
    const type = types.get(typeOid);
    if (!type) throw new Error(`PostgreSQL does not know the type ${typeOid} of ${name}`);
    return { name, type, kind: kindOfColumn(type) };
  });
  // A foreign key that refers to a secret column contains the secret, so it counts as secret too.
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
  // All names are selected as one value, because a statement can select at most 1,664 values and a table may have 1,600
  // columns.
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
 * Returns SQL for the size of a value that does not load the value: PostgreSQL stores the length of a text with it, and
 * for other types the size on disk is used.
 */
function sizeOf({ name, type }: ShapedColumn): string[] {
  if (type.name === 'bytea' || type.element?.name === 'bytea' || FIXED.test(type.name)) return [];
  return [`${TEXTS.has(type.name) ? 'octet_length' : 'pg_column_size'}(${columnSql(name)})`];
}
