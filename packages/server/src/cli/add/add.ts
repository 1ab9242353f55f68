/** `quarry add` connects what a person names, and makes the collection where there is none. */
import type { Collection } from '../../collections/schema.ts';
import type { Config } from '../../config.ts';
import { connect } from '../connect/connect.ts';
import { longEnough } from '../connect/connection-name.ts';
import type { ConnectFlags } from '../connect/given.ts';
import { SAMPLE } from '../sample.ts';
import { itemsOf, runningService } from '../service-client.ts';
import { recognize } from './what.ts';

/** The first thing that a person adds makes this collection, and what follows joins it, so that one search finds all. */
const FIRST_COLLECTION = { newCollection: 'Everything', newCollectionId: 'everything' };

/** Returns the exit code of `connect`. Throws an Error with a message for users. */
export async function add(config: Config, text: string, flags: ConnectFlags): Promise<number> {
  const { shortName, name, given } = recognize(text);
  const code = await connect(config, shortName, {
    ...flags,
    ...(await collectionFor(config, flags)),
    ...(name !== undefined && flags.name === undefined && { name: longEnough(name, 'records') }),
    ...(given && { given }),
  });
  if (code === 0) process.stderr.write('Search it: quarry search <words>\n');
  return code;
}

/** A terminal asks, and elsewhere `connect` says what is missing, when there are several collections. */
async function collectionFor(
  config: Config,
  { collection, newCollection }: ConnectFlags,
): Promise<Pick<ConnectFlags, 'collection' | 'newCollection' | 'newCollectionId'>> {
  if (collection !== undefined || newCollection !== undefined) return {};
  const own: string[] = [];
  for await (const { readable_id } of itemsOf<Collection>(
    runningService(config),
    '/v1/collections',
  ))
    if (readable_id !== SAMPLE) own.push(readable_id);
  const [only] = own;
  if (only === undefined) return FIRST_COLLECTION;
  return own.length === 1 ? { collection: only } : {};
}
