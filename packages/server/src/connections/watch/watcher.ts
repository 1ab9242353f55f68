/**
 * Watches the connections whose source can be watched, in the process that runs syncs. A change has a sync started, in
 * the same way as the schedule.
 *
 * What a watch cannot know has a look of its own: what changed before the watch began, and while the machine slept.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { DatabaseKind } from '../../db/connect.ts';
import type { Schema } from '../../db/schema.ts';
import { needsSignIn } from '../../sign-in/needed.ts';
import type { Source, SourceEnvironment } from '../../sources/define.ts';
import type { Syncs } from '../../syncs/service.ts';
import { newId } from '../../util.ts';
import * as connections from '../store.ts';
import { createBudget } from './budget.ts';
import { type KeptWatch, keepWatch, type LookOutcome } from './keep-watch.ts';
import * as store from './watch-store.ts';

/** A clock that has moved on by this much between two ticks was that of a machine that slept. */
const SLEPT_MS = 30_000;
/** A lease is renewed several times before it runs out. */
const RENEWAL_MS = 8000;
/** More folders than this are not watched, because the system gives all its programs a limited number of handles. */
const MOST_FOLDERS = 20_000;
const RETRY_MS = 60_000;

export interface WatcherDeps {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
  readonly sources: ReadonlyMap<string, Source>;
  readonly environment: SourceEnvironment;
  readonly syncs: Pick<Syncs, 'isBusy' | 'start' | 'wake'>;
  readonly log: Logger;
  readonly mostFolders?: number;
  readonly retryMs?: number;
}

type ConnectionToWatch = Omit<store.WatchableConnection, 'total_runs'>;

export interface Watcher {
  /** The caller calls this once a second, and waits for the end of the call before. */
  tick(): Promise<void>;
  /**
   * Prepares the pull of a sync of this connection. Returns a function that returns the partitions in which changes were
   * noticed since its last call. A failure of the watch does not keep the sync from running.
   */
  beforePull(connection: ConnectionToWatch): Promise<() => readonly string[]>;
  /** The pull of a sync of this connection has ended, and was not cancelled. */
  afterPull(connectionId: string, isCompleted: boolean): void;
  /** Does not throw when the database cannot be used. */
  stop(): Promise<void>;
}

/** This watch is kept for the connection. */
interface Kept {
  readonly config: Record<string, unknown>;
  readonly watch: KeptWatch;
}

const noChanges = () => [];

/** No connection is watched, as the operator wants it. */
export const watchNothing = (deps: Pick<WatcherDeps, 'db' | 'kind'>): Watcher => ({
  tick: forgetEarlier(deps),
  beforePull: async () => noChanges,
  afterPull() {},
  stop: async () => {},
});

/**
 * Returns a function that ends the watches of an earlier process when it is called for the first time. It is not called
 * at the start, because a process must also start on a full disk.
 */
function forgetEarlier({ db, kind }: Pick<WatcherDeps, 'db' | 'kind'>): () => Promise<void> {
  let isDone = kind !== 'sqlite';
  return async () => {
    if (!isDone) await store.endWatchesOfEarlier(db);
    isDone = true;
  };
}

