/** Says how the rows of a table or query of PostgreSQL are selected. sql/shape.ts describes a selected row. */
import pg from 'pg';
import { size, type ValueKind } from '../sql/kinds.ts';
import { MAX_ROW_BYTES, type Shape, type ShapedColumn } from '../sql/shape.ts';
import type { Column, DatabaseSession } from './session.ts';
import { arrayOf, count, kindOf } from './values.ts';

export interface PostgresColumn extends ShapedColumn {
  readonly type: Type;
}

interface Type {
  readonly name: string;
  /** This is the name of the type in SQL. */
  readonly sql: string;
  readonly isEnum: boolean;
  /** This is the type of an array's elements; null when the type is not an array. */
  readonly element: { readonly name: string; readonly isEnum: boolean } | null;
}

/** Maps the oid of a type to the type. */
type Types = ReadonlyMap<number, Type>;

/** Reads the types of all columns with one query. */
export async function readTypes(
  session: DatabaseSession,
  oids: ReadonlySet<number>,
): Promise<Types> {
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

/** Adds the type and the kind of its values to each column. */
export const typedColumns = (columns: readonly Column[], types: Types): PostgresColumn[] =>
  columns.map(({ name, typeOid }) => {
    const type = types.get(typeOid);
    if (!type) throw new Error(`PostgreSQL does not know the type ${typeOid} of ${name}`);
    return { name, type, typeName: type.sql, kind: kindOfColumn(type) };
  });

function kindOfColumn({ name, isEnum, element }: Type): ValueKind {
  if (name === 'bytea') return size;
  if (element?.name === 'bytea') return count;
  return element ? arrayOf(kindOf(element.name, element.isEnum)) : kindOf(name, isEnum);
}

export const columnSql = (name: string) => `r.${pg.escapeIdentifier(name)}`;

/** `mark` is an SQL expression. */
export function select(
  { relation, shown, references }: Shape<PostgresColumn>,
  mark: string,
): string {
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

function contentOf({ name, type }: PostgresColumn): string {
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
function sizeOf({ name, type }: PostgresColumn): string[] {
  if (type.name === 'bytea' || type.element?.name === 'bytea' || FIXED.test(type.name)) return [];
  return [`${TEXTS.has(type.name) ? 'octet_length' : 'pg_column_size'}(${columnSql(name)})`];
}
