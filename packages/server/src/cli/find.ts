/** Finds the connection or the collection that a person names. */
import { resolve } from 'node:path';
import { counted } from '#quarry-text/numbers';
import type { Collection } from '../collections/schema.ts';
import type { SourceConnection } from '../connections/schema.ts';
import { didYouMean } from './did-you-mean.ts';
import { connectionPath } from './follow-sync.ts';
import { allOf, type ServiceClient, ServiceRefused } from './service-client.ts';

/** No connection has the name that a person gave. */
export class NothingCalledSo extends Error {
  override readonly name = 'NothingCalledSo';
}

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
    (connection) => readsFolder(connection, folder),
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
            ({ id, name, readable_collection_id, config: { path }, entities }) =>
              `  ${id}  ${name} (${[readable_collection_id, path, counted(entities.total_entities, 'record')].filter(Boolean).join(', ')})`,
          )
          .join('\n')}`,
      );
  }
  const names = all.map(({ name }) => name);
  throw new NothingCalledSo(
    `no connection is called '${text}'${didYouMean(text, names) || `: 'quarry list' shows all ${names.length}`}`,
  );
}

/** A person may have given the path with a slash at its end. */
export const readsFolder = ({ config: { path } }: SourceConnection, folder: string): boolean =>
  typeof path === 'string' && resolve(path) === folder;

const SHOWN = 10;

/**
 * The text is a readable_id, or the name of exactly one collection. Throws an Error with a message for users when the
 * collection does not exist.
 */
export async function findCollection(
  service: ServiceClient,
  readableId: string,
): Promise<Collection> {
  try {
    return await service.call<Collection>('GET', collectionPath(readableId));
  } catch (error) {
    if (!(error instanceof ServiceRefused && error.status === 404)) throw error;
    const all = await allOf<Collection>(service, '/v1/collections');
    const [named, second] = all.filter(({ name }) => name === readableId);
    if (named && !second) return named;
    const names = all.map(({ readable_id }) => readable_id);
    throw new Error(
      `the collection '${readableId}' does not exist${didYouMean(readableId, names) || ": 'quarry list' shows all"}`,
      { cause: error },
    );
  }
}

export const collectionPath = (readableId: string): string =>
  `/v1/collections/${encodeURIComponent(readableId)}`;
