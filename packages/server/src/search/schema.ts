/** These are the wire shapes of the standard search. */
import { z } from 'zod';
import { exceedsTokens } from '../documents/tokens.ts';
import { tooDeep } from './filter.ts';
import { StandardFilter } from './filter-schema.ts';
import { STRATEGIES } from './rank.ts';

/** The limit keeps a filter within the few thousand conditions and values that a database accepts in a statement. */
export const MAX_FILTER_CHARACTERS = 50_000;
const MAX_QUERY_TOKENS = 2048;

export const Query = z
  .string()
  .refine((query) => query.trim() !== '', 'the query is blank')
  .refine(
    (query) => !exceedsTokens(query, MAX_QUERY_TOKENS),
    `the query has more than ${MAX_QUERY_TOKENS} tokens (cl100k_base)`,
  )
  .meta({ minLength: 1 })
  .describe('Question or words to search for, at most 2,048 tokens of cl100k_base.');

export const SearchBody = z
  .strictObject({
    query: Query,
    retrieval_strategy: z
      .enum(STRATEGIES)
      .default('hybrid')
      .describe('neural: by meaning; keyword: by words (BM25); hybrid: both.'),
    filter: z
      .record(z.string(), z.unknown())
      .meta({
        description:
          '`GET /v1/collections/internal/filter-schema` returns the JSON Schema of a filter. A filter has at most 50,000 characters of JSON. At most 50 of its keys have more than ten parts.',
      })
      .transform((given, context) => {
        if (JSON.stringify(given).length > MAX_FILTER_CHARACTERS) {
          const message = `the filter has more than ${MAX_FILTER_CHARACTERS} characters`;
          context.addIssue({ code: 'custom', message });
          return z.NEVER;
        }
        const parsed = StandardFilter.safeParse(given);
        const tooMuch = parsed.success ? tooDeep(parsed.data) : undefined;
        if (parsed.success && !tooMuch) return parsed.data;
        if (tooMuch) context.addIssue({ code: 'custom', message: tooMuch });
        // Each fault is reported with its path within the filter.
        for (const { path, message } of parsed.error?.issues ?? [])
          context.addIssue({ code: 'custom', path, message });
        return z.NEVER;
      })
      .nullable()
      .default(null),
    offset: z.int().min(0).default(0),
    limit: z.int().min(1).max(1000).default(10),
    expand_query: z.boolean().default(true).describe('Also searches for variations of the query.'),
    interpret_filters: z
      .boolean()
      .default(false)
      .describe(
        'Makes a filter of restrictions in the text of the query, such as `since 2024-03-01`. `metadata.interpreted_filter` shows it.',
      ),
    rerank: z.boolean().default(true).describe('Reorders the best candidates by their text.'),
    generate_answer: z.boolean().default(true).describe('Answers the query from the results.'),
    score_threshold: z
      .number()
      .min(0)
      .max(1)
      .default(0)
      .describe('Drops results with a lower score. The score without `recency_bias` counts.'),
    recency_bias: z
      .number()
      .min(0)
      .max(1)
      .default(0)
      .describe('Share of recency in the score: 0 ignores dates, 1 orders by date alone.'),
    explain: z.boolean().default(false).describe('Adds an explanation to each result.'),
  })
  .meta({ id: 'SearchRequest' });
export type SearchBody = z.infer<typeof SearchBody>;

const Explanation = z
  .object({
    arms: z
      .array(
        z.object({
          arm: z.enum(['words', 'meaning']),
          rank: z
            .int()
            .nullable()
            .describe(
              'Rank of the result in this arm, from 1; null when the arm did not find the result.',
            ),
          score: z
            .number()
            .nullable()
            .describe(
              'Arm `words`: BM25 divided by the most that the query can reach. Arm `meaning`: the cosine with the query, at least 0.',
            ),
        }),
      )
      .describe(
        'One entry for each query to the index. The query and each of its variations have a `meaning` arm of their own.',
      ),
    parts: z
      .array(
        z.object({ name: z.string(), value: z.number(), weight: z.number(), adds: z.number() }),
      )
      .describe(
        'The `adds` of all parts sum up to the score. The part named `place` is negative: it keeps the score below those of the results before it.',
      ),
    access: z.object({
      reason: z.enum(['organization', 'public', 'unrestricted', 'viewer', 'group']),
      principal: z
        .string()
        .nullable()
        .describe('The viewer or group that gives access to the result.'),
    }),
  })
  .meta({ id: 'Explanation' });
export type Explanation = z.infer<typeof Explanation>;

