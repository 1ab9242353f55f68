/**
 * This is `search` for a caller who reaches several collections. The API searches the collections of one organization
 * together; the results of several organizations are put together by their scores.
 */
import { z } from 'zod';
import type { Api } from '../api.ts';
import { cut, howManyFit, share } from '../budget.ts';
import type { BoundTool } from '../toolbox.ts';
import { briefItem, DATA_NOTE, FRAME_TOKENS, NAME_TOKENS, trueAsOf } from './item.ts';
import { findReachable, type ReachableCollection } from './reachable.ts';
import { SearchResult, searchInput } from './search.ts';
import type { ToolContext } from './tool.ts';

/** The API searches at most this many collections together. */
const MAX_COLLECTIONS = 50;
const MAX_RESULTS = 50;
const PASSAGE_TOKENS = 300;

const input = z.object({
  query: searchInput.shape.query,
  collections: z
    .array(z.string())
    .min(1)
    .max(MAX_COLLECTIONS)
    .optional()
    .describe('Only these collections, as get-config names them.'),
  limit: z.int().min(1).max(MAX_RESULTS).default(10).describe('Maximum number of results.'),
  offset: searchInput.shape.offset,
  filter: searchInput.shape.filter,
});

const SearchAllResponse = z.object({
  results: z.array(
    SearchResult.extend({ collection: z.object({ readable_id: z.string(), name: z.string() }) }),
  ),
  metadata: z.object({ collections_left_out: z.int().optional() }),
});
type FoundResult = z.infer<typeof SearchAllResponse>['results'][number];

const output = z.object({
  note: z.string(),
  results: z.array(
    z.object({
      id: z.string().describe('For the whole record, call `fetch` with this id.'),
      title: z.string(),
      url: z.string(),
      collection: z.string(),
      source_name: z.string(),
      breadcrumbs: z.array(z.string()).describe('Where it is in its source, such as its folders.'),
      score: z.number(),
      text: z.string().describe('The passage that was found.'),
      heading: z.string().nullable(),
      page: z.int().nullable(),
      place: z.string().nullable(),
      line: z.int().nullable(),
      updated_at: z.string().nullable(),
      true_as_of: trueAsOf,
    }),
  ),
  next_offset: z.int().nullable().describe('For more results, call again with this `offset`.'),
  collections_left_out: z.int().optional().describe('Collections that were not searched.'),
});

export function searchEverywhere(reachable: readonly ReachableCollection[]): BoundTool {
  const rest =
    reachable.length > MAX_COLLECTIONS
      ? ` It searches the newest ${MAX_COLLECTIONS} of ${reachable.length}: name others in \`collections\`.`
      : '';
  return {
    name: 'search',
    title: 'Search everything',
    description: `Search all collections together by meaning and by words, best results first.${rest} For the whole record of a result, call the tool \`fetch\` with its id.`,
    input,
    output,
    async run(args: z.infer<typeof input>, call) {
      const named = args.collections?.map((handle) => findReachable(reachable, handle));
      const shelves = [...Map.groupBy(named ?? reachable, ({ api }) => api)];
      const answers = await Promise.all(
        shelves.map(([api, some]) => ask({ api, some, isNamed: named !== undefined }, args, call)),
      );
      const all = answers.flatMap(({ results }) => results);
      const page = all
        .toSorted((a, b) => b.score - a.score)
        .slice(args.offset, args.offset + args.limit)
        .map((result) => toShown(result, reachable, call.maxTokens));
      const texts = page.map((result) => JSON.stringify(result));
      const results = page.slice(0, howManyFit(texts, call.maxTokens - FRAME_TOKENS));
      const end = args.offset + results.length;
      const leftOut = answers.reduce((sum, { leftOut }) => sum + leftOut, 0);
      const data = {
        note: DATA_NOTE,
        results,
        next_offset: all.length > end || page.length === args.limit ? end : null,
        ...(leftOut > 0 && { collections_left_out: leftOut }),
      };
      return { text: JSON.stringify(data), data };
    },
  };
}

interface Shelf {
  readonly api: Api;
  readonly some: readonly ReachableCollection[];
  readonly isNamed: boolean;
}

/** Every shelf gives its best results down to the end of the page, because all of them may be in one shelf. */
async function ask(
  { api, some, isNamed }: Shelf,
  { query, filter, offset, limit }: z.infer<typeof input>,
  { signal }: Pick<ToolContext, 'signal'>,
) {
  const body = {
    query,
    limit: Math.min(offset + limit, 1000),
    generate_answer: false,
    ...(filter && { filter }),
    // Without names, the API chooses where there are too many.
    ...((isNamed || some.length <= MAX_COLLECTIONS) && {
      collections: some.map(({ collection }) => collection),
    }),
  };
  const answer = await api({ method: 'POST', path: '/v1/search', body }, signal);
  const { results, metadata } = SearchAllResponse.parse(answer);
  return {
    results: results.map((result) => ({ ...result, api })),
    leftOut: metadata.collections_left_out ?? 0,
  };
}

function toShown(
  { api, ...result }: FoundResult & { readonly api: Api },
  reachable: readonly ReachableCollection[],
  maxTokens: number,
) {
  const { metadata, collection, entity_id, source_name, score, md_content } = result;
  const { name: title, url, breadcrumbs } = briefItem({ ...result, name: metadata.name });
  const { handle = collection.readable_id } =
    reachable.find((one) => one.api === api && one.collection === collection.readable_id) ?? {};
  return {
    id: `${handle}/${metadata.source_connection_id}:${entity_id}`,
    title,
    url,
    collection: handle,
    source_name,
    breadcrumbs,
    score,
    text: cut(md_content, share(PASSAGE_TOKENS, maxTokens)),
    heading: metadata.heading && cut(metadata.heading, NAME_TOKENS),
    page: metadata.page,
    place: metadata.place,
    line: metadata.line,
    updated_at: metadata.updated_at,
    true_as_of: result.true_as_of,
  };
}
