/** Admits requests to windows, and keeps turns for connections that wait (window.ts has the rules). */
import type { Kysely, RawBuilder } from 'kysely';
import { LRUCache } from 'lru-cache';
import { nowMs } from '../db/clock.ts';
import type { DatabaseKind } from '../db/connect.ts';
import type { Db, Schema } from '../db/schema.ts';
import * as store from './admission-store.ts';
import type { SourceQuota } from './quotas.ts';
import {
  type Admitted,
  keptForOthers,
  lastToLeave,
  MIN_WAIT_MS,
  timeIn,
  type WindowTime,
} from './window.ts';

const WINDOWS = 10_000;
/**
 * A request must be sent within this time after it asked to be admitted. Otherwise, for example when the thread was
 * busy, it asks again, because the source might count it in a later window than we do. After MAX_ASKS admissions it is
 * sent in any case.
 */
const FRESH_MS = 50;
const MAX_ASKS = 3;
/** A connection keeps its turn for this long after its wait, because its job must first be claimed and begin. */
const GRACE_MS = 5000;
/** Old admissions are removed once in this many new ones. */
const PRUNE_EVERY = 32;

export interface AskingConnection {
  /** It is '' for settings that are not saved yet. */
  readonly connectionId: string;
  /**
   * If true, the connection comes back after a refusal, so it gets a turn. Otherwise a turn would only delay others.
   */
  readonly waits: boolean;
}

export interface AdmissionRefusal {
  readonly quota: SourceQuota;
  readonly retryMs: number;
}

export interface AdmissionDeps {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
  /** This clock of the process is in milliseconds and never set back. */
  readonly now: () => number;
  /** Returns an expression for the clock of the database, in milliseconds since 1970. Tests give another one. */
  readonly databaseNow?: () => RawBuilder<number>;
}

/** This is a quota, with the number of its window and the connection that asks. */
interface AskedWindow extends store.Asking {
  readonly quota: SourceQuota;
  /** Earlier asks have got these admissions, the newest first, and no request has used them. */
  readonly unused: readonly number[];
}

/** A number is null when another request has taken it. `askedAt` is the time, by `now`, at which the request asked. */
interface Admissions {
  readonly numbers: readonly (number | null)[];
  readonly askedAt: number;
}

/** The window has room at this time, and the next admission has the number `seq`. */
interface Opening {
  readonly asked: AskedWindow;
  readonly seq: number;
  readonly time: WindowTime;
  readonly hasTurn: boolean;
}

