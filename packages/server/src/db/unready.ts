/** Says what keeps the database, and so the service, from serving right now. */
import type { Kysely } from 'kysely';
import { ping } from './connect.ts';
import type { WhyRefused } from './refused-writes.ts';
import type { Schema } from './schema.ts';
import { unavailableReason, withRemedy } from './unavailable.ts';

/** Returns a function that lists the reasons, each with what to do. The list is empty when the service can serve. */
export const whyUnready =
  (db: Kysely<Schema>, whyRefused: WhyRefused) => async (): Promise<readonly string[]> => {
    try {
      await ping(db);
      const refused = await whyRefused();
      return refused === null ? [] : [withRemedy(refused)];
    } catch (error) {
      return [withRemedy(unavailableReason(error) ?? 'the database does not answer')];
    }
  };
