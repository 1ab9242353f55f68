/**
 * This file knows whether the database takes writes. A disk that is full refuses a commit of megabytes long before
 * it refuses a row of a few bytes. A process whose write was refused therefore notes it in the database, where
 * every process sees it, and a worker tries a write of the size of a commit until one succeeds.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { Db, Schema } from './schema.ts';
import { refusalReason } from './unavailable.ts';

/** A trial writes this many bytes, about as many as a commit of a sync. */
const TRIAL_BYTES = 4 * 1024 * 1024;
/** The worker leaves at least this much time between two trials. */
const TRIAL_MS = 5000;
/** Refused work waits for as long as the refusal has already lasted, within these bounds. */
const SHORTEST_WAIT_MS = 5000;
const LONGEST_WAIT_MS = 30_000;
/** An answer is reused for this long. */
const FRESH_MS = 2000;
/** The database may take this long to answer a probe. */
const PROBE_MS = 250;

export interface WriteRefusal {
  /** The reason is a few words, such as 'the disk of the database is full'. */
  readonly reason: string;
  /** It is worth trying the refused write again after this many milliseconds. */
  readonly waitMs: number;
}

/** Returns the noted refusal, or null while the database takes writes. */
export async function notedRefusal(db: Db): Promise<WriteRefusal | null> {
  const { reason, since } = await db
    .selectFrom('refused_writes')
    .select(['reason', 'since'])
    .executeTakeFirstOrThrow();
  if (reason === null || since === null) return null;
  const lasted = Date.now() - since;
  return { reason, waitMs: Math.min(LONGEST_WAIT_MS, Math.max(SHORTEST_WAIT_MS, lasted)) };
}

/**
 * Notes the refusal if `error` is one, and returns it. Returns null for any other error, and when the database does
 * not even take the note.
 */
export async function noteRefusal(
  db: Kysely<Schema>,
  log: Logger,
  error: unknown,
): Promise<WriteRefusal | null> {
  const reason = refusalReason(error);
  if (reason === null) return null;
  try {
    await db
      .updateTable('refused_writes')
      .set({ reason, since: Date.now() })
      .where('reason', 'is', null)
      .execute();
    return { reason, waitMs: SHORTEST_WAIT_MS };
  } catch (fault) {
    log.error({ err: fault }, 'cannot note that the database takes no writes');
    return null;
  }
}

/**
 * Returns a function to call regularly. While a refusal is noted, the function tries to write, and resolves to true
 * when a write succeeds.
 */
export function createTrial(db: Kysely<Schema>): () => Promise<boolean> {
  let triedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - triedAt < TRIAL_MS || !(await notedRefusal(db))) return false;
    triedAt = performance.now();
    try {
      // The bytes are random because a database or a file system may compress them, and they are committed because
      // only then do they reach the disk.
      await db
        .updateTable('refused_writes')
        .set({ trial: randomBytes(TRIAL_BYTES) })
        .execute();
      await db
        .updateTable('refused_writes')
        .set({ reason: null, since: null, trial: null })
        .execute();
      return true;
    } catch (error) {
      if (refusalReason(error) === null) throw error;
      return false;
    }
  };
}

/** Resolves to the reason why the database takes no writes now, or to null. Throws when it cannot be asked. */
export type WhyRefused = () => Promise<string | null>;

/** The returned function writes a row of a few bytes every two seconds at most, however often it is called. */
export function watchRefusal(db: Kysely<Schema>): WhyRefused {
  let askedAt = Number.NEGATIVE_INFINITY;
  let answer: Promise<string | null> = Promise.resolve(null);
  return () => {
    if (performance.now() - askedAt < FRESH_MS) return answer;
    askedAt = performance.now();
    // The probe waits behind a long transaction of another writer, which is not a refusal.
    answer = Promise.race([probe(db), sleep(PROBE_MS, null, { ref: false })]);
    return answer;
  };
}

async function probe(db: Kysely<Schema>): Promise<string | null> {
  try {
    const { reason } = await db
      .updateTable('refused_writes')
      .set({ probed_at: Date.now() })
      .returning('reason')
      .executeTakeFirstOrThrow();
    return reason;
  } catch (error) {
    const reason = refusalReason(error);
    if (reason === null) throw error;
    return reason;
  }
}
