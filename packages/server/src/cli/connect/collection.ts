/** Chooses the collection for the records: an existing one, or a new one. */
import { ServiceRefused } from '../service-client.ts';
import type { Connecting } from './connecting.ts';
import { pick } from './pick.ts';
import type { Terminal } from './terminal.ts';

const NEW = { value: '+', title: 'a new collection' };
const SHOWN = 20;

interface NamedCollection {
  readonly readable_id: string;
  readonly name: string;
}

/** Returns the readable_id. Throws ServiceRefused for a collection that does not exist. */
export async function chooseCollection(connecting: Connecting): Promise<string> {
  const { service, terminal, flags } = connecting;
  if (flags.newCollection !== undefined) return make(connecting, flags.newCollection);
  if (flags.collection !== undefined) {
    const path = `/v1/collections/${encodeURIComponent(flags.collection)}`;
    return (await service.call<NamedCollection>('GET', path)).readable_id;
  }
  if (!terminal) throw new Error('give --collection or --new-collection');
  const find = async (search: string) => {
    const query = new URLSearchParams({ limit: String(SHOWN), ...(search && { search }) });
    const found = await service.call<NamedCollection[]>('GET', `/v1/collections?${query}`);
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

async function askNew(connecting: Connecting, terminal: Terminal): Promise<string> {
  for (;;) {
    const name = await terminal.ask('Name of the new collection', connecting.source.name);
    try {
      return await make(connecting, name);
    } catch (error) {
      if (!(error instanceof ServiceRefused && error.status === 422)) throw error;
      terminal.say(error.message);
    }
  }
}

async function make({ service, made, stop }: Connecting, name: string): Promise<string> {
  stop.throwIfAborted();
  const body = { name };
  const { readable_id } = await service.call<NamedCollection>('POST', '/v1/collections', body);
  made.collection(readable_id);
  return readable_id;
}
