/** Chooses the collection for the records: an existing one, or a new one. */
import { ServiceRefused } from '../service-client.ts';
import type { Connecting } from './connecting.ts';
import { pick } from './pick.ts';
import type { Terminal } from './terminal.ts';

const NEW = { value: '+', title: 'a new collection' };
const SHOWN = 20;

interface ChoosableCollection {
  readonly readable_id: string;
  readonly name: string;
}

/**
 * Returns the readable_id of --collection, and undefined without that flag. Throws an Error with a sentence for a
 * collection that does not exist, before a person has answered anything.
 */
export async function collectionOfFlags(connecting: Connecting): Promise<string | undefined> {
  const { collection } = connecting.flags;
  if (collection === undefined) return undefined;
  try {
    const path = `/v1/collections/${encodeURIComponent(collection)}`;
    return (await connecting.service.call<ChoosableCollection>('GET', path)).readable_id;
  } catch (error) {
    if (!(error instanceof ServiceRefused && error.status === 404)) throw error;
    throw new Error(
      `the collection '${collection}' does not exist: give another one, or --new-collection <name> to make one`,
      { cause: error },
    );
  }
}

/** Returns the readable_id of a new collection, or of one that a person chooses. */
export async function chooseCollection(connecting: Connecting): Promise<string> {
  const { service, terminal, flags } = connecting;
  if (flags.newCollection !== undefined)
    return terminal
      ? makeOrAsk(connecting, terminal, flags.newCollection)
      : make(connecting, flags.newCollection);
  if (!terminal) throw new Error('give --collection or --new-collection');
  const find = async (search: string) => {
    const query = new URLSearchParams({ limit: String(SHOWN), ...(search && { search }) });
    const found = await service.call<ChoosableCollection[]>('GET', `/v1/collections?${query}`);
    return found.map(({ readable_id, name }) => ({ value: readable_id, title: name }));
  };
  terminal.say('', 'Collection', 'The records go into a collection, which is searched as one.');
  if ((await find('')).length === 0) return askNew(connecting, terminal);
  const [chosen] = await pick(terminal, {
    find: async (query) => [...(await find(query)), NEW],
    takesSeveral: false,
    isRequired: true,
  });
  return chosen === undefined || chosen === NEW.value ? askNew(connecting, terminal) : chosen;
}

const askNew = async (connecting: Connecting, terminal: Terminal) =>
  makeOrAsk(connecting, terminal, await askName(connecting, terminal));

const askName = ({ source }: Connecting, terminal: Terminal) =>
  terminal.ask('Name of the new collection', source.name);

/** Makes the collection. A person gives another name when the service refuses this one. */
async function makeOrAsk(
  connecting: Connecting,
  terminal: Terminal,
  first: string,
): Promise<string> {
  for (let name = first; ; name = await askName(connecting, terminal)) {
    try {
      return await make(connecting, name);
    } catch (error) {
      if (!(error instanceof ServiceRefused && error.status === 422)) throw error;
      terminal.say(error.message);
    }
  }
}

async function make({ service, made, stop, flags }: Connecting, name: string): Promise<string> {
  stop.throwIfAborted();
  const { newCollectionId: readable_id } = flags;
  const body = { name, ...(readable_id !== undefined && { readable_id }) };
  const collection = await service.call<ChoosableCollection>('POST', '/v1/collections', body);
  made.collection(collection.readable_id);
  return collection.readable_id;
}
