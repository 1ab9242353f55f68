/** These are the wire shapes of the standard search. */
import { z } from 'zod';
import { exceedsTokens } from '../documents/tokens.ts';
import { tooDeep } from './filter.ts';
import { StandardFilter } from './filter-schema.ts';
import { STRATEGIES } from './rank.ts';

/** Databases accept some thousand conditions and values in a statement. */
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

export const SearchBody = z.strictObject({
  query: Query,
  retrieval_strategy: z
    .enum(STRATEGIES)
    .default('hybrid')
    .describe('neural: by meaning; keyword: by words (BM25); hybrid: both.'),
  filter: z
    .record(z.string(), z.unknown())
    .meta({
      description:
        'See GET /v1/collections/internal/filter-schema. At most 50,000 characters of JSON, and 50 keys of more than ten parts.',
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
      // The messages of the filter's own schema say more than those of the alternatives, none of which matched.
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
    .describe('Takes restrictions written in the query as a filter, shown in metadata.'),
  rerank: z.boolean().default(true).describe('Reorders the best candidates by their text.'),
  generate_answer: z.boolean().default(true).describe('Answers the query from the results.'),
  score_threshold: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe('Drops results with a lower score, before recency_bias.'),
  recency_bias: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe('Share of recency in the score: 0 ignores dates, 1 orders by date alone.'),
  explain: z.boolean().default(false).describe('Adds an explanation to each result.'),
});
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
            .describe('Rank among the finds of this arm; null when the arm did not find it.'),
          score: z
            .number()
            .nullable()
            .describe('BM25 as a share of the highest score, or the cosine.'),
        }),
      )
      .describe('One entry for each query to the index.'),
    parts: z
      .array(
        z.object({ name: z.string(), value: z.number(), weight: z.number(), adds: z.number() }),
      )
      .describe(
        'Parts whose values in adds sum up to the score. The part place lowers the score to keep the result below those before it.',
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

const SearchResult = z.object({
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
    })
    .describe(
      "These fields and the source's own ones. A field of the source that has one of these names is shown as `source.<name>`, and a filter still takes it as `metadata.<name>`.",
    ),
  score: z.number().min(0).max(1),
  breadcrumbs: z.array(z.string()).describe('Names from the root to the parent.'),
  url: z.string(),
  explanation: Explanation.optional().describe(
    'Explanation of the result, present only when explain is true.',
  ),
});
export type SearchResult = z.infer<typeof SearchResult>;

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
  message: z.string().optional().describe('Reason for which it has not answered.'),
});
export type FederatedSource = z.infer<typeof FederatedSource>;

export const SearchAnswer = z.object({
  results: z.array(SearchResult),
  completion: z
    .string()
    .optional()
    .describe('Generated answer, present only when generate_answer is true.'),
  metadata: z.object({
    degraded: z
      .array(z.enum([...DEGRADABLE, 'embedding']))
      .describe(
        'Steps that a built-in method took, because no model is configured for them or none has answered. embedding: the embedder has not answered, and nothing was compared by meaning.',
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
      .describe('The filter that interpret_filters has found in the query.'),
    federated: z
      .array(FederatedSource)
      .optional()
      .describe('The connections whose sources were asked during this search, if there are any.'),
  }),
});
export type SearchAnswer = z.infer<typeof SearchAnswer>;
