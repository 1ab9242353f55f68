/**
 * This file tracks whether the database accepts writes. A nearly full disk may still accept a row of a few bytes while
 * it refuses a commit of megabytes. So a process whose write was refused stores a note in the database, where every
 * process sees it. Then a worker tries writes of the size of a commit until one succeeds.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { Db, Schema } from './schema.ts';
import { withDeadline } from './short.ts';
import { refusalReason } from './unavailable.ts';

/** A trial writes this many bytes, about as many as a commit of a sync. */
const TRIAL_BYTES = 4 * 1024 * 1024;
/** The worker waits at least this long between two trials. */
const TRIAL_MS = 5000;
/** A refused job waits as long as the refusal has already lasted, within these limits. */
const MIN_WAIT_MS = 5000;
const MAX_WAIT_MS = 30_000;
/** The result of a probe is reused for this time. */
const FRESH_MS = 2000;
/** A probe that takes longer than this does not count as refused. */
const PROBE_MS = 250;
/** A probe that is not answered for so long gives its connection back. */
const PROBE_DEADLINE_MS = 10_000;

export interface WriteRefusal {
  /** This is a few words, such as 'the disk of the database is full'. */
  readonly reason: string;
  /** The refused write should be tried again after this many milliseconds. */
  readonly waitMs: number;
}

/** Returns the noted refusal, or null while the database accepts writes. */
export async function notedRefusal(db: Db): Promise<WriteRefusal | null> {
  const { reason, since } = await db
    .selectFrom('refused_writes')
    .select(['reason', 'since'])
    .executeTakeFirstOrThrow();
  if (reason === null || since === null) return null;
  const lasted = Date.now() - since;
  return { reason, waitMs: Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, lasted)) };
}

/**
 * If `error` means that the database refuses writes, notes the refusal and returns it. Returns null for any other
 * error, and when even the note cannot be written.
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
    return { reason, waitMs: MIN_WAIT_MS };
  } catch (fault) {
    log.error({ err: fault }, 'cannot note that the database takes no writes');
    return null;
  }
}

/**
 * Returns a function that a worker must call regularly. While a refusal is noted, the function tries a write; it
 * resolves to true when the write succeeds.
 */
export function createTrial(db: Kysely<Schema>): () => Promise<boolean> {
  let triedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - triedAt < TRIAL_MS || !(await notedRefusal(db))) return false;
    triedAt = performance.now();
    try {
      // The bytes are random, because a database or file system may compress other bytes. They are committed, because
      // otherwise they may never be written to the disk.
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

/** Resolves to the reason why the database refuses writes now, or to null while it accepts writes. Throws when the database does not answer. */
export type WhyRefused = () => Promise<string | null>;

/**
 * However often the returned function is called, it writes a row of a few bytes at most every `freshMs` milliseconds, and
 * one at a time: where writes wait, because the database has no standby or the row is locked, the probes would otherwise take
 * all connections from those who read.
 */
export function watchRefusal(
  db: Db,
  { freshMs = FRESH_MS, deadlineMs = PROBE_DEADLINE_MS } = {},
): WhyRefused {
  const short = withDeadline(db, deadlineMs);
  let askedAt = Number.NEGATIVE_INFINITY;
  let isAsking = false;
  let answer: Promise<string | null> = Promise.resolve(null);
  return () => {
    if (isAsking || performance.now() - askedAt < freshMs) return answer;
    askedAt = performance.now();
    isAsking = true;
    const asked = probe(short).finally(() => {
      isAsking = false;
    });
    // The probe may wait for a long transaction of another writer, which is not a refusal.
    answer = Promise.race([asked, sleep(PROBE_MS, null, { ref: false })]);
    return answer;
  };
}

async function probe(db: Db): Promise<string | null> {
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
