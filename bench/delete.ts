/**
 * `npm run bench:delete [-- 300000]` measures the DELETE of a connection with that many entities from a collection
 * that has another connection, and how long other requests take in the second before and after it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerHelp, tellProgress } from '../scripts/help.ts';
import { startService } from './service.ts';

const PUSHED = 1000;
const WATCHED_MS = 1000;
/** One line of progress is written for this many entities. */
const ENTITIES_PER_LINE = 20_000;
answerHelp(import.meta.filename);
const total = Number(process.argv[2] ?? 300_000);
const dir = mkdtempSync(join(tmpdir(), 'quarry-bench-'));
const service = await startService(dir);
await service.call('POST', '/v1/collections', { name: 'Bench', readable_id: 'bench' });
await push('Kept', PUSHED);
const id = await push('Deleted', total);

/** This is the slowest possible search, because every chunk contains its words. */
const search = () =>
  service.call('POST', '/v1/collections/bench/search', {
    query: 'text of entity 7',
    generate_answer: false,
  });
// The first search of a collection reads its vectors into memory.
for (let i = 0; i < 4; i++) console.log(`a search by itself: ${await timed(search)} ms`);

interface Request {
  readonly name: string;
  readonly began: number;
  readonly ended: number;
}
const requests: Request[] = [];
let watching = true;
const watchers = [
  watch('list', () => service.call('GET', '/v1/entities?limit=10')),
  watch('search', search),
  watch('create', (i) => service.call('POST', '/v1/collections', { name: `Collection ${i}` })),
];
await sleep(WATCHED_MS);
const deleting = performance.now();
console.log(
  `DELETE answered after ${await timed(() => service.call('DELETE', `/v1/source-connections/${id}`))} ms`,
);
const deleted = performance.now();
await sleep(WATCHED_MS);
watching = false;
await Promise.all(watchers);
report('ended before it', ({ ended }) => ended < deleting);
report('under way', ({ began, ended }) => began < deleted && ended >= deleting);
report('begun in the second after it', ({ began }) => began >= deleted);
await service.stop();
rmSync(dir, { recursive: true });

async function push(name: string, count: number): Promise<string> {
  const { id } = await service.call('POST', '/v1/source-connections', {
    name,
    short_name: 'push',
    readable_collection_id: 'bench',
  });
  for (let at = 0; at < count; at += PUSHED) {
    const entities = Array.from({ length: PUSHED }, (_, i) => ({
      entity_id: `e${at + i}`,
      name: `entity ${at + i}`,
      text: `The text of entity ${at + i}.`,
    }));
    await service.call('POST', `/v1/source-connections/${id}/entities`, { entities });
    await service.settled(id);
    if ((at + PUSHED) % ENTITIES_PER_LINE === 0)
      tellProgress(`${name}: ${at + PUSHED} of ${count} entities pushed`);
  }
  return id;
}

async function watch(name: string, once: (i: number) => Promise<unknown>): Promise<void> {
  for (let i = 0; watching; i++) {
    const began = performance.now();
    await once(i);
    requests.push({ name, began, ended: performance.now() });
    await sleep(5);
  }
}

async function timed(act: () => Promise<unknown>): Promise<string> {
  const before = performance.now();
  await act();
  return (performance.now() - before).toFixed(0);
}

function report(when: string, isOf: (request: Request) => boolean): void {
  for (const [name, some] of Map.groupBy(requests.filter(isOf), (request) => request.name)) {
    const longest = Math.max(...some.map(({ began, ended }) => ended - began));
    console.log(`${name}, ${when}: ${some.length}, longest ${longest.toFixed(0)} ms`);
  }
}
