/**
 * SQL for marks. sql/pull.ts says what a mark is.
 *
 * A transaction that commits late writes values below the mark. Therefore times are read again from ten minutes before
 * the mark, and dates from the day before it (OVERLAP), and a mark never lies in the future. Other columns, such as
 * integers, have no overlap: their late rows are missed until the next full pull.
 *
 * Rows whose value is null are always read, because nothing says when they changed. NaN and Infinity never become the
 * mark of a number: they compare greater than every number, and would hide later rows. Rows with these values are
 * always read, because they lie above every mark.
 */
import type { Relation } from '../sql/relations.ts';
import type { DatabaseSession } from './session.ts';
import { columnSql, type PostgresColumn } from './shape.ts';

/** A date has no time of day, so the day before is read again. */
const OVERLAP: Readonly<Record<string, string>> = {
  timestamptz: " - interval '10 minutes'",
  timestamp: " - interval '10 minutes'",
  date: ' - 1',
};

/**
 * Maps a type of times to SQL for the present time. A mark is never later than that, because a mark in the future would
 * hide later rows.
 */
const NOW: Readonly<Record<string, string>> = {
  timestamptz: 'now()',
  timestamp: 'localtimestamp',
  date: 'current_date',
};

const WITH_NAN: ReadonlySet<string> = new Set(['float4', 'float8', 'numeric']);

/** Returns an SQL condition: the value of the row may become the mark. */
const canMark = ({ name, type }: PostgresColumn): string =>
  WITH_NAN.has(type.name)
    ? `${columnSql(name)}::text not in ('NaN', 'Infinity')`
    : `${columnSql(name)} is not null`;

/** Returns an SQL expression for the mark of a row. */
export function markOf(by: PostgresColumn): string {
  const { name, type } = by;
  if (WITH_NAN.has(type.name)) return `case when ${canMark(by)} then ${columnSql(name)} end`;
  const now = NOW[type.name];
  return now ? `least(${columnSql(name)}, ${now})` : columnSql(name);
}

/** Returns an SQL condition for the rows to read when $1 is the mark of the last sync. */
export function fromMark({ name, type }: PostgresColumn): string {
  const overlap = OVERLAP[type.name] ?? '';
  return `(${columnSql(name)} >= $1::${type.sql}${overlap} or ${columnSql(name)} is null)`;
}

/** Returns the greatest mark of all rows, or null when no row has one. */
export async function newestMark(
  session: DatabaseSession,
  { from }: Relation,
  by: PostgresColumn,
): Promise<string | null> {
  const [row] = await session.query<{ mark: string }>(
    `select ${markOf(by)}::text as mark from ${from}
     where ${canMark(by)} order by ${columnSql(by.name)} desc limit 1`,
  );
  return row ? row.mark : null;
}
