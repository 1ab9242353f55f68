/** Draws at random what an assistant asks. The values are small, so that fast-check can shrink them. */
import fc from 'fast-check';
import { filterDraw, IDS, ofCollections, principalsDraw, queryDraw } from '../draws.ts';

const TOOLS = [
  'search-',
  'search',
  'fetch',
  'read',
  'grep',
  'list',
  'get-config',
  'list tools',
] as const;

export const assistantDraw = fc.record({
  path: fc.constant('assistant'),
  collection: ofCollections,
  /** The caller uses a key of the other organization. */
  isStranger: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.constant(true)),
  // A header cannot carry an empty list of principals.
  principals: principalsDraw.map((some) => (some?.length === 0 ? ['user:nobody'] : some)),
  era: fc.constantFrom('legacy', 'modern'),
  tool: fc.constantFrom(...TOOLS),
  query: queryDraw,
  filter: filterDraw,
  live: fc.constantFrom('answers', 'rubbish', 'fails'),
  options: fc.record({
    response_type: fc.constantFrom('raw', 'completion'),
    search_method: fc.constantFrom('hybrid', 'neural', 'keyword'),
    expansion_strategy: fc.constantFrom('auto', 'llm', 'no_expansion'),
    enable_reranking: fc.boolean(),
    enable_query_interpretation: fc.boolean(),
    recency_bias: fc.constantFrom(0, 0.4, 1),
    limit: fc.constantFrom(3, 1000),
    offset: fc.constantFrom(0, 0, 2),
  }),
  /** The caller asks about one of the records of all organizations, and names it in this way. */
  record: fc.nat(60),
  naming: fc.constantFrom('record', 'entity', 'chunk', 'nothing'),
  /** 'MARKER' stands for the marker of any chunk that ever existed. '(' is not a valid pattern. */
  pattern: fc.constantFrom('harbour', 'light|web', '^mk', '(', 'MARKER'),
  narrow: fc.record(
    {
      entity_type: fc.constantFrom('Note', 'Page', 'Unheard'),
      source_name: fc.constantFrom('push', 'files', 'shelf'),
    },
    { requiredKeys: [] },
  ),
  name: fc.option(fc.constantFrom(...IDS, 'D'), { nil: undefined }),
  /** A page has at most this many items. */
  size: fc.constantFrom(1, 3, 200),
});
export type AssistantDraw = typeof assistantDraw extends fc.Arbitrary<infer T> ? T : never;

/** Tells whether a filter narrows the answer of the tool. */
export const takesFilter = ({ tool }: AssistantDraw): boolean =>
  tool === 'search-' || tool === 'grep';
