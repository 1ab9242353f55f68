/**
 * This process plays a pull on its main thread, and searches on another thread. Both send counted requests to the peer,
 * until each has sent its number. The environment has all settings.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, Worker } from 'node:worker_threads';
import { connect, databaseKind } from '../../../db/connect.ts';
import { SourceRateLimitExceededException } from '../../../errors.ts';
import { createRateLimiter } from '../../../rate-limits/limiter.ts';
import { cloudNotes } from '../../rate-limits/cloud.ts';

const { DATABASE = '', ORGANIZATION = '', CONNECTION = '', PEER = '' } = process.env;
const { PULL_REQUESTS, SEARCH_REQUESTS } = process.env;
const searchesEnd = isMainThread ? once(new Worker(new URL(import.meta.url)), 'exit') : null;
const db = connect(DATABASE);
const limiter = createRateLimiter({
  db,
  kind: databaseKind(DATABASE),
  url: DATABASE,
  sources: new Map([['cloud', cloudNotes()]]),
  lockWaitMs: 60_000,
});
const send = limiter.limit(
  async (url) => {
    const { status, headers } = await fetch(url);
    return { status, headers, body: null };
  },
  {
    organizationId: ORGANIZATION,
    shortName: 'cloud',
    connectionId: CONNECTION,
    // A pull waits for its turn, and a search does not.
    patienceMs: isMainThread ? 600_000 : 0,
  },
);
const { signal } = new AbortController();
const request = { method: 'GET', headers: {}, body: null, signal } as const;
let left = Number(isMainThread ? PULL_REQUESTS : SEARCH_REQUESTS);
while (left > 0) {
  try {
    await send(new URL(PEER), request);
    left--;
  } catch (error) {
    if (!(error instanceof SourceRateLimitExceededException)) throw error;
    await sleep(50);
  }
}
await searchesEnd;
await limiter.close();
await db.destroy();
