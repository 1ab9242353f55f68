/** `quarry rm` deletes a connection with all that it has copied, or a whole collection, after a question. */

import { counted } from '#quarry-text/numbers';
import type { Collection } from '../collections/schema.ts';
import type { Config } from '../config.ts';
import { confirmed } from './confirm.ts';
import { collectionPath, findCollection, findConnection, NothingCalledSo } from './find.ts';
import { connectionPath } from './follow-sync.ts';
import { plain } from './live-line.ts';
import { allOf, runningService, type ServiceClient } from './service-client.ts';

export interface RemoveFlags {
  readonly collection?: boolean;
  readonly yes?: boolean;
}

/** Returns false when the person does not confirm. Throws an Error with a message for users when nobody can be asked. */
export async function remove(
  config: Config,
  name: string,
  { collection = false, yes = false }: RemoveFlags,
): Promise<boolean> {
  const service = runningService(config);
  // Without a question, a collection is deleted only when the command says that it is one.
  const find = collection ? collectionNamed : yes ? connectionNamed : anyNamed;
  const found = await find(service, name);
  const what = plain(found.what);
  if (
    !yes &&
    !(await confirmed(`Delete ${what}? The originals stay.`, {
      input: process.stdin,
      output: process.stderr,
    }))
  ) {
    process.stderr.write('nothing was deleted\n');
    return false;
  }
  await service.call('DELETE', found.path);
  process.stdout.write(`deleted ${what}\n`);
  return true;
}

interface ToRemove {
  readonly path: string;
  readonly what: string;
}

/** A person who is asked may mean a collection when no connection is called so. */
async function anyNamed(service: ServiceClient, text: string): Promise<ToRemove> {
  try {
    return await connectionNamed(service, text);
  } catch (error) {
    if (!(error instanceof NothingCalledSo)) throw error;
    const all = await allOf<Collection>(service, '/v1/collections');
    if (!all.some(({ readable_id, name }) => text === readable_id || text === name)) throw error;
    return collectionNamed(service, text);
  }
}

async function connectionNamed(service: ServiceClient, text: string): Promise<ToRemove> {
  const { id, name, short_name, readable_collection_id, entities } = await findConnection(
    service,
    text,
  );
  const records = counted(entities.total_entities, 'record');
  return {
    path: connectionPath(id),
    what: `the connection '${name}' (${short_name}) with its ${records} in ${readable_collection_id}`,
  };
}

async function collectionNamed(service: ServiceClient, text: string): Promise<ToRemove> {
  const { readable_id, name, source_connections, entities } = await findCollection(service, text);
  return {
    path: collectionPath(readable_id),
    what: `the collection ${readable_id} ('${name}') with ${counted(source_connections, 'connection')} and ${counted(entities.total_entities, 'record')}`,
  };
}
