/** `quarry list` shows collections with their connections, or the sources that can be connected. */
import { styleText } from 'node:util';
import { counted } from '#quarry-text/numbers';
import type { Collection } from '../collections/schema.ts';
import type { Config } from '../config.ts';
import type { SourceConnection } from '../connections/schema.ts';
import type { SourceType } from '../sources/schema.ts';
import { findCollection } from './find.ts';
import { plain } from './live-line.ts';
import { allOf, runningService, type ServiceClient } from './service-client.ts';

export interface ListFlags {
  readonly json?: boolean;
}

/** `what` is 'sources', a readable_id of a collection, or undefined for all collections. */
export async function list(
  config: Config,
  what: string | undefined,
  { json = false }: ListFlags,
): Promise<void> {
  const service = runningService(config);
  if (what === 'sources') {
    const sources = await service.call<SourceType[]>('GET', '/v1/sources');
    print(sources, json ? null : sourcesText(sources));
    return;
  }
  const collections = await collectionsOf(service, what);
  print(collections, json ? null : collectionsText(collections));
}

/** Without a text, the data is printed as JSON. */
function print(data: unknown, text: string | null): void {
  process.stdout.write(text ?? `${JSON.stringify(data, null, 2)}\n`);
}

interface ListedCollection extends Collection {
  readonly connections: readonly SourceConnection[];
}

async function collectionsOf(
  service: ServiceClient,
  readableId: string | undefined,
): Promise<ListedCollection[]> {
  const [collections, connections] = await Promise.all([
    readableId === undefined
      ? allOf<Collection>(service, '/v1/collections')
      : [await findCollection(service, readableId)],
    allOf<SourceConnection>(service, '/v1/source-connections'),
  ]);
  const byCollection = Map.groupBy(connections, (one) => one.readable_collection_id);
  return collections.map((collection) => ({
    ...collection,
    connections: byCollection.get(collection.readable_id) ?? [],
  }));
}

function collectionsText(collections: readonly ListedCollection[]): string {
  if (collections.length === 0) return 'Nothing is here yet: quarry add ~/notes\n';
  const names = collections.flatMap(({ connections }) => connections.map(({ name }) => name));
  const width = Math.max(0, ...names.map((name) => plain(name).length));
  return collections
    .flatMap(({ readable_id, name, connections }) => [
      `${styleText('bold', plain(readable_id))}  ${plain(name)}`,
      ...(connections.length === 0 ? ['  nothing is connected'] : []),
      ...connections.map(
        (one) =>
          `  ${plain(one.name).padEnd(width)}  ${plain(one.short_name)}  ${counted(one.entities.total_entities, 'record')}  ${styleText('dim', one.id)}`,
      ),
    ])
    .map((line) => `${line}\n`)
    .join('');
}

function sourcesText(sources: readonly SourceType[]): string {
  const width = Math.max(0, ...sources.map(({ short_name }) => short_name.length));
  return sources
    .toSorted((a, b) => a.short_name.localeCompare(b.short_name))
    .map(
      (one) => `${one.short_name.padEnd(width)}  ${plain(one.name)}: ${plain(one.description)}\n`,
    )
    .join('');
}