export function createWatcher(deps: WatcherDeps): Watcher {
  const { db, kind, sources, syncs } = deps;
  const worker = newId();
  const budget = createBudget(deps.mostFolders ?? MOST_FOLDERS);
  const kept = new Map<string, Kept>();
  const opening = new Map<string, Promise<KeptWatch | undefined>>();
  const shortNames = [...sources.values()]
    .filter((source) => source.watch)
    .map(({ shortName }) => shortName);
  let lastTick = Date.now();
  let renewedAt = performance.now();
  let isStopped = false;
  const forgetWatches = forgetEarlier(deps);

  async function tick(): Promise<void> {
    const now = Date.now();
    const hasSlept = now - lastTick > SLEPT_MS;
    lastTick = now;
    await forgetWatches();
    await keepLeases();
    // PostgreSQL takes no empty list. The operator may have switched off all sources that can be watched.
    if (shortNames.length === 0) return;
    // As long as nobody has wanted the first sync of a connection, it is not watched.
    const rows = (await store.watchable(db, kind, shortNames)).filter(
      ({ id, total_runs }) => total_runs > 0 || kept.has(id),
    );
    const wanted = new Map(rows.map((row) => [row.id, row]));
    for (const [id, { config }] of kept) {
      const row = wanted.get(id);
      if (!row || !isDeepStrictEqual(row.config, config)) await end(id, row !== undefined);
    }
    for (const row of rows) {
      const isKnown = kept.has(row.id);
      const watch = isKnown || row.is_taken ? kept.get(row.id)?.watch : await opened(row);
      if (hasSlept || !isKnown) watch?.missed();
    }
    for (const { watch } of kept.values()) watch.tick();
  }

  /** Another worker has the lease of a watch that this process could not renew in time. */
  async function keepLeases(): Promise<void> {
    if (kind === 'sqlite' || performance.now() - renewedAt < RENEWAL_MS) return;
    renewedAt = performance.now();
    const held = await store.renewWatches(db, kind, worker);
    for (const id of kept.keys()) if (!held.has(id)) await end(id, false);
  }

  async function end(id: string, hasLease: boolean): Promise<void> {
    const watch = kept.get(id)?.watch;
    kept.delete(id);
    await watch?.close();
    // A sync may have opened the next watch meanwhile, which has the same lease.
    if (kept.has(id) || opening.has(id)) return;
    if (hasLease) await store.endWatches(db, worker, id);
  }

  /** Returns undefined when this process does not watch the connection. */
  function opened(row: ConnectionToWatch): Promise<KeptWatch | undefined> {
    const known = opening.get(row.id);
    if (known !== undefined) return known;
    const now = open(row).finally(() => opening.delete(row.id));
    opening.set(row.id, now);
    return now;
  }

  async function open(row: ConnectionToWatch): Promise<KeptWatch | undefined> {
    const source = sources.get(row.short_name);
    const settings = source?.config.safeParse(row.config);
    if (!source?.watch || !settings?.success || isStopped) return undefined;
    const { data: config } = settings;
    if (!source.watch.isWanted(config)) return undefined;
    await forgetWatches();
    const lease = await db.transaction().execute(async (tx) => {
      if (!(await connections.lock(tx, row.id))) return undefined;
      return store.takeWatch(tx, kind, { connectionId: row.id, worker });
    });
    if (!lease || isStopped) return undefined;
    const { allowPath, ownFiles } = deps.environment;
    const about = { config, allowPath, ownFiles, budget, device: lease.device };
    const { watch: watching } = source;
    const watch = keepWatch({
      open: (changed) => watching.open({ ...about, changed }),
      requestLook: () => requestLook(row.id),
      note: (report) => store.noteWatch(db, { connectionId: row.id, worker }, report),
      retryMs: deps.retryMs ?? RETRY_MS,
      log: deps.log.child({ connectionId: row.id }),
    });
    kept.set(row.id, { config: row.config, watch });
    return watch;
  }

  async function requestLook(id: string): Promise<LookOutcome> {
    const outcome = await db.transaction().execute(async (tx): Promise<LookOutcome> => {
      if (!(await connections.lock(tx, id))) return 'refused';
      const row = await connections.findSignedIn(tx, id);
      if (!row || !sources.has(row.short_name) || needsSignIn(row) || row.refused_at !== null)
        return 'refused';
      if (await syncs.isBusy(tx, id)) return 'busy';
      await syncs.start(tx, row, { trigger: 'watch', email: null });
      return 'started';
    });
    if (outcome === 'started') syncs.wake();
    return outcome;
  }

  return {
    tick,

    async beforePull(connection) {
      if (!shortNames.includes(connection.short_name)) return noChanges;
      try {
        const watch = kept.get(connection.id)?.watch ?? (await opened(connection));
        return (await watch?.beforePull()) ?? noChanges;
      } catch (error) {
        deps.log.error({ err: error, connectionId: connection.id }, 'a folder cannot be watched');
        kept.get(connection.id)?.watch.missed();
        return noChanges;
      }
    },

    afterPull: (connectionId, isCompleted) => kept.get(connectionId)?.watch.afterPull(isCompleted),

    async stop() {
      isStopped = true;
      // The callers that wanted to open these watches get the errors.
      await Promise.allSettled(opening.values());
      await Promise.all([...kept.values()].map(({ watch }) => watch.close()));
      try {
        await store.endWatches(db, worker);
      } catch (error) {
        // The leases run out, and on SQLite the next process ends the watches.
        deps.log.warn({ err: error }, 'the watches of folders could not be ended in the database');
      }
    },
  };
}
