/**
 * Lets a language model plan, evaluate and answer; where the model fails, the built-in method takes its place. A
 * model's answer cannot reach data of its choice: it consists of queries, which search only what the caller may see,
 * and of numbers of passages that the model was shown. Other numbers are dropped.
 */
import { type Llm, LlmError, type LlmQuestion } from '../../engines/llm/llm.ts';
import { beginningOf } from '../../util.ts';
import { answerPrompt, NOT_ANSWERED, SHOWN } from '../llm/answer.ts';
import { grounded } from '../llm/grounded.ts';
import type { Passage } from '../passage.ts';
import { type AgentLimits, OUT_OF_TIME } from './limits.ts';
import { type Action, type Judgement, judge, planFor, type SearchPlan, searchFor } from './plan.ts';
import type { ModelUsage, Planner } from './planner.ts';
import { evaluatePrompt, planPrompt } from './prompts.ts';
import { type AgentQuestion, termsIn } from './question.ts';
import { quote } from './quote.ts';
import { STEPS, type StepName } from './schema.ts';

const MAX_QUERIES = 4;
const MAX_READS = 2;
const LONGEST_QUERY = 300;
/** A search for a query of the model has at least this weight, because it may share no word with the question. */
const MIN_WEIGHT = 0.5;
/** Reasoning and strategy are only shown to users, and are cut to this many characters. */
const LONGEST_REASONING = 1000;

/** A step must be over when this share of the time has passed, so that the later steps have time. */
const DEADLINES = { plan: 0.25, evaluate: 0.75, answer: 1 } as const;
/** Plan and evaluations leave this many tokens for the answer. */
const TOKENS_TO_ANSWER = 10_000;

export function createModelPlanner(llm: Llm, limits: AgentLimits, startedAt: number): Planner {
  const degraded = new Set<StepName>();
  const usage = { llm_calls: 0, input_tokens: 0, output_tokens: 0 };
  let model: ModelUsage['model'] = llm.model;
  let tokens = limits.tokens;
  let isSpent = false;

  /** Returns null when the model has failed, and records the step as degraded. */
  async function ask<T>(
    step: StepName,
    question: Omit<LlmQuestion<T>, 'timeoutMs'>,
    signal: AbortSignal,
  ): Promise<T | null> {
    const deadline = startedAt + DEADLINES[step] * limits.timeMs;
    const available = step === 'answer' ? tokens : tokens - TOKENS_TO_ANSWER;
    const budget = { tokens: available, deadline };
    const timeoutMs = deadline - Date.now();
    try {
      if (timeoutMs <= 0) throw OUT_OF_TIME;
      const { value, usage: used } = await llm.ask({ ...question, timeoutMs }, budget, signal);
      model = used.model;
      usage.llm_calls += used.calls;
      usage.input_tokens += used.inputTokens;
      usage.output_tokens += used.outputTokens;
      return value;
    } catch (error) {
      if (!(error instanceof LlmError) && error !== OUT_OF_TIME) throw error;
      if (error instanceof LlmError && error.kind === 'budget') isSpent = true;
      // An unusable answer of the model has cost tokens, too.
      usage.input_tokens += available - budget.tokens;
      degraded.add(step);
      return null;
    } finally {
      tokens -= available - budget.tokens;
    }
  }

  return {
    async plan(question, signal) {
      const own = planFor(question);
      const said = await ask('plan', planPrompt(question.text), signal);
      if (!said) return own;
      const [whole, ...rest] = own.actions;
      const queries = searches(question, said.queries);
      return {
        reasoning: beginningOf(said.reasoning, LONGEST_REASONING),
        strategy: beginningOf(said.strategy, LONGEST_REASONING),
        actions: [...(whole ? [whole] : []), ...(queries.length > 0 ? queries : rest)],
      } satisfies SearchPlan;
    },

    async evaluate(question, { coverage, best }, signal) {
      const own = judge(question, coverage);
      const shown = best.slice(0, SHOWN);
      // A single pass never searches again, so a judgement of the model would have no effect.
      if (shown.length === 0 || limits.rounds === 1) return own;
      const said = await ask('evaluate', evaluatePrompt(question.text, shown), signal);
      if (!said) return own;
      const reads = named(shown, said.read_around).slice(0, MAX_READS);
      const actions: Action[] = [
        ...searches(question, said.queries),
        ...reads.map((passage) => ({ tool: 'read', passage }) as const),
      ];
      return {
        quality: said.quality_score,
        needsRefinement: said.needs_refinement,
        actions: actions.length > 0 ? actions : own.actions,
        verdict: { shown, relevant: named(shown, said.relevant) },
      } satisfies Judgement;
    },

    async answer(question, results, signal) {
      const shown = results.slice(0, SHOWN);
      const said = await ask('answer', answerPrompt(question.text, shown), signal);
      if (said && !said.answered) return { text: NOT_ANSWERED, citations: [] };
      const draft = said && grounded(said.text, question, shown);
      if (draft) return draft;
      degraded.add('answer');
      return quote(question, results);
    },

    isSpent: () => isSpent,
    degraded: () => STEPS.filter((step) => degraded.has(step)),
    usage: () => ({ model, ...usage }),
  };
}

const searches = (question: AgentQuestion, queries: readonly string[]): Action[] =>
  queries
    .map((query) => beginningOf(query.trim(), LONGEST_QUERY))
    .filter((query) => termsIn(query).length > 0)
    .slice(0, MAX_QUERIES)
    .map((query) =>
      searchFor(question, { query, terms: termsIn(query), by: 'hybrid', minWeight: MIN_WEIGHT }),
    );

/** Returns the passages by the numbers under which they were shown. */
const named = (shown: readonly Passage[], numbers: readonly number[]): Passage[] =>
  [...new Set(numbers)].flatMap((n) => shown[n - 1] ?? []);
