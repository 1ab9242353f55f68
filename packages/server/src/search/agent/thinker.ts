/** A thinker decides what to do next, how good the results are, and what to answer. */

import type { Draft, Passage } from '../passage.ts';
import type { Coverage } from './coverage.ts';
import { type Judgement, judge, planFor, type SearchPlan } from './plan.ts';
import type { AgentQuestion } from './question.ts';
import { quote } from './quote.ts';
import { type AgenticAnswer, STEPS, type StepName } from './schema.ts';

export type ModelUsage = Pick<
  AgenticAnswer['metadata']['usage'],
  'model' | 'llm_calls' | 'input_tokens' | 'output_tokens'
>;

export interface Thinker {
  plan(question: AgentQuestion, signal: AbortSignal): Promise<SearchPlan>;
  /** `best` are in order, best first. */
  evaluate(
    question: AgentQuestion,
    coverage: Coverage,
    best: readonly Passage[],
    signal: AbortSignal,
  ): Promise<Judgement>;
  /** `results` are in order and not empty. */
  answer(question: AgentQuestion, results: readonly Passage[], signal: AbortSignal): Promise<Draft>;
  /** Tells whether its budget is used up, so that it cannot go on. */
  isSpent(): boolean;
  degraded(): StepName[];
  usage(): ModelUsage;
}

/** This thinker needs no language model. */
export const builtinThinker: Thinker = {
  plan: async (question) => planFor(question),
  evaluate: async (question, coverage) => judge(question, coverage),
  answer: async (question, results) => quote(question, results),
  isSpent: () => false,
  degraded: () => [...STEPS],
  usage: () => ({ model: null, llm_calls: 0, input_tokens: 0, output_tokens: 0 }),
};
