/** Plans searches, and judges what they found, without a language model. */

import type { Passage } from '../passage.ts';
import type { Strategy } from '../rank.ts';
import { type Coverage, shareOfTerms } from './coverage.ts';
import { type AgentQuestion, termsIn, wordsOf } from './question.ts';

/** An action is one use of a tool. The scores of the passages that a search finds are multiplied by `weight`. */
export type Action =
  | {
      readonly tool: 'search';
      readonly query: string;
      readonly by: Strategy;
      readonly weight: number;
    }
  | { readonly tool: 'read' | 'neighbours'; readonly passage: Passage };

export interface SearchPlan {
  readonly reasoning: string;
  readonly strategy: string;
  readonly actions: readonly Action[];
}

export interface Judgement {
  /** The quality is a number from 0 to 1. */
  readonly quality: number;
  readonly needsRefinement: boolean;
  /** These actions would help; the list is empty when no action would. */
  readonly actions: readonly Action[];
  /**
   * The verdict says which of the passages that a model has read bear on the question; it is absent when no model
   * has read them.
   */
  readonly verdict?: { readonly shown: readonly Passage[]; readonly relevant: readonly Passage[] };
}

/**
 * Passages of this quality are good enough, because texts nearly always express a few words of a question in another
 * way.
 */
const GOOD = 0.8;
/** A part of the question with a lower share counts as unanswered. */
const WEAK = 0.6;

/**
 * The plan begins with the whole question, so that its results are never worse than those of a standard search.
 */
export function planFor(question: AgentQuestion): SearchPlan {
  const parts = question.parts.length > 1 ? question.parts : [];
  const { mentions } = question;
  const actions: Action[] = [
    { tool: 'search', query: question.text, by: 'hybrid', weight: 1 },
    ...parts.map(({ text, terms }) => searchFor(question, { query: text, terms, by: 'hybrid' })),
    ...mentions.map((mention) =>
      searchFor(question, { query: mention, terms: termsIn(mention), by: 'keyword' }),
    ),
  ];
  const counted = [
    parts.length > 0 && `${parts.length} parts`,
    mentions.length > 0 &&
      (mentions.length === 1 ? 'one name or phrase' : `${mentions.length} names or phrases`),
  ].filter(Boolean);
  return {
    reasoning:
      counted.length === 0
        ? 'The question asks for one thing.'
        : `The question has ${counted.join(' and ')} that may be answered in different places.`,
    strategy:
      actions.length === 1
        ? 'Search for the question.'
        : `Search for the question, then for ${actions
            .slice(1)
            .map((action) => (action.tool === 'search' ? `"${action.query}"` : ''))
            .join(', ')}.`,
    actions,
  };
}

/**
 * When the best passages lack too much of the question, plans searches for the rest by words and by meaning, and reads
 * the chunks around passages that were found.
 */
export function judge(question: AgentQuestion, coverage: Coverage): Judgement {
  const needsRefinement = coverage.quality < GOOD;
  return {
    quality: coverage.quality,
    needsRefinement,
    actions: needsRefinement ? refine(question, coverage) : [],
  };
}

function refine(question: AgentQuestion, { missing, parts }: Coverage): Action[] {
  const lacking = wordsOf(question.text, missing);
  const weak = question.parts.flatMap((part, i) => {
    const { share = 0, passage } = parts[i] ?? {};
    return share < WEAK ? [{ part, passage }] : [];
  });
  const byWords: Action[] =
    lacking === ''
      ? []
      : [searchFor(question, { query: lacking, terms: [...missing], by: 'keyword' })];
  const byMeaning = weak.map(({ part: { text, terms } }) =>
    searchFor(question, { query: text, terms, by: 'neural' }),
  );
  const beside = weak.flatMap(({ passage }): Action[] =>
    passage
      ? [
          { tool: 'neighbours', passage },
          { tool: 'read', passage },
        ]
      : [],
  );
  return [...byWords, ...beside, ...byMeaning];
}

interface PlannedSearch {
  readonly query: string;
  /** The query has these terms. */
  readonly terms: readonly string[];
  readonly by: Strategy;
  readonly minWeight?: number;
}

/**
 * Returns a search whose weight is the query's share of the question, because a piece of the question is easier to
 * match than the whole.
 */
export const searchFor = (
  question: AgentQuestion,
  { query, terms, by, minWeight = 0 }: PlannedSearch,
): Action => ({
  tool: 'search',
  query,
  by,
  weight: Math.max(minWeight, shareOfTerms(question, terms)),
});
