/** `quarry search` prints what a search finds, with the words that matched. */

import { counted } from '#quarry-text/numbers';
import type { Collection } from '../../collections/schema.ts';
import { type Config, processEnvironment } from '../../config.ts';
import type { SearchAnswer } from '../../search/service.ts';
import { openAddress } from '../connect/open-link.ts';
import { collectionPath, findCollection } from '../find.ts';
import { plain } from '../live-line.ts';
import { SAMPLE } from '../sample.ts';
import { findService, type ServiceClient, ServiceRefused, serviceAt } from '../service-client.ts';
import { addressOfResult, findOriginals, type OriginalOf } from './originals.ts';
import { resultText, type ShownResults } from './result-text.ts';

export interface SearchFlags {
  readonly collection?: string;
  readonly limit: number;
  /** The number of a result, or true for the first one. */
  readonly open?: number | true;
  readonly json?: boolean;
}

/** A search covers at most this many collections. The schema that says so takes long to load. */
const MAX_COLLECTIONS = 50;

export type ListedResult = SearchAnswer['results'][number];

/** Only a search over several collections may leave some out. */
type SearchedAnswer = SearchAnswer & {
  readonly metadata: { readonly collections_left_out?: number | undefined };
};

/** Returns false when nothing is found. Throws an Error with a message for users. */
export async function search(
  config: Config,
  query: string,
  { collection, limit, open, json = false }: SearchFlags,
): Promise<boolean> {
  const { isOwn, ...found } = findService(config);
  const service = serviceAt(found.address, found.key, 'give --url');
  const answer = await find(service, { query, collection, limit });
  const { results } = answer;
  if (json) process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
  if (json && open === undefined) return results.length > 0;
  // The paths of another service are not those of this machine.
  const originalOf = isOwn ? await findOriginals(service, results) : addressOfResult;
  if (!json) process.stdout.write(textOf(answer, { query, originalOf, now: Date.now() }));
  if (open !== undefined && results.length > 0)
    await openResult({ results, number: open === true ? 1 : open, originalOf });
  return results.length > 0;
}

interface WantedResults {
  readonly query: string;
  readonly collection: string | undefined;
  readonly limit: number;
}

/** Searches one collection, or all that the key reaches. No answer is written, because the results are what counts. */
export async function find(
  service: ServiceClient,
  { query, collection, limit }: WantedResults,
): Promise<SearchedAnswer> {
  const where = collection === undefined ? '/v1' : collectionPath(collection);
  const collections = collection === undefined ? await withoutSample(service) : undefined;
  const body = { query, limit, generate_answer: false, ...(collections && { collections }) };
  try {
    return await service.call<SearchedAnswer>('POST', `${where}/search`, body);
  } catch (error) {
    const isUnknown = error instanceof ServiceRefused && error.status === 404;
    // Somebody may have deleted one of the collections meanwhile.
    if (isUnknown && collections)
      return service.call<SearchedAnswer>('POST', `${where}/search`, {
        ...body,
        collections: undefined,
      });
    if (!isUnknown || collection === undefined) throw error;
    // The message of a collection that does not exist names the nearest one.
    const { readable_id } = await findCollection(service, collection);
    if (readable_id === collection) throw error;
    return find(service, { query, limit, collection: readable_id });
  }
}

/**
 * Returns the collections without the sample, once they have records. Returns undefined where there is nothing to leave
 * out, and for so many collections that the service must choose.
 */
async function withoutSample(service: ServiceClient): Promise<string[] | undefined> {
  const all = await service.call<Collection[]>(
    'GET',
    `/v1/collections?limit=${MAX_COLLECTIONS + 1}`,
  );
  const own = all.filter(({ readable_id }) => readable_id !== SAMPLE);
  const hasOwn = own.some(({ entities }) => entities.total_entities > 0);
  return hasOwn && own.length < all.length && own.length <= MAX_COLLECTIONS
    ? own.map(({ readable_id }) => readable_id)
    : undefined;
}

function textOf({ results, metadata }: SearchedAnswer, shown: ShownResults): string {
  const failed = (metadata.federated ?? []).filter(({ status }) => status !== 'answered');
  const leftOut = metadata.collections_left_out ?? 0;
  const notes = [
    ...failed.map(
      ({ source_name, status, message }) => `${source_name} has not answered: ${message ?? status}`,
    ),
    ...(leftOut > 0
      ? [`${counted(leftOut, 'older collection')} not searched: name one with --collection`]
      : []),
  ].map((note) => `${plain(note)}\n`);
  if (results.length === 0) return `${notes.join('')}Nothing is found for '${shown.query}'.\n`;
  return [...notes, ...results.map((result, i) => resultText(result, i + 1, shown))].join('\n');
}

interface ResultToOpen {
  readonly results: readonly ListedResult[];
  readonly number: number;
  readonly originalOf: OriginalOf;
}

/** Throws an Error with a message for users when nothing can open the result. */
async function openResult({ results, number, originalOf }: ResultToOpen): Promise<void> {
  const result = results[number - 1];
  if (!result) throw new Error(`there is no result ${number}: the last one is ${results.length}`);
  const original = originalOf(result);
  // A source could name a program of this machine, so only paths in folders that are connected are opened as files.
  if (original === undefined || (result.url !== '' && !/^https?:\/\//i.test(result.url)))
    throw new Error(`'${result.metadata.name}' has no address that a browser could open`);
  if (!(await openAddress(original, processEnvironment())))
    process.stderr.write(`this machine shows no browser: open ${plain(original)}\n`);
}
