/**
 * These are the tools that search. `search-{collection}` is the standard search; it returns as many results of a page
 * as fit into an answer. `search` is its short form for ChatGPT.
 */
import { z } from 'zod';
import { briefFields, cut, howManyFit, share } from '../budget.ts';
import { searchToolName } from '../names.ts';
import { briefItem, DATA_NOTE, FRAME_TOKENS, NAME_TOKENS, trueAsOf } from './item.ts';
import { linkJson, linksTo, withoutMissing } from './links.ts';
import { collectionPath, defineTool, type ToolContext } from './tool.ts';

export const searchInput = z.object({
  query: z.string().describe('A question or words to search for.'),
  response_type: z
    .enum(['raw', 'completion'])
    .default('raw')
    .describe('raw: results with scores and metadata; completion: a generated answer.'),
  limit: z.int().min(1).max(1000).default(100).describe('Maximum number of results.'),
  offset: z.int().min(0).default(0).describe('Number of results to skip, for the next page.'),
  recency_bias: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe('0: dates do not count; 1: the newest come first, however well they match.'),
  score_threshold: z.number().min(0).max(1).default(0).describe('Minimum score of a result.'),
  search_method: z
    .enum(['hybrid', 'neural', 'keyword'])
    .default('hybrid')
    .describe('neural: by meaning; keyword: by words; hybrid: both.'),
  expansion_strategy: z
    .enum(['auto', 'llm', 'no_expansion'])
    .default('auto')
    .describe(
      'Searches for other wordings of the query, too. auto: a language model writes them, or a built-in method when no model answers; llm: like auto, and the answer says so if the built-in method wrote them; no_expansion: there are no other wordings.',
    ),
  enable_reranking: z
    .boolean()
    .default(true)
    .describe('Reorders the best results by a closer comparison with the query.'),
  enable_query_interpretation: z
    .boolean()
    .default(true)
    .describe('Takes restrictions named in the query (source, type, date) as a filter.'),
  filter: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      'A filter in the form of Qdrant: {"must": [{"key": "entity_type", "match": {"value": "Issue"}}, {"key": "updated_at", "range": {"gte": "2026-01-01"}}]}.',
    ),
});

/** This is the part of a result of the API that the tools use; see POST /v1/collections/{readable_id}/search. */
export const SearchResult = z.object({
  entity_id: z.string(),
  source_name: z.string(),
  md_content: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    entity_type: z.string(),
    source_connection_id: z.string(),
    created_at: z.string().nullable(),
    updated_at: z.string().nullable(),
    heading: z.string().nullable(),
    page: z.int().nullable(),
    place: z.string().nullable(),
    line: z.int().nullable(),
  }),
  score: z.number(),
  breadcrumbs: z.array(z.string()),
  url: z.string(),
  true_as_of: trueAsOf,
});
type Result = z.infer<typeof SearchResult>;

const SearchResponse = z.object({
  results: z.array(SearchResult),
  completion: z.string().optional(),
  metadata: z.object({
    degraded: z.array(z.string()),
    interpreted_filter: z.record(z.string(), z.unknown()).optional(),
  }),
});

async function ask(body: object, { api, collection, signal }: ToolContext) {
  const path = `${collectionPath(collection)}/search`;
  return SearchResponse.parse(await api({ method: 'POST', path, body }, signal));
}

const output = z.object({
  collection: z.string(),
  showing: z.object({
    from: z.int().describe('Number of the first result shown, from 1 on; 0 when there is none.'),
    to: z.int(),
    of: z
      .int()
      .describe(
        'Number of the last result of this page, shown or not; 0 when there is none. It is not the total.',
      ),
  }),
  next_offset: z
    .int()
    .nullable()
    .describe(
      'For more results, call again with this number as `offset`; null: there are no more.',
    ),
  results: SearchResponse.shape.results,
  completion: z.string().optional(),
  interpreted_filter: z.record(z.string(), z.unknown()).optional(),
  built_in: z
    .array(z.string())
    .describe(
      'Steps that were done without a model, because none is configured or none answered. If the list contains `embedding`, nothing was compared by meaning.',
    ),
});

const RESULT_TOKENS = 1_500;
const FIELDS_TOKENS = 400;

/** `about` is a text that describes the contents of the collection. */
export const searchTool = (collection: string, about: string) =>
  defineTool({
    name: searchToolName(collection),
    title: `Search ${collection}`,
    description: `Search the collection '${collection}' by meaning and by words, best results first. ${about} For the whole record of a result, call the tool \`read\` or \`fetch\` with the result's entity_id.`,
    input: searchInput,
    output,
    async run(args, context) {
      const body = {
        query: args.query,
        limit: args.limit,
        offset: args.offset,
        retrieval_strategy: args.search_method,
        expand_query: args.expansion_strategy !== 'no_expansion',
        interpret_filters: args.enable_query_interpretation,
        rerank: args.enable_reranking,
        generate_answer: args.response_type === 'completion',
        score_threshold: args.score_threshold,
        recency_bias: args.recency_bias,
        ...(args.filter && { filter: args.filter }),
      };
      return toAnswer(context, args, await ask(body, context));
    },
  });

