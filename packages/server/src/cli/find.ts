/** Finds the connection or the collection that a person names. */
import { resolve } from 'node:path';
import type { Collection } from '../collections/schema.ts';
import type { SourceConnection } from '../connections/schema.ts';
import { didYouMean } from './did-you-mean.ts';
import { connectionPath } from './follow-sync.ts';
import { allOf, type ServiceClient, ServiceRefused } from './service-client.ts';

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * The text is an id, a name, or the folder of a connection; if it is none of these, a part of exactly one name. Throws an
 * Error with a message for users when there is none, or when there are several.
 */
export async function findConnection(
  service: ServiceClient,
  text: string,
): Promise<SourceConnection> {
  if (UUID.test(text)) return service.call<SourceConnection>('GET', connectionPath(text));
  const all = await allOf<SourceConnection>(service, '/v1/source-connections');
  const wanted = text.toLowerCase();
  const folder = resolve(text);
  const tests: ((connection: SourceConnection) => boolean)[] = [
    ({ name }) => name === text,
    ({ config }) => config.path === folder,
    ({ name }) => name.toLowerCase() === wanted,
    ({ name, short_name }) => name.toLowerCase().includes(wanted) || short_name === wanted,
  ];
  for (const test of tests) {
    const found = all.filter(test);
    const [only] = found;
    if (only && found.length === 1) return only;
    if (only)
      throw new Error(
        `${found.length} connections fit '${text}': give the id of one of them:\n${found
          .slice(0, SHOWN)
          .map(
            ({ id, name, readable_collection_id }) =>
              `  ${id}  ${name} (${readable_collection_id})`,
          )
          .join('\n')}`,
      );
  }
  const names = all.map(({ name }) => name);
  throw new Error(
    `no connection is called '${text}'${didYouMean(text, names) || `: 'quarry list' shows all ${names.length}`}`,
  );
}

const SHOWN = 10;

/** Throws an Error with a message for users when the collection does not exist. */
export async function findCollection(
  service: ServiceClient,
  readableId: string,
): Promise<Collection> {
  try {
    return await service.call<Collection>('GET', collectionPath(readableId));
  } catch (error) {
    if (!(error instanceof ServiceRefused && error.status === 404)) throw error;
    const all = await allOf<Collection>(service, '/v1/collections');
    const names = all.map(({ readable_id }) => readable_id);
    throw new Error(
      `the collection '${readableId}' does not exist${didYouMean(readableId, names) || ": 'quarry list' shows all"}`,
      { cause: error },
    );
  }
}

export const collectionPath = (readableId: string): string =>
  `/v1/collections/${encodeURIComponent(readableId)}`;
