/** `quarry search` prints what a search finds, with the words that matched. */
import { type Config, processEnvironment } from '../../config.ts';
import type { SourceConnection } from '../../connections/schema.ts';
import type { SearchAnswer } from '../../search/service.ts';
import { openAddress } from '../connect/open-link.ts';
import { collectionPath, findCollection } from '../find.ts';
import { connectionPath } from '../follow-sync.ts';
import { runningService, type ServiceClient } from '../service-client.ts';
import { resultText } from './result-text.ts';

export interface SearchFlags {
  readonly collection?: string;
  readonly limit: number;
  /** The number of a result, or true for the first one. */
  readonly open?: number | true;
  readonly json?: boolean;
}

export type FoundResult = SearchAnswer['results'][number] & {
  /** It is set when several collections were searched. */
  readonly collection?: { readonly readable_id: string; readonly name: string };
};

export type FoundAnswer = Omit<SearchAnswer, 'results'> & { readonly results: FoundResult[] };

/** Returns false when nothing is found. Throws an Error with a message for users. */
export async function search(
  config: Config,
  query: string,
  { collection, limit, open, json = false }: SearchFlags,
): Promise<boolean> {
  const service = runningService(config);
  const answer = await find(service, { query, collection, limit });
  const { results } = answer;
  process.stdout.write(json ? `${JSON.stringify(answer, null, 2)}\n` : textOf(answer, query));
  if (open !== undefined && results.length > 0)
    await openResult(service, results, open === true ? 1 : open);
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
): Promise<FoundAnswer> {
  const where = collection === undefined ? '/v1' : collectionPath(await known(service, collection));
  const body = { query, limit, generate_answer: false };
  return service.call<FoundAnswer>('POST', `${where}/search`, body);
}

const known = async (service: ServiceClient, collection: string) =>
  (await findCollection(service, collection)).readable_id;

function textOf({ results, metadata }: FoundAnswer, query: string): string {
  const failed = (metadata.federated ?? []).filter(({ status }) => status !== 'answered');
  const notes = failed.map(
    ({ source_name, status, message }) => `${source_name} has not answered: ${message ?? status}\n`,
  );
  if (results.length === 0) return `${notes.join('')}Nothing is found for '${query}'.\n`;
  const options = { query, now: Date.now() };
  return [...notes, ...results.map((result, i) => resultText(result, i + 1, options))].join('\n');
}

/** Opens the original of a result. Throws an Error with a message for users when nothing can open it. */
async function openResult(
  service: ServiceClient,
  results: readonly FoundResult[],
  number: number,
): Promise<void> {
  const result = results[number - 1];
  if (!result) throw new Error(`there is no result ${number}: the last one is ${results.length}`);
  const { url, metadata } = result;
  if (!(await mayOpen(service, result)))
    throw new Error(
      `'${metadata.name}' has no address that a browser could open: ${url || 'none'}`,
    );
  if (!(await openAddress(url, processEnvironment())))
    process.stderr.write(`this machine shows no browser: open ${url}\n`);
}

/** A source could name a program of this machine, so only the source of files opens files. */
async function mayOpen(service: ServiceClient, { url, metadata }: FoundResult): Promise<boolean> {
  if (/^https?:\/\//i.test(url)) return true;
  if (!/^file:\/\//i.test(url)) return false;
  const path = connectionPath(metadata.source_connection_id);
  return (await service.call<SourceConnection>('GET', path)).short_name === 'files';
}
