/**
 * Limits guesses of passwords and tokens: after ten sign-ins of one account or from one address that failed within 15 minutes, the
 * next one is refused until the first of them is 15 minutes old. The database counts them, so all API processes share
 * the limit.
 */
import type { Kysely } from 'kysely';
import type { DatabaseKind } from '../db/connect.ts';
import type { Schema } from '../db/schema.ts';
import { AppError } from '../errors.ts';
import { sha256 } from '../model/hash.ts';
import { clientNetwork } from '../net/addresses.ts';
import { newId } from '../util.ts';
import * as store from './throttle-store.ts';

const MOST_FAILURES = 10;
export const WINDOW_MS = 15 * 60_000;

export type Throttle = ReturnType<typeof createThrottle>;

export interface AccountGuess {
  readonly email: string;
  readonly address: string;
}

/** The token of a link names no account, so its failures count for the address alone. */
type Guess = AccountGuess | { readonly address: string };

export function createThrottle({ db, kind }: { db: Kysely<Schema>; kind: DatabaseKind }) {
  /**
   * A guess counts as failed before it is checked. Otherwise many guesses at the same time would all be checked before
   * the first of them counts.
   */
  async function count(subjects: readonly string[]): Promise<string> {
    const id = newId();
    const at = Date.now();
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
    /** Runs the check of a password or token. Throws a 429 without running it when too many have failed. */
    async guess<T>(guess: Guess, check: () => Promise<T | undefined>): Promise<T | undefined> {
      // E-mails may be of any length and contain any character, and the table shows nobody which were tried.
      const accounts = 'email' in guess ? [`account:${sha256(guess.email)}`] : [];
      const id = await count([...accounts, `address:${clientNetwork(guess.address)}`]);
      const found = await check();
      if (found !== undefined) await store.forgive(db, { id, accounts });
      return found;
    },
  };
}

const tooManyFailures = (ms: number) =>
  new AppError(429, 'too many sign-ins have failed; wait before you try again', {
    code: 'too_many_failures',
    retryAfter: Math.max(1, Math.ceil(ms / 1000)),
  });
