/** Writes the SQL that reads the rows of a table or query. sql/shape.ts describes a selected row. */
import mysql from 'mysql2';
import { must } from '../../util.ts';
import type { Part } from '../sql/database.ts';
import { MAX_ROW_BYTES, type RawRow, type Shape } from '../sql/shape.ts';
import { columnSql, type MysqlColumn } from './columns.ts';
import { canMark, fromMark, markOf } from './marks.ts';
import type { MysqlTable } from './relations.ts';
import type { MysqlSession } from './session.ts';

/** `table` is null for a query. */
export function partOf(
  session: MysqlSession,
  shape: Shape<MysqlColumn>,
  table: MysqlTable | null,
): Part {
  const { relation, columns } = shape;
  const column = (name: string) => must(columns.find((one) => one.name === name));
  const key = relation.key.map(column);
  const order = orderOf(key, table !== null);
  return {
    shape,
    async newestMark({ name }) {
      const by = column(name);
      const [[mark] = []] = await session.query(
        `select ${markOf(by)} from ${relation.from} where ${canMark(by)} order by ${columnSql(name)} desc limit 1`,
      );
      return mark ?? null;
    },
    rows(after) {
      const where = after ? `where ${isAfter(key, after)}` : '';
      // Without the hint, some servers sort the whole table before they send its first row.
      const hint = table?.index
        ? `force index for order by (${mysql.escapeId(table.index, true)})`
        : '';
      return session.stream(
        `select ${valuesOf(shape, key, 'null')} from ${relation.from} ${hint} ${where} order by ${order}`,
      );
    },
    rowsFrom({ name }, mark) {
      const by = column(name);
      return session.stream(
        `select ${valuesOf(shape, key, markOf(by))} from ${relation.from} where ${fromMark(by, mark)} order by ${columnSql(name)}, ${order}`,
      );
    },
    placeOf: (row) => placeOf(row, key),
  };
}

/**
 * A key of a table never repeats, in the order of its collation. A query may have keys that differ only in case, and
 * equal keys must follow each other, so it is also ordered by bytes.
 */
function orderOf(key: readonly MysqlColumn[], isTable: boolean): string {
  const names = key.map(({ name }) => columnSql(name));
  const bytes = isTable ? [] : key.map(({ identity }) => `cast(${identity} as binary)`);
  return [...names, ...bytes].join(', ');
}

/** Places that are not the identity of the row come last, where nothing else looks for them. */
const placesOf = (key: readonly MysqlColumn[]) =>
  key.filter(({ place, identity }) => place !== identity);

function valuesOf(
  { shown, references }: Shape<MysqlColumn>,
  key: readonly MysqlColumn[],
  mark: string,
): string {
  const sizes = shown
    .filter(({ weight }) => weight !== 'fixed')
    .map(({ name }) => `coalesce(octet_length(${columnSql(name)}), 0)`);
  const size = ['0', ...sizes].join(' + ');
  const contents = shown.map(({ weight, content }) =>
    weight === 'large' ? `case when ${size} <= ${MAX_ROW_BYTES} then ${content} end` : content,
  );
  const names = references.map(({ sql }) => sql);
  return [
    ...key.map(({ identity }) => identity),
    mark,
    size,
    names.length === 0 ? 'null' : `json_array(${names.join(', ')})`,
    ...contents,
    ...placesOf(key).map(({ place }) => place),
  ].join(', ');
}

function placeOf(row: RawRow, key: readonly MysqlColumn[]): string[] {
  const others = placesOf(key);
  return key.map((column, i) => {
    const at = others.indexOf(column);
    return must(at < 0 ? row[i] : row[row.length - others.length + at]);
  });
}

/**
 * Returns an SQL condition: the key of the row comes after this place. MySQL does not use an index for a comparison of
 * tuples, so the condition says first where the index begins.
 */
function isAfter(key: readonly MysqlColumn[], place: readonly string[]): string {
  const [first, ...rest] = key;
  const [value, ...others] = place;
  if (first === undefined || value === undefined) return 'false';
  const name = columnSql(first.name);
  const literal = first.literal(value);
  if (rest.length === 0) return `${name} > ${literal}`;
  return `(${name} >= ${literal} and (${name} > ${literal} or ${isAfter(rest, others)}))`;
}
