/** The steps that benches of the whole service share: a folder is synced, and questions are asked one after another. */
import { pair } from './latency.ts';
import { percentile, type Service } from './service.ts';

/** The first questions are not measured, because they are slow. */
const WARM_UP = 20;

/** Connects the folder and starts its first sync. Returns the id of the connection. */
export async function connectFolder(
  service: Service,
  collection: string,
  path: string,
): Promise<string> {
  const { id } = await service.call('POST', '/v1/source-connections', {
    name: 'Bench folder',
    short_name: 'files',
    readable_collection_id: collection,
    config: { path },
    schedule: { cron: null },
  });
  return id;
}

/** Returns the times in milliseconds, without the first ones. */
export async function each(queries: readonly string[], ask: (query: string) => Promise<number>) {
  const took: number[] = [];
  for (const query of queries) took.push(await ask(query));
  return took.slice(WARM_UP);
}

export function summary(took: readonly number[]): string {
  return pair(percentile(took, 0.5), percentile(took, 0.95));
}
