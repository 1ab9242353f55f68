/** Fills the service before a load, and looks afterwards at what is stored. */
import { readFileSync, writeFileSync } from 'node:fs';
import { tellProgress } from '../../scripts/help.ts';
import { percentile, type Service } from '../service.ts';
import { COLLECTION } from './kinds.ts';

const CONNECTIONS = 8;
const PAGE = 1000;

export const row = (name: string, value: string): void =>
  console.log(`  ${name.padEnd(46)} ${value}`);

export function timesOf(
  times: readonly number[],
  shares: readonly number[] = [0.5, 0.95, 0.99],
): string {
  return shares.map((share) => percentile(times, share).toFixed(0)).join(' / ');
}

/** Fills the collection, and makes connections that take pushes. Returns ids of records, and of the connections. */
export async function prepare(
  { call, settled }: Service,
  files: string,
): Promise<{ records: string[]; connections: string[] }> {
  await call('POST', '/v1/collections', { name: 'Bench', readable_id: COLLECTION });
  const { id } = await call('POST', '/v1/source-connections', {
    name: 'Bench folder',
    short_name: 'files',
    readable_collection_id: COLLECTION,
    config: { path: files },
    schedule: { cron: null },
  });
  tellProgress('filling the collection');
  await settled(id);
  const { items } = await call('GET', `/v1/collections/${COLLECTION}/contents/list?limit=200`);
  const records = items.map(({ id }: { id: string }) => id);
  const connections: string[] = [];
  for (let i = 0; i < CONNECTIONS; i++) {
    const made = await call('POST', '/v1/source-connections', {
      name: `Pushes ${i}`,
      short_name: 'push',
      readable_collection_id: COLLECTION,
    });
    connections.push(made.id);
  }
  return { records, connections };
}

export async function makeKeys({ call }: Service, count: number): Promise<string[]> {
  const keys: string[] = [];
  for (let i = 0; i < count; i++)
    keys.push((await call('POST', '/v1/api-keys', { name: `load ${i}`, role: 'member' })).key);
  return keys;
}

/** Waits until the pushes have ended, and returns the ids of the entities of their connections. */
export async function storedEntities(
  { call, settled }: Service,
  connections: readonly string[],
): Promise<Set<string>> {
  const ids = new Set<string>();
  for (const connection of connections) {
    const [pushed] = await call('GET', `/v1/source-connections/${connection}/jobs?limit=1`);
    if (!pushed) continue;
    await settled(connection);
    for (let skip = 0, length = PAGE; length === PAGE; skip += length) {
      const page = await call(
        'GET',
        `/v1/entities?source_connection_id=${connection}&skip=${skip}&limit=${PAGE}`,
      );
      length = page.length;
      for (const { entity_id } of page) ids.add(entity_id);
    }
  }
  return ids;
}

/** The peak of the resident memory begins again from here. See proc(5), clear_refs. */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

export function peakMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
