/** These are the wire shapes of the agentic search: its body, its answer, and the events of its stream. */
import { z } from 'zod';
import { StreamError } from '../../http/sse.ts';
import { FilterGroups } from '../groups.ts';
import { FederatedSource, MAX_FILTER_CHARACTERS, PassagePlace, Query } from '../schema.ts';

export const AgenticBody = z
  .strictObject({
    query: Query,
    mode: z
      .enum(['thinking', 'fast'])
      .default('thinking')
      .describe('thinking: searches, evaluates and may search again; fast: a single pass.'),
    filter: z
      .preprocess((given, context) => {
        // The size is checked first, because checking the conditions one by one takes far longer than parsing JSON.
        if (given === undefined || JSON.stringify(given).length <= MAX_FILTER_CHARACTERS)
          return given;
        const message = `the filter has more than ${MAX_FILTER_CHARACTERS} characters`;
        context.addIssue({ code: 'custom', message });
        return z.NEVER;
      }, FilterGroups)
      .prefault([])
      .describe(
        'OR joins the groups, and AND joins the conditions of a group. Every search of the agent has this filter. It has at most 50,000 characters of JSON. At most 50 of its keys have more than ten parts.',
      ),
    limit: z
      .int()
      .min(1)
      .max(1000)
      .optional()
      .describe('Maximum number of results; 20 when omitted.'),
  })
  .meta({ id: 'AgenticRequest' });
export type AgenticBody = z.infer<typeof AgenticBody>;

export const AgenticResult = z
  .object({
    entity_id: z.string().describe('The id of the chunk.'),
    name: z.string(),
    relevance_score: z.number().min(0).max(1),
    textual_representation: z.string().describe('The chunk as Markdown.'),
    breadcrumbs: z.array(
      z.object({ entity_id: z.string(), name: z.string(), entity_type: z.string() }),
    ),
    place: PassagePlace,
    web_url: z.string().describe('Address of the record; empty when the source gives none.'),
    created_at: z.string().describe('Time of creation; empty when the source gives none.'),
    updated_at: z.string().describe('Time of the last change; empty when the source gives none.'),
    service_system_metadata: z.object({
      source_name: z.string(),
      entity_type: z.string(),
      sync_id: z.string(),
      sync_job_id: z.string(),
      chunk_index: z.int(),
      original_entity_id: z.string(),
    }),
    access: z.object({ viewers: z.array(z.string()).nullable(), is_public: z.boolean() }),
    raw_source_fields: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'AgenticResult' });
export type AgenticResult = z.infer<typeof AgenticResult>;

export const STEPS = ['plan', 'evaluate', 'answer'] as const;
export type StepName = (typeof STEPS)[number];

export const AgenticAnswer = z
  .object({
    results: z.array(AgenticResult),
    answer: z.object({
      text: z.string(),
      citations: z.array(z.object({ entity_id: z.string() })).describe('Chunks among the results.'),
    }),
    metadata: z.object({
      degraded: z
        .array(z.enum([...STEPS, 'embedding']))
        .describe(
          'Steps that a built-in method took, at least once, instead of a language model. `embedding`: in some search, the embedder has failed, and nothing was compared by meaning.',
        ),
      quality_score: z.number().min(0).max(1).describe('Quality that the last evaluation gave.'),
      stopped_by: z
        .enum(['answered', 'nothing_new', 'single_pass', 'searches', 'time', 'tokens'])
        .describe('Reason for which the search ended.'),
      usage: z.object({
        searches: z.int(),
        reads: z.int().describe('Number of times that the chunks around a found chunk were read.'),
        model: z.string().nullable(),
        llm_calls: z
          .int()
          .describe('Number of calls that gave a usable answer, with their retries.'),
        input_tokens: z
          .int()
          .describe('Tokens of all calls, also of answers that could not be used.'),
        output_tokens: z.int(),
      }),
      federated: z
        .array(FederatedSource)
        .optional()
        .describe('Last answer of each source that is searched live; absent when there is none.'),
    }),
  })
  .meta({ id: 'AgenticAnswer' });
export type AgenticAnswer = z.infer<typeof AgenticAnswer>;

const Planning = z
  .object({ type: z.literal('planning'), reasoning: z.string(), strategy: z.string() })
  .meta({ id: 'AgenticPlanning' });
const Searched = z
  .object({ type: z.literal('search'), query: z.string(), results_found: z.int() })
  .meta({ id: 'AgenticSearched' });
const Evaluation = z
  .object({
    type: z.literal('evaluation'),
    quality_score: z.number().min(0).max(1),
    needs_refinement: z.boolean(),
  })
  .meta({ id: 'AgenticEvaluation' });
const Done = AgenticAnswer.extend({ type: z.literal('done') }).meta({ id: 'AgenticDone' });

/** These events are sent while the search goes on. */
export type AgenticStep = z.infer<typeof Planning | typeof Searched | typeof Evaluation>;

export const AgenticEvent = z.discriminatedUnion('type', [
  Planning,
  Searched,
  Evaluation,
  Done,
  StreamError,
]);
