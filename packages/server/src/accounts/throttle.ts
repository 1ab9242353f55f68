/**
 * Limits guesses of passwords: after ten sign-ins of one account or from one address that failed within 15 minutes, the
 * next one is refused until the first of them is 15 minutes old. The database counts them, so all API processes share
 * the limit.
 */
import type { Kysely } from 'kysely';
import type { DatabaseKind } from '../db/connect.ts';
import type { Schema } from '../db/schema.ts';
import { AppError } from '../errors.ts';
import { sha256 } from '../model/hash.ts';
import { newId } from '../util.ts';
import * as store from './throttle-store.ts';

const MOST_FAILURES = 10;
export const WINDOW_MS = 15 * 60_000;

export type Throttle = ReturnType<typeof createThrottle>;

export interface Guess {
  readonly email: string;
  readonly address: string;
}

export function createThrottle({ db, kind }: { db: Kysely<Schema>; kind: DatabaseKind }) {
  /**
   * A guess counts as failed before it is checked. Otherwise many guesses at the same time would all be checked before
   * the first of them counts.
   */
  async function count({ account, address }: Subjects): Promise<string> {
    const id = newId();
    const at = Date.now();
    const subjects = [account, address];
    await db.transaction().execute(async (tx) => {
      await store.lockSubjects(tx, kind, subjects);
      await store.note(tx, { id, subjects, at });
      const since = at - WINDOW_MS;
      const most = MOST_FAILURES + 1;
      const last = await store.lastToLeave(tx, { subjects, since, most });
      // The transaction is rolled back, so that a refused guess does not count.
      if (last !== undefined) throw tooManyFailures(last + WINDOW_MS - at);
    });
    return id;
  }

  return {
    /** Runs the check of a password. Throws a 429 without running it when too many have failed. */
    async guess<T>(guess: Guess, check: () => Promise<T | undefined>): Promise<T | undefined> {
      const subjects = subjectsOf(guess);
      const id = await count(subjects);
      const found = await check();
      if (found !== undefined) await store.forgive(db, { id, account: subjects.account });
      return found;
    },
  };
}

interface Subjects {
  readonly account: string;
  readonly address: string;
}

/** E-mails may be of any length and contain any character, and the table shows nobody which were tried. */
const subjectsOf = ({ email, address }: Guess): Subjects => ({
  account: `account:${sha256(email)}`,
  address: `address:${address}`,
});

const tooManyFailures = (ms: number) =>
  new AppError(429, 'too many sign-ins have failed; wait before you try again', {
    code: 'too_many_failures',
    retryAfter: Math.max(1, Math.ceil(ms / 1000)),
  });
