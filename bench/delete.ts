/**
 * `npm run bench:delete [-- 300000]`: DELETE of a connection with that many entities, and how long other
 * requests take in the second around it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startService } from './service.ts';

const PUSHED = 1000;
const timed = async (act: () => Promise<unknown>) => {
  const before = performance.now();
  await act();
  return performance.now() - before;
};
const total = Number(process.argv[2] ?? 300_000);
const dir = mkdtempSync(join(tmpdir(), 'quarry-bench-'));
const service = await startService(dir);
await service.call('POST', '/v1/collections', { name: 'Bench', readable_id: 'bench' });
const { id } = await service.call('POST', '/v1/source-connections', {
  name: 'Pushed',
  short_name: 'push',
  readable_collection_id: 'bench',
});
for (let at = 0; at < total; at += PUSHED) {
  const entities = Array.from({ length: PUSHED }, (_, i) => ({
    entity_id: `e${at + i}`,
    name: `entity ${at + i}`,
    text: `The text of entity ${at + i}.`,
  }));
  await service.call('POST', `/v1/source-connections/${id}/entities`, { entities });
  await service.settled(id);
}
const { entities } = await service.call('GET', `/v1/source-connections/${id}`);
console.log(`${entities.total_entities} entities`);

let watching = true;
const others: Record<string, number[]> = { list: [], search: [], create: [] };
const watch = async (name: string, once: (i: number) => Promise<unknown>) => {
  for (let i = 0; watching; i++) {
    const before = performance.now();
    await once(i);
    others[name]?.push(performance.now() - before);
    await sleep(5);
  }
};
const search = { query: 'text of entity 7', generate_answer: false };
const startWatching = () => [
  watch('list', () => service.call('GET', '/v1/entities?limit=10')),
  watch('search', () => service.call('POST', '/v1/collections/bench/search', search)),
  watch('create', (i) => service.call('POST', '/v1/collections', { name: `Collection ${i}` })),
];
// The first search of a collection reads its vectors into memory.
for (let i = 0; i < 3; i++)
  console.log(
    `a search of all of it: ${(await timed(() => service.call('POST', '/v1/collections/bench/search', search))).toFixed(0)} ms`,
  );
const watchers = startWatching();
await sleep(300);
const before = performance.now();
await service.call('DELETE', `/v1/source-connections/${id}`);
console.log(`DELETE answered after ${(performance.now() - before).toFixed(0)} ms`);
for (const times of Object.values(others)) times.length = 0;
await sleep(1000);
watching = false;
await Promise.all(watchers);
for (const [name, times] of Object.entries(others))
  console.log(
    `${name}: ${times.length} requests in the second after it, longest ${Math.max(...times).toFixed(0)} ms`,
  );
await service.stop();
rmSync(dir, { recursive: true });
