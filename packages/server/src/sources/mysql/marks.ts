/**
 * SQL for marks. sql/pull.ts says what a mark is.
 *
 * A transaction that commits late writes values below the mark. Therefore times are read again from ten minutes before
 * the mark, and dates from the day before it, and a mark never lies in the future. Other columns, such as integers, have
 * no overlap: their late rows are missed until the next full pull.
 *
 * Rows whose value is null are always read, because nothing says when they changed. For a time, 0000-00-00 means the
 * same as null.
 */
import { columnSql, type MysqlColumn } from './columns.ts';

/** The time zone of the session is UTC. */
const NOW = { moment: 'utc_timestamp(6)', day: 'utc_date()' };
const OVERLAP = { moment: 'interval 10 minute', day: 'interval 1 day' };

/** Returns an SQL condition: the value of the row may become the mark. */
export const canMark = ({ name, isTime }: MysqlColumn): string =>
  isTime ? `${columnSql(name)} > 0` : `${columnSql(name)} is not null`;

/** Returns an SQL expression for the mark of a row. */
export function markOf(by: MysqlColumn): string {
  if (!by.isTime) return by.place;
  return `case when ${canMark(by)} then least(${columnSql(by.name)}, ${NOW[by.isTime]}) end`;
}

/** Returns an SQL condition for the rows to read when this is the mark of the last sync. */
export function fromMark({ name, isTime, literal }: MysqlColumn, mark: string): string {
  const column = columnSql(name);
  const from = literal(mark);
  if (!isTime) return `(${column} >= ${from} or ${column} is null)`;
  // A day such as 2026-00-00 has no day before it.
  const start = `coalesce(${from} - ${OVERLAP[isTime]}, ${from})`;
  return `(${column} >= ${start} or ${column} is null or ${column} = 0)`;
}
