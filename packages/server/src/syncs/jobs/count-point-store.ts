/** These are the queries on the number of entities of a connection over time (count-points.ts). */
import { isDeepStrictEqual } from 'node:util';
import type { Db, Tx } from '../../db/schema.ts';
import { MAX_TYPES, surplus } from './count-points.ts';

export interface CountPoint {
  readonly at: number;
  readonly total: number;
  readonly by_type: Readonly<Record<string, number>>;
}

const pointsOf = (db: Db, connectionId: string) =>
  db.selectFrom('entity_count_points').where('connection_id', '=', connectionId);

/** Adds a point if the counts differ from those of the newest one. The caller has locked the connection. */
export async function noteCounts(tx: Tx, connectionId: string, now: number): Promise<void> {
  const counts = await tx
    .selectFrom('entity_counts')
    .select(['entity_type', 'count'])
    .where('connection_id', '=', connectionId)
    .where('count', '>', 0)
    .orderBy('count', 'desc')
    .orderBy('entity_type')
    .execute();
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const byType = Object.fromEntries(
    counts.slice(0, MAX_TYPES).map(({ entity_type, count }) => [entity_type, count]),
  );
  const last = await pointsOf(tx, connectionId)
    .select(['at', 'total', 'by_type'])
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (last ? last.total === total && isDeepStrictEqual(last.by_type, byType) : total === 0) return;
  // The points stay in the order of the jobs, also when the clock was set back.
  const at = Math.max(now, (last?.at ?? 0) + 1);
  await tx
    .insertInto('entity_count_points')
    .values({ connection_id: connectionId, at, total, by_type: JSON.stringify(byType) })
    .execute();
  const times = await pointsOf(tx, connectionId).select('at').orderBy('at').execute();
  const gone = surplus(times.map((point) => point.at));
  if (gone.length > 0)
    await tx
      .deleteFrom('entity_count_points')
      .where('connection_id', '=', connectionId)
      .where('at', 'in', gone)
      .execute();
}

/** Returns all points of the connection, the oldest first. */
export const countPoints = (db: Db, connectionId: string): Promise<CountPoint[]> =>
  pointsOf(db, connectionId).select(['at', 'total', 'by_type']).orderBy('at').execute();
