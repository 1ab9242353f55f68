/** A planner plans the next actions of an agentic search, judges its results, and writes its answer. */

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

export interface Planner {
  plan(question: AgentQuestion, signal: AbortSignal): Promise<SearchPlan>;
  /** `best` are in order, best first. */
  evaluate(
    question: AgentQuestion,
    results: { readonly coverage: Coverage; readonly best: readonly Passage[] },
    signal: AbortSignal,
  ): Promise<Judgement>;
  /** `results` are in order and not empty. */
  answer(question: AgentQuestion, results: readonly Passage[], signal: AbortSignal): Promise<Draft>;
  /** Returns true when the tokens of the language model are used up. */
  isSpent(): boolean;
  /** Returns the steps that were taken without a language model at least once. */
  degraded(): StepName[];
  usage(): ModelUsage;
}

/** This planner needs no language model. */
export const builtinPlanner: Planner = {
  plan: async (question) => planFor(question),
  evaluate: async (question, { coverage }) => judge(question, coverage),
  answer: async (question, results) => quote(question, results),
  isSpent: () => false,
  degraded: () => [...STEPS],
  usage: () => ({ model: null, llm_calls: 0, input_tokens: 0, output_tokens: 0 }),
};
