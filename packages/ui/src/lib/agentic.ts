/** Says in words what an agentic search does, and how it has ended. */
import type { Schemas } from '../api/client.ts';
import { type Condition, groupConditionOf } from './filter.ts';

export type AgenticAnswer = Schemas['AgenticDone'];
export type AgenticStep =
  | Schemas['AgenticPlanning']
  | Schemas['AgenticSearched']
  | Schemas['AgenticEvaluation'];
export type AgenticEvent = AgenticStep | AgenticAnswer | Schemas['StreamError'];

const PARTS = { plan: 'planned', evaluate: 'checked', answer: 'answered' } as const;

/** Says what was done without a language model; null when nothing was. */
export function withoutModel(degraded: AgenticAnswer['metadata']['degraded']): string | null {
  const parts = degraded.flatMap((one) => (one === 'embedding' ? [] : PARTS[one]));
  const [last = '', ...others] = parts.toReversed();
  const sentences = [
    parts.length > 0 &&
      `Without a language model, Quarry ${[others.toReversed().join(', '), last].filter(Boolean).join(' and ')} by rules of its own; an answer then quotes sentences.`,
    degraded.includes('embedding') &&
      'Nothing was compared by meaning, because the embedder failed.',
  ].filter(Boolean);
  return sentences.length > 0 ? sentences.join(' ') : null;
}

export const STOPPED: Record<AgenticAnswer['metadata']['stopped_by'], string> = {
  answered: 'It ended because the passages answer the question.',
  nothing_new: 'It ended because another search would find nothing new.',
  single_pass: 'It searched once.',
  searches: 'It stopped at its limit of searches.',
  time: 'It ended because its time was over.',
  tokens: 'It ended because the tokens of the language model were used up.',
};

/** The filter of the agentic search: all conditions of a group must hold. */
export function filterGroupsOf({
  types,
  sources,
  conditions: given,
}: {
  readonly types: readonly string[];
  readonly sources: readonly string[];
  readonly conditions: readonly Condition[];
}) {
  const conditions = [
    ...(types.length > 0 ? [{ field: 'entity_type', operator: 'in', value: types }] : []),
    ...(sources.length > 0 ? [{ field: 'source_name', operator: 'in', value: sources }] : []),
    ...given.map(groupConditionOf),
  ];
  return conditions.length > 0 ? [{ conditions }] : [];
}
