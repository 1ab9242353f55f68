/** Finds the original of a result: its address, or the path of a file in a folder of this machine. */
import { join } from 'node:path';
import type { SourceConnection } from '../../connections/schema.ts';
import { connectionPath } from '../follow-sync.ts';
import type { ServiceClient } from '../service-client.ts';
import type { ListedResult } from './search.ts';

/** Returns the address or the path of a result, or undefined when it has neither. */
export type OriginalOf = (result: ListedResult) => string | undefined;

/** Asks the service once for each folder that has results. */
export async function findOriginals(
  service: ServiceClient,
  results: readonly ListedResult[],
): Promise<OriginalOf> {
  const files = results.filter(isFile);
  const ids = [...new Set(files.map(({ metadata }) => metadata.source_connection_id))];
  const connections = await Promise.all(
    ids.map((id) => service.call<SourceConnection>('GET', connectionPath(id))),
  );
  const folders = new Map(connections.map(({ id, config }) => [id, String(config.path)]));
  return (result) => {
    const folder = folders.get(result.metadata.source_connection_id);
    if (folder !== undefined) return join(folder, String(result.metadata.path));
    return addressOfResult(result);
  };
}

export const addressOfResult: OriginalOf = ({ url }) => (url === '' ? undefined : url);

const isFile = ({ source_name, url, metadata }: ListedResult) =>
  source_name === 'files' && url === '' && typeof metadata.path === 'string';