function toAnswer(
  { collection, maxTokens }: ToolContext,
  { limit, offset, expansion_strategy }: z.infer<typeof searchInput>,
  found: z.infer<typeof SearchResponse>,
) {
  const { metadata } = found;
  const completion = cut(found.completion ?? '', maxTokens / 4);
  const all = found.results.map((result) => briefResult(result, maxTokens));
  const links = linksTo(all.map(({ metadata, url }) => ({ name: metadata.name, url })));
  const blocks = all.map((result, i) => block(result, offset + i + 1));
  const room = maxTokens - FRAME_TOKENS - (completion === '' ? 0 : maxTokens / 4);
  // The answer also has the results as JSON for programs, and this form must fit too.
  const shown = Math.min(
    howManyFit(
      blocks.map((text, i) => `${text}\n\n${linkJson(links[i])}`),
      room,
    ),
    howManyFit(
      all.map((result) => JSON.stringify(result)),
      room,
    ),
  );
  const showing =
    all.length === 0
      ? { from: 0, to: 0, of: 0 }
      : { from: offset + 1, to: offset + shown, of: offset + all.length };
  // When the page is full, more results may follow.
  const next = shown < all.length || all.length === limit ? showing.to : null;
  const isExpandedWithoutModel =
    expansion_strategy === 'llm' && metadata.degraded.includes('expand_query');
  const text = [
    completion,
    blocks.length === 0 ? nothingFound(offset) : DATA_NOTE,
    ...blocks.slice(0, shown),
    metadata.interpreted_filter
      ? `The query was taken to mean this filter: ${cut(JSON.stringify(metadata.interpreted_filter), FRAME_TOKENS / 2)}. Set enable_query_interpretation to false to search without it.`
      : '',
    isExpandedWithoutModel
      ? 'No language model answered: the query was expanded by a built-in method.'
      : '',
    blocks.length === 0 ? '' : footer(showing, next),
  ];
  return {
    text: text.filter(Boolean).join('\n\n'),
    links: withoutMissing(links.slice(0, shown)),
    data: {
      collection,
      showing,
      next_offset: next,
      results: all.slice(0, shown),
      ...(completion !== '' && { completion }),
      ...(metadata.interpreted_filter && { interpreted_filter: metadata.interpreted_filter }),
      built_in: metadata.degraded,
    },
  };
}

function briefResult(result: Result, maxTokens: number): Result {
  const {
    name,
    entity_type,
    source_connection_id,
    created_at,
    updated_at,
    heading,
    page,
    place,
    line,
    ...sourceFields
  } = result.metadata;
  const { name: _, ...shorter } = briefItem({ ...result, name });
  return {
    ...shorter,
    md_content: cut(result.md_content, share(RESULT_TOKENS, maxTokens)),
    metadata: {
      ...briefFields(sourceFields, share(FIELDS_TOKENS, maxTokens)),
      name: cut(name, NAME_TOKENS),
      entity_type,
      source_connection_id,
      created_at,
      updated_at,
      heading: heading && cut(heading, NAME_TOKENS),
      page,
      place,
      line,
    },
  };
}

const nothingFound = (offset: number) =>
  offset === 0
    ? 'Nothing was found. Other words, a lower score_threshold or no filter may find more.'
    : `There are no results from offset=${offset} on: use a smaller offset.`;

function footer({ from, to, of }: { from: number; to: number; of: number }, next: number | null) {
  if (next === null) return `showing results ${from}–${to}; there are no more`;
  const rest = to < of ? `${of - to} more did not fit` : 'there may be more';
  return `showing results ${from}–${to}; ${rest}: call again with offset=${next}`;
}

function block(result: Result, rank: number): string {
  const { metadata, source_name, breadcrumbs, url, score, entity_id, md_content } = result;
  const facts = [
    breadcrumbs.join(' > '),
    metadata.heading && `under '${metadata.heading}'`,
    metadata.place,
    metadata.line && `line ${metadata.line}`,
    metadata.updated_at && `updated ${metadata.updated_at}`,
    result.true_as_of && `true as of ${result.true_as_of}`,
    url,
  ];
  return [
    `## ${rank}. ${metadata.name} (${source_name}, score ${score.toFixed(3)})`,
    `entity_id: ${entity_id}`,
    facts.filter(Boolean).join(' · '),
    md_content,
  ]
    .filter(Boolean)
    .join('\n');
}

const SHORT_FORM_LIMIT = 10;
const shortFormInput = z.object({ query: searchInput.shape.query });
const shortFormOutput = z.object({
  results: z.array(z.object({ id: z.string(), title: z.string(), url: z.string() })),
});

async function searchInShortForm(query: string, context: ToolContext) {
  const body = { query, limit: SHORT_FORM_LIMIT, generate_answer: false };
  const { results } = await ask(body, context);
  return results.map(({ entity_id, metadata, url, score }) => ({
    id: `${metadata.source_connection_id}:${entity_id}`,
    title: metadata.name,
    url,
    score,
  }));
}

/** ChatGPT requires this form: https://platform.openai.com/docs/mcp */
export const shortFormTool = (about: string) =>
  defineTool({
    name: 'search',
    title: 'Search',
    description: `Search by meaning and by words. Returns the ids, titles and addresses of the ${SHORT_FORM_LIMIT} best results; for the text of a result, call the tool \`fetch\` with its id. ${about}`,
    input: shortFormInput,
    output: shortFormOutput,
    async run({ query }, context) {
      const found = await searchInShortForm(query, context);
      const data = { results: found.map(({ id, title, url }) => ({ id, title, url })) };
      return { text: JSON.stringify(data), data };
    },
  });
