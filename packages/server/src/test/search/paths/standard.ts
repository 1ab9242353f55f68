/** Compares the standard search with the oracle: what it shows, in which order, and whether anything is missing. */
import fc from 'fast-check';
import type { Filter } from '../../../model/filter.ts';
import { compileFilter } from '../../../search/filter.ts';
import { StandardFilter } from '../../../search/filter-schema.ts';
import { type SearchAnswer, SearchBody, type SearchResult } from '../../../search/schema.ts';
import { createSearch } from '../../../search/service.ts';
import { accessOf, heldBy, requestOf } from '../../random/oracle.ts';
import { hold } from '../../random/violation.ts';
import { filterDraw, ofCollections, principalsDraw, queryDraw } from './draws.ts';
import { found, withoutDuplicates } from './finds.ts';
import type { Case } from './play.ts';
import { holdNoneMissing, type Shown } from './witness.ts';

export const standardDraw = fc.record({
  path: fc.constant('standard'),
  collection: ofCollections,
  principals: principalsDraw,
  query: queryDraw,
  filter: filterDraw,
  live: fc.constantFrom('answers', 'rubbish', 'fails'),
  retrieval_strategy: fc.constantFrom('hybrid', 'neural', 'keyword'),
  expand_query: fc.boolean(),
  interpret_filters: fc.boolean(),
  rerank: fc.boolean(),
  generate_answer: fc.boolean(),
  explain: fc.boolean(),
  recency_bias: fc.constantFrom(0, 0, 0.4, 1),
  /** When this is null, only the whole list is requested. */
  page: fc.option(
    fc.record({
      offset: fc.nat(6),
      limit: fc.integer({ min: 1, max: 8 }),
      score_threshold: fc.constantFrom(0, 0.2, 0.5),
    }),
    { freq: 2 },
  ),
});
export type StandardDraw = typeof standardDraw extends fc.Arbitrary<infer T> ? T : never;

export const WHOLE = { offset: 0, limit: 1000, score_threshold: 0 } as const;

export function askStandard(
  { path, collection, principals, live, query, page, filter, ...options }: StandardDraw,
  { asker, deps, signal, query: asked }: Case,
  shape: object,
): Promise<SearchAnswer> {
  return createSearch(deps).search(
    requestOf(asker, SearchBody.parse({ ...options, ...shape, query: asked, filter })),
    signal,
  );
}

export async function playStandard(draw: StandardDraw, at: Case): Promise<void> {
  const { filter, witness, isStill } = at;
  const { page } = draw;
  const ask = (shape: object) => askStandard(draw, at, shape);
  const answer = await ask(isStill || !page ? WHOLE : page);
  const shown = answer.results.map(toShown);
  const both = withUnderstood(filter, answer.metadata.interpreted_filter);
  witness.holdShown(shown, both);
  witness.holdOrder(shown);
  const { results, completion = '', metadata } = answer;
  const texts = results.map(({ md_content }) => md_content);
  const { interpreted_filter, ...said } = metadata;
  witness.holdWords(JSON.stringify({ results, said }), texts, 'the response');
  witness.holdWords(completion, texts, 'the answer');
  for (const [, id] of completion.matchAll(/\[([^[\]]*__chunk_\d+)\]/g))
    hold(
      results.some(
        ({ entity_id, md_content }) => entity_id === id || md_content.includes(`[${id}]`),
      ),
      'an answer cites what it shows',
      () => `${id}: ${completion}`,
    );
  holdExplained(results, at);
  witness.holdReading();
  if (!isStill) return;
  await holdComplete(draw, at, answer, both);
  if (page && !at.hasModel) holdPage(page, shown, (await ask(page)).results.map(toShown), draw);
}

export const toShown = (result: SearchResult): Shown => ({
  connectionId: result.metadata.source_connection_id,
  id: result.entity_id,
  text: result.md_content,
  name: result.metadata.name,
  updatedAt: result.metadata.updated_at,
  score: result.score,
});

