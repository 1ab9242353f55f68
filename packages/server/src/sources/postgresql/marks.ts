/**
 * A mark says how far a continuous sync has come in one table or query.
 *
 * The sync goes by a column that grows with every change. The mark is the greatest value in the transaction that
 * read the rows. The next sync reads from the mark on, the mark itself included, so that rows with equal values are
 * never missed. A transaction that commits late writes times that are older than the mark: therefore times are read
 * again for OVERLAP before it, dates for a whole day, and a mark never lies in the future. Rows whose value is null are always read,
 * because nothing says when they changed. Rows whose value is NaN or infinite are always read as well, because no
 * other value would get past such a mark.
 */
import type { DatabaseSession } from './session.ts';
import { columnSql, type Shape, type ShapedColumn } from './shape.ts';

/** A date tells nothing of the time of day at which its row was written, so that the day before is read again. */
const OVERLAP: Readonly<Record<string, string>> = {
  timestamptz: " - interval '10 minutes'",
  timestamp: " - interval '10 minutes'",
  date: ' - 1',
};

/** A time is at most this value. */
const NOW: Readonly<Record<string, string>> = {
  timestamptz: 'now()',
  timestamp: 'localtimestamp',
  date: 'current_date',
};

const WITH_NAN: ReadonlySet<string> = new Set(['float4', 'float8', 'numeric']);

/** Returns SQL that tells whether a value can be a mark. */
const canMark = ({ name, type }: ShapedColumn): string =>
  WITH_NAN.has(type.name)
    ? `${columnSql(name)}::text not in ('NaN', 'Infinity')`
    : `${columnSql(name)} is not null`;

/** Returns SQL for the mark of a row. */
export function markOf(by: ShapedColumn): string {
  const { name, type } = by;
  if (WITH_NAN.has(type.name)) return `case when ${canMark(by)} then ${columnSql(name)} end`;
  const now = NOW[type.name];
  return now ? `least(${columnSql(name)}, ${now})` : columnSql(name);
}

/** Returns SQL for the condition on rows to read from the mark $1 on. */
export function fromMark({ name, type }: ShapedColumn): string {
  const overlap = OVERLAP[type.name] ?? '';
  return `(${columnSql(name)} >= $1::${type.sql}${overlap} or ${columnSql(name)} is null)`;
}

/** Returns null when no row has a value. */
export async function newestMark(
  session: DatabaseSession,
  { relation }: Shape,
  by: ShapedColumn,
): Promise<string | null> {
  const [row] = await session.query<{ mark: string }>(
    `select ${markOf(by)}::text as mark from ${relation.from}
     where ${canMark(by)} order by ${columnSql(by.name)} desc limit 1`,
  );
  return row ? row.mark : null;
}
