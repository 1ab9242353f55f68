/** What an assistant asks, as small values that fast-check can make smaller. */
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
  /** Asks with a key of the other organization. */
  isStranger: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.constant(true)),
  // A header cannot name nobody.
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
  /** Which of all records of any organization it is asked about, and how it is named. */
  record: fc.nat(60),
  naming: fc.constantFrom('record', 'entity', 'chunk', 'nothing'),
  /** Of the text, or of a marker of any chunk that ever was. */
  pattern: fc.constantFrom('harbour', 'light|web', '^mk', '(', 'MARKER'),
  narrow: fc.record(
    {
      entity_type: fc.constantFrom('Note', 'Page', 'Unheard'),
      source_name: fc.constantFrom('push', 'files', 'shelf'),
    },
    { requiredKeys: [] },
  ),
  name: fc.option(fc.constantFrom(...IDS, 'D'), { nil: undefined }),
  /** Of a page. */
  size: fc.constantFrom(1, 3, 200),
});
export type AssistantDraw = typeof assistantDraw extends fc.Arbitrary<infer T> ? T : never;

/** Tools whose answer a filter narrows. */
export const takesFilter = ({ tool }: AssistantDraw): boolean =>
  tool === 'search-' || tool === 'grep';