/** Adds to the filter the one that the search has interpreted from the query, if there is one. */
export const withUnderstood = (filter: Filter, understood: unknown): Filter =>
  understood ? { all: [filter, compileFilter(StandardFilter.parse(understood))] } : filter;

const keyOf = ({ connectionId, id }: Pick<Shown, 'connectionId' | 'id'>) => `${connectionId} ${id}`;

async function holdComplete(
  draw: StandardDraw,
  at: Case,
  { results, metadata }: SearchAnswer,
  by: Filter,
): Promise<void> {
  const { witness, asker, hasModel } = at;
  const state = witness.first;
  const pieces = witness.allowedIn(state, by);
  const live = draw.live === 'fails' ? [] : pieces.filter(({ connection }) => connection.isLive);
  const indexed = pieces.filter(({ connection }) => !connection.isLive);
  const there = new Set(results.map((result) => keyOf(toShown(result))));
  hold(there.size === results.length, 'nothing is shown twice', () => `${[...there]}`);
  const isReworded =
    metadata.interpreted_filter || (draw.expand_query && draw.retrieval_strategy !== 'neural');
  const asked = { query: at.query, strategy: draw.retrieval_strategy };
  const reached = await found(at.library.embedder, asked, indexed);
  if (!metadata.interpreted_filter) holdNoneMissing(results.map(toShown), reached);
  if (!isReworded && !hasModel) {
    const expected = withoutDuplicates(reached, live).map(({ connection, id }) =>
      keyOf({ connectionId: connection.id, id }),
    );
    hold(
      expected.length === there.size && expected.every((key) => there.has(key)),
      'a search finds what matches',
      () => `${[...there]} instead of ${expected}`,
    );
  }
  for (const source of metadata.federated ?? []) {
    const mine = pieces.filter(
      ({ connection }) => connection.id === source.source_connection_id && connection.isLive,
    );
    const count = draw.live === 'fails' ? 0 : mine.length;
    hold(asker.principals === null && source.results === count, 'live results are counted', () =>
      JSON.stringify(source),
    );
  }
}

function holdPage(
  { offset, limit, score_threshold }: NonNullable<StandardDraw['page']>,
  whole: readonly Shown[],
  page: readonly Shown[],
  { recency_bias }: StandardDraw,
): void {
  const keys = (list: readonly Shown[]) => list.map(keyOf).join(', ');
  if (score_threshold > 0 && recency_bias > 0) return;
  const passed = whole.filter(({ score }) => score >= score_threshold);
  const expected = passed.slice(offset, offset + limit);
  hold(
    keys(page) === keys(expected),
    'a page is a part of the whole list',
    () => `${keys(page)} instead of ${keys(expected)}`,
  );
}

function holdExplained(results: readonly SearchResult[], { asker, witness }: Case): void {
  for (const { explanation, score, entity_id, metadata } of results) {
    if (!explanation) continue;
    const sum = explanation.parts.reduce((total, { adds }) => total + adds, 0);
    hold(
      Math.abs(sum - score) < 1e-9,
      'an explanation adds up to the score',
      () => `${sum} is not ${score}`,
    );
    const { reason, principal } = explanation.access;
    const isRight = witness.states().some((state) => {
      const held = heldBy(state, asker);
      const doc = [...(state.get(metadata.source_connection_id)?.docs.values() ?? [])].find(
        ({ id }) => entity_id.startsWith(`${id}__chunk_`),
      );
      if (!doc || (reason === 'organization') !== (held === null)) return false;
      const { viewers, isPublic } = accessOf(doc);
      if (reason === 'public') return isPublic;
      if (reason === 'unrestricted') return viewers === null;
      if (reason === 'organization') return true;
      return (
        principal !== null && viewers?.includes(principal) === true && held?.has(principal) === true
      );
    });
    hold(
      isRight,
      'an explanation names the reason',
      () => `${entity_id} by ${reason} ${principal}`,
    );
  }
}
