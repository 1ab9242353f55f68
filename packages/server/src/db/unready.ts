/** Says what keeps the database, and so the service, from serving right now. */
import type { Kysely } from 'kysely';
import { oneAtATime } from '../util.ts';
import { ping } from './connect.ts';
import type { WhyRefused } from './refused-writes.ts';
import type { Schema } from './schema.ts';
import { unavailableReason, withRemedy } from './unavailable.ts';

/** A database to which no packets come through answers nothing at all, and who asks gives up before long. */
const PATIENCE_MS = 2000;

/** Returns a function that lists the reasons, each with what to do. The list is empty when the service can serve. */
export function whyUnready(
  db: Kysely<Schema>,
  whyRefused: WhyRefused,
): () => Promise<readonly string[]> {
  const ask = oneAtATime(
    async () => {
      await ping(db);
      return whyRefused();
    },
    { ms: PATIENCE_MS, late: () => new Error('the database did not answer in time') },
  );
  return async () => {
    try {
      const refused = await ask();
      return refused === null ? [] : [withRemedy(refused)];
    } catch (error) {
      return [withRemedy(unavailableReason(error) ?? 'the database does not answer')];
    }
  };
}
