/**
 * How far a continuous sync has come in one table or query.
 *
 * It goes by a column that grows with every change. The mark is the greatest value there was in the
 * transaction that read the rows; the next sync reads from the mark on, the mark itself included, so
 * rows with equal values are never missed. A transaction that commits late writes times older than the
 * mark: times are therefore read again for OVERLAP before it, and a mark never lies in the future.
 * Rows whose value is null are always read, as nothing says when they changed; so are those whose value is
 * NaN or infinite, which would be a mark that no other value gets past.
 */
import type { DatabaseSession } from './session.ts';
import { column, type Shape, type ShapedColumn } from './shape.ts';

const OVERLAP = "interval '10 minutes'";

/** What a time is capped at. */
const NOW: Readonly<Record<string, string>> = {
  timestamptz: 'now()',
  timestamp: 'localtimestamp',
  date: 'current_date',
};

const WITH_NAN: ReadonlySet<string> = new Set(['float4', 'float8', 'numeric']);

/** SQL of whether a value can be a mark. */
const canMark = ({ name, type }: ShapedColumn): string =>
  WITH_NAN.has(type.name)
    ? `${column(name)}::text not in ('NaN', 'Infinity')`
    : `${column(name)} is not null`;

/** SQL of a row's mark. */
export function markOf(by: ShapedColumn): string {
  const { name, type } = by;
  if (WITH_NAN.has(type.name)) return `case when ${canMark(by)} then ${column(name)} end`;
  const now = NOW[type.name];
  return now ? `least(${column(name)}, ${now})` : column(name);
}

/** SQL of the rows to read from the mark $1 on. */
export function fromMark({ name, type }: ShapedColumn): string {
  const overlap = type.name.startsWith('timestamp') ? ` - ${OVERLAP}` : '';
  return `(${column(name)} >= $1::${type.sql}${overlap} or ${column(name)} is null)`;
}

/** Null without rows that have a value. */
export async function newestMark(
  session: DatabaseSession,
  { relation }: Shape,
  by: ShapedColumn,
): Promise<string | null> {
  const [row] = await session.query<{ mark: string }>(
    `select ${markOf(by)}::text as mark from ${relation.from}
     where ${canMark(by)} order by ${column(by.name)} desc limit 1`,
  );
  return row ? row.mark : null;
}