export function createAdmissions({
  db,
  kind,
  now,
  databaseNow = () => nowMs(kind),
}: AdmissionDeps) {
  const ids = new LRUCache<string, number>({ max: WINDOWS });

  /** SQLite has one writer, so other requests wait for the transaction, and its numbers are never taken. */
  const inOrder = <T>(work: (tx: Db) => Promise<T>): Promise<T> =>
    kind === 'sqlite' ? db.transaction().execute(work) : work(db);

  async function windowId(key: store.WindowKey): Promise<number> {
    const name = JSON.stringify([key.organizationId, key.shortName, key.connectionId]);
    const id = ids.get(name) ?? (await store.windowId(db, key));
    ids.set(name, id);
    return id;
  }

  /**
   * Admits the request to each window, if all of them have room. Otherwise returns the refusal with the longest wait.
   */
  async function ask(
    tx: Db,
    windows: readonly AskedWindow[],
    { waits }: AskingConnection,
  ): Promise<AdmissionRefusal | Admissions> {
    const askedAt = now();
    const [only, ...others] = windows;
    if (only && others.length === 0 && only.unused.length === 0) {
      const seq = await takeAtOnce(tx, only);
      if (seq !== null) return { numbers: [seq], askedAt };
    }
    const openings: Opening[] = [];
    let refusal: AdmissionRefusal | undefined;
    for (const asked of windows) {
      const found = await look(tx, asked, waits);
      if ('seq' in found) openings.push(found);
      else if (!refusal || found.retryMs > refusal.retryMs) refusal = found;
    }
    if (refusal) return refusal;
    const numbers: (number | null)[] = [];
    for (const opening of openings) numbers.push(await take(tx, opening));
    return { numbers, askedAt };
  }

  async function take(tx: Db, { asked, seq, time, hasTurn }: Opening): Promise<number | null> {
    if (!(await store.admit(tx, databaseNow(), { ...asked, ...time, seq }))) return null;
    if (hasTurn) await store.endTurn(tx, asked);
    await pruneSometimes(tx, asked, { seq, at: time.t });
    return seq;
  }

  async function pruneSometimes(
    tx: Db,
    { windowId, quota }: AskedWindow,
    { seq, at }: Pick<Admitted, 'seq' | 'at'>,
  ): Promise<void> {
    if (seq % PRUNE_EVERY !== 0) return;
    const cutoff = at - quota.windowSeconds * 1000;
    await store.prune(tx, windowId, { cutoff, newestSeq: seq });
  }

  /** Admits a request by one statement, which suffices for nearly all requests. Otherwise returns null. */
  async function takeAtOnce(tx: Db, asked: AskedWindow): Promise<number | null> {
    const windowMs = asked.quota.windowSeconds * 1000;
    const admitted = await store.admitAtOnce(tx, databaseNow(), { ...asked, windowMs });
    if (!admitted) return null;
    await pruneSometimes(tx, asked, admitted);
    return admitted.seq;
  }

  async function look(
    tx: Db,
    asked: AskedWindow,
    waits: boolean,
  ): Promise<Opening | AdmissionRefusal> {
    const { quota, connectionId } = asked;
    const state = await store.stateOf(tx, databaseNow(), asked);
    const time = timeIn(state.newest, state.now);
    if (state.newest && time.skew > state.newest.skew)
      await store.setSkew(tx, { ...asked, ...time, seq: state.newest.seq });
    const since = state.ownTurn && state.ownTurn.until > time.t ? state.ownTurn.since : null;
    const retryMs = await retryAfter(tx, asked, { state, t: time.t, since });
    if (retryMs === null)
      return { asked, seq: (state.newest?.seq ?? 0) + 1, time, hasTurn: state.ownTurn !== null };
    if (waits && connectionId !== quota.window.connectionId)
      await store.keepTurn(tx, asked, {
        since: since ?? time.t,
        until: time.t + retryMs + GRACE_MS,
      });
    return { quota, retryMs };
  }

  return {
    /** Resolves to undefined when the request may be sent. */
    async admit(
      quotas: readonly SourceQuota[],
      asking: AskingConnection,
    ): Promise<AdmissionRefusal | undefined> {
      if (quotas.length === 0) return undefined;
      let windows: AskedWindow[] = [];
      for (const quota of quotas)
        windows.push({
          quota,
          windowId: await windowId(quota.window),
          limit: quota.limit,
          connectionId: asking.connectionId,
          unused: [],
        });
      for (let asks = 1; ; ) {
        const answer = await inOrder((tx) => ask(tx, windows, asking));
        if ('retryMs' in answer) return answer;
        const { numbers, askedAt } = answer;
        const isAdmitted = numbers.every((seq) => seq !== null);
        if (isAdmitted && (now() - askedAt <= FRESH_MS || asks++ >= MAX_ASKS)) return undefined;
        windows = windows.map((asked, i) => {
          const seq = numbers[i] ?? null;
          return seq === null ? asked : { ...asked, unused: [seq, ...asked.unused] };
        });
      }
    },
  };
}

interface WindowLook {
  readonly state: store.WindowState;
  readonly t: number;
  /** The asking connection has waited since then; null when it does not wait. */
  readonly since: number | null;
}

/** Returns null when the window has room for the request. */
async function retryAfter(
  tx: Db,
  asked: AskedWindow,
  { state, t, since }: WindowLook,
): Promise<number | null> {
  const { limit, unused, connectionId } = asked;
  const { newest, othersUntil } = state;
  const cutoff = t - asked.quota.windowSeconds * 1000;
  const lastIn = async (room: number) =>
    newest && store.admittedAt(tx, asked.windowId, lastToLeave(newest, room, unused));
  const boundaryAt = unused.length === 0 ? state.boundaryAt : await lastIn(limit);
  if (boundaryAt !== null && boundaryAt > cutoff) return Math.max(MIN_WAIT_MS, boundaryAt - cutoff);
  if (othersUntil === null || othersUntil <= t) return null;
  const others = await store.othersWaiting(tx, asked, { newestSeq: newest?.seq ?? 0, cutoff, t });
  const asking = { connectionId, since: since ?? Number.POSITIVE_INFINITY };
  const room = limit - keptForOthers(others, asking, limit);
  if (room === limit) return null;
  // The others may come at any moment, so the request looks again soon.
  if (room <= 0) return MIN_WAIT_MS;
  const keptAt = await lastIn(room);
  return keptAt !== null && keptAt > cutoff ? MIN_WAIT_MS : null;
}