/** A search covers at most this many collections, because it holds all of them in memory at once. */
export const MAX_COLLECTIONS = 50;

export const SearchAllBody = SearchBody.extend({
  collections: z
    .array(z.string())
    .min(1)
    .max(MAX_COLLECTIONS)
    .optional()
    .describe(
      `The readable_ids of the collections to search, at most ${MAX_COLLECTIONS}. Without it, the search covers all that the caller may read: the newest ${MAX_COLLECTIONS} where there are more.`,
    ),
});

export const PassagePlace = z
  .string()
  .nullable()
  .describe(
    'Page, slide, sheet or time of the document at which the passage begins: `page 12`, `slide 3`, `sheet Budget`, `time 00:12:04`; null for a document without such parts.',
  );

export const PassageLine = z
  .int()
  .nullable()
  .describe(
    'Line of the text of the record in which the passage begins, counted from 1; null for live results, and until a record from before an upgrade is read again.',
  );

const ResultCollection = z.object({ readable_id: z.string(), name: z.string() });
export type ResultCollection = z.infer<typeof ResultCollection>;

const SearchResult = z
  .object({
    entity_id: z.string().describe('The id of the chunk.'),
    source_name: z.string(),
    md_content: z.string(),
    metadata: z
      .looseObject({
        name: z.string(),
        entity_type: z.string(),
        source_connection_id: z.string(),
        created_at: z.string().nullable(),
        updated_at: z.string().nullable(),
        heading: z.string().nullable(),
        page: z.int().nullable(),
        place: PassagePlace,
        line: PassageLine,
      })
      .describe(
        'These fields, and the fields of the source. A field of the source that has one of these names is shown as `source.<name>`. A filter names every field of the source `metadata.<name>`.',
      ),
    score: z.number().min(0).max(1),
    breadcrumbs: z.array(z.string()).describe('Names from the root to the parent.'),
    url: z.string(),
    true_as_of: z.iso
      .datetime()
      .nullable()
      .describe(
        'As of when the record is true: `true_as_of` of its source connection; null for a result of a source that is searched live.',
      ),
    explanation: Explanation.optional().describe(
      'Explanation of the result, present only when `explain` is true.',
    ),
  })
  .meta({ id: 'SearchResult' });
export type SearchResult = z.infer<typeof SearchResult>;

/** A model may serve these options of a request; otherwise, a built-in method serves them. */
export const DEGRADABLE = [
  'expand_query',
  'interpret_filters',
  'rerank',
  'generate_answer',
] as const;

export const FederatedSource = z.object({
  source_connection_id: z.string(),
  source_name: z.string(),
  status: z.enum(['answered', 'failed', 'timeout']),
  results: z.int().describe('Number of found results that match the filter.'),
  message: z.string().optional().describe('Reason why the source has not answered.'),
});
export type FederatedSource = z.infer<typeof FederatedSource>;

export const SearchAnswer = z
  .object({
    results: z.array(SearchResult),
    completion: z
      .string()
      .optional()
      .describe('Generated answer, present only when `generate_answer` is true.'),
    metadata: z.object({
      degraded: z
        .array(z.enum([...DEGRADABLE, 'embedding']))
        .describe(
          'Options of the request that no model has served: none is configured, none has answered, or the search found nothing. A built-in method served them. `embedding`: the embedder has not answered, and nothing was compared by meaning.',
        ),
      usage: z
        .array(
          z.object({
            model: z.string(),
            calls: z.int(),
            input_tokens: z.int(),
            output_tokens: z.int(),
          }),
        )
        .optional()
        .describe('Usage of the language models that were asked for this search.'),
      interpreted_filter: z
        .record(z.string(), z.unknown())
        .optional()
        .describe('The filter that `interpret_filters` has found in the query.'),
      federated: z
        .array(FederatedSource)
        .optional()
        .describe('One entry for each source that is searched live; absent when there is none.'),
    }),
  })
  .meta({ id: 'SearchAnswer' });
/** The results of a search over several collections name their collections. */
export type SearchAnswer = Omit<z.infer<typeof SearchAnswer>, 'results'> & {
  results: (SearchResult & { collection?: ResultCollection })[];
};

export const SearchAllAnswer = SearchAnswer.extend({
  results: z.array(SearchResult.extend({ collection: ResultCollection })),
  metadata: SearchAnswer.shape.metadata.extend({
    collections_left_out: z
      .int()
      .optional()
      .describe(
        'Number of collections that the caller may read and that were not searched, because there are too many; absent when all were searched.',
      ),
  }),
});
