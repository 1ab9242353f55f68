/** These fragments of SQL differ between the two databases. Values are always bound. */
import { type RawBuilder, sql } from 'kysely';
import type { DatabaseKind } from '../../db/connect.ts';

export type Sql = RawBuilder<unknown>;

/** The columns that `rowsOf` makes have these types. */
type ColumnType = 'bigint' | 'integer' | 'text' | 'double precision' | 'boolean';

export interface Dialect {
  readonly kind: DatabaseKind;
  /** Returns numbers or texts as a subquery that has one parameter, however many values there are. */
  numbers(values: readonly number[]): Sql;
  texts(values: readonly string[]): Sql;
  /**
   * Returns a condition that is true where the column has one of these texts. PostgreSQL looks them up in an index of the
   * column, whereas it reads a whole table of some ten thousand rows to compare it with a subquery.
   */
  hasOneOf(column: string, values: readonly string[]): Sql;
  /** Returns objects as a table with these columns, to stand behind `from`; it has one parameter. */
  rowsOf(objects: readonly object[], columns: Readonly<Record<string, ColumnType>>): Sql;
  /**
   * Returns a part of the bytes. It begins at the number in the column `at`, counted from 1, and the column `length`
   * has its length.
   */
  slice(bytes: Uint8Array, at: string, length: string): Sql;
  /**
   * Makes a query lock its rows and skip those that another transaction has locked. It is empty for SQLite, which does
   * not lock rows.
   */
  readonly skipLocked: Sql;
}

const json = (value: unknown) => JSON.stringify(value);

const sqlite: Dialect = {
  kind: 'sqlite',
  numbers: (values) => sql`(select value from json_each(${json(values)}))`,
  texts: (values) => sql`(select value from json_each(${json(values)}))`,
  hasOneOf: (column, values) =>
    sql`${sql.ref(column)} in (select value from json_each(${json(values)}))`,
  rowsOf: (objects, columns) => {
    const fields = Object.keys(columns).map(
      (name) => sql`value ->> ${sql.lit(`$.${name}`)} as ${sql.id(name)}`,
    );
    return sql`(select ${sql.join(fields)} from json_each(${json(objects)}))`;
  },
  slice: (bytes, at, length) => sql`substr(${bytes}, ${sql.ref(at)}, ${sql.ref(length)})`,
  skipLocked: sql``,
};

const postgres: Dialect = {
  kind: 'postgres',
  numbers: (values) =>
    sql`(select value::bigint from jsonb_array_elements_text(${json(values)}::jsonb))`,
  texts: (values) => sql`(select value from jsonb_array_elements_text(${json(values)}::jsonb))`,
  hasOneOf: (column, values) =>
    sql`${sql.ref(column)} = any(array(select jsonb_array_elements_text(${json(values)}::jsonb)))`,
  rowsOf: (objects, columns) => {
    const fields = Object.entries(columns).map(
      ([name, type]) => sql`${sql.id(name)} ${sql.raw(type)}`,
    );
    return sql`jsonb_to_recordset(${json(objects)}::jsonb) as input(${sql.join(fields)})`;
  },
  slice: (bytes, at, length) =>
    sql`substring(${bytes}::bytea from ${sql.ref(at)} for ${sql.ref(length)})`,
  skipLocked: sql`for update skip locked`,
};

export const dialectOf = (kind: DatabaseKind): Dialect => (kind === 'sqlite' ? sqlite : postgres);
