/**
 * Counts searches by organization. A search does not wait for a write: the counts are kept in memory and added to those
 * of the day every ten seconds, and when the process ends. A process that is killed loses those of its last ten seconds.
 */
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { DatabaseKind } from '../db/connect.ts';
import type { Schema } from '../db/schema.ts';
import { addSearches, type SearchCounts } from './store.ts';

const EVERY_MS = 10_000;
const NONE: SearchCounts = { searches: 0, agenticSearches: 0 };

export interface UsageCounter {
  count(organizationId: string, kind: keyof SearchCounts): void;
  /** Writes what is counted. */
  close(): Promise<void>;
}

export function createUsageCounter(
  {
    db,
    kind,
    log,
  }: { readonly db: Kysely<Schema>; readonly kind: DatabaseKind; readonly log: Logger },
  everyMs = EVERY_MS,
): UsageCounter {
  let counted = new Map<string, SearchCounts>();
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  function add(organizationId: string, more: SearchCounts): void {
    const { searches, agenticSearches } = counted.get(organizationId) ?? NONE;
    counted.set(organizationId, {
      searches: searches + more.searches,
      agenticSearches: agenticSearches + more.agenticSearches,
    });
    timer ??= setTimeout(() => {
      timer = undefined;
      writing = writing.then(write);
    }, everyMs).unref();
  }

  async function write(): Promise<void> {
    const taken = counted;
    counted = new Map();
    if (taken.size === 0) return;
    try {
      await addSearches(db, kind, taken);
    } catch (error) {
      log.warn({ err: error }, 'the numbers of searches were not written; they are tried again');
      for (const [id, one] of taken) add(id, one);
    }
  }

  return {
    count: (organizationId, what) => add(organizationId, { ...NONE, [what]: 1 }),
    async close() {
      clearTimeout(timer);
      await writing;
      await write();
      clearTimeout(timer);
    },
  };
}
