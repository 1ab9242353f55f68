/** `quarry add` connects what a person names, and makes the collection where there is none. */
import { readdirSync } from 'node:fs';
import type { Collection } from '../../collections/schema.ts';
import type { Config } from '../../config.ts';
import type { SourceConnection } from '../../connections/schema.ts';
import type { SourceType } from '../../sources/schema.ts';
import { connect } from '../connect/connect.ts';
import { longEnough } from '../connect/connection-name.ts';
import type { ConnectFlags } from '../connect/given.ts';
import { didYouMean } from '../did-you-mean.ts';
import { readsFolder } from '../find.ts';
import { plain } from '../live-line.ts';
import { SAMPLE } from '../sample.ts';
import { allOf, itemsOf, runningService } from '../service-client.ts';
import { type Recognized, recognize } from './what.ts';

/** The first thing that a person adds makes this collection, and what follows joins it, so that one search finds all. */
const FIRST_COLLECTION = { newCollection: 'Everything', newCollectionId: 'everything' };

/** Returns the exit code of `connect`. Throws an Error with a message for users. */
export async function add(config: Config, text: string, flags: ConnectFlags): Promise<number> {
  const what = recognize(text);
  const { shortName, name, given } = what;
  const known = await connectionOf(config, what, flags);
  if (known) {
    const place = `'${known.name}' in the collection ${known.readable_collection_id} reads this folder already`;
    const { name: newName, description, cron, set } = flags;
    if ([newName, description, cron].some((one) => one !== undefined) || set.length > 0)
      throw new Error(
        `${place}, and was not changed: change it in the dashboard ('quarry open'), or give --new-collection <name>`,
      );
    tell(
      `${place}; 'quarry status' says how fresh it is.`,
      `To read it now: quarry sync ${known.id}. A second copy needs another collection: --new-collection <name>.`,
    );
    return 0;
  }
  if (!given) await requireSource(config, text, shortName);
  const code = await connect(config, shortName, {
    ...flags,
    ...(await collectionFor(config, flags)),
    ...(name !== undefined && flags.name === undefined && { name: longEnough(name, 'records') }),
    ...(given && { given }),
  });
  if (code === 0) tell('Search it: quarry search <words>');
  return code;
}

const tell = (...lines: readonly string[]) =>
  process.stderr.write(lines.map((line) => `${plain(line)}\n`).join(''));

/** Returns the connection that reads this folder already. Records that are stored twice are found twice. */
async function connectionOf(
  config: Config,
  { shortName, given }: Recognized,
  { collection, newCollection }: ConnectFlags,
): Promise<SourceConnection | undefined> {
  const path = shortName === 'files' ? given?.config?.path : undefined;
  if (typeof path !== 'string' || newCollection !== undefined) return undefined;
  for await (const connection of itemsOf<SourceConnection>(
    runningService(config),
    '/v1/source-connections',
  ))
    if (
      connection.short_name === 'files' &&
      readsFolder(connection, path) &&
      (collection === undefined || connection.readable_collection_id === collection)
    )
      return connection;
  return undefined;
}

/** Throws an Error with a message for users when the text is neither a folder nor a source. */
async function requireSource(config: Config, text: string, shortName: string): Promise<void> {
  const sources = await allOf<SourceType>(runningService(config), '/v1/sources');
  const names = sources.map(({ short_name }) => short_name);
  if (names.includes(shortName)) return;
  const folders = readdirSync('.', { withFileTypes: true }).filter((one) => one.isDirectory());
  const near = didYouMean(text, [...folders.map((folder) => folder.name), ...names]);
  throw new Error(
    `there is no folder '${text}' here, and no source is called so${near || ": 'quarry list sources' names all"}`,
  );
}

/** A terminal asks, and elsewhere `connect` says what is missing, when there are several collections. */
async function collectionFor(
  config: Config,
  { collection, newCollection }: ConnectFlags,
): Promise<Pick<ConnectFlags, 'collection' | 'newCollection' | 'newCollectionId'>> {
  if (collection !== undefined || newCollection !== undefined) return {};
  const own: Collection[] = [];
  for await (const one of itemsOf<Collection>(runningService(config), '/v1/collections'))
    if (one.readable_id !== SAMPLE) own.push(one);
  const [only] = own;
  if (only === undefined) return FIRST_COLLECTION;
  if (own.length > 1) return {};
  tell(
    `Into '${only.name}' (${only.readable_id}), your only collection; --new-collection <name> makes another one.`,
  );
  return { collection: only.readable_id };
}
