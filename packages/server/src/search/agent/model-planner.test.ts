/** Tests how decisions of a language model are used, and how many tokens each decision may use. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadModel } from '../../engines/embedder/model-file.ts';
import { createWords } from '../../engines/embedder/words.ts';
import { type Llm, LlmError } from '../../engines/llm/llm.ts';
import { chunkRow } from '../../test/search/chunk-row.ts';
import { type Passage, toPassage } from '../passage.ts';
import { coverageOf } from './coverage.ts';
import { LIMITS } from './limits.ts';
import { createModelPlanner } from './model-planner.ts';
import { type Action, judge, planFor } from './plan.ts';
import type { Planner } from './planner.ts';
import { termsIn, understand } from './question.ts';

const words = createWords(loadModel());

const never = new AbortController().signal;
const question = understand(
  'how do dogs travel',
  {
    chunks: 100,
    averageLength: 10,
    documentFrequencies: termsIn('how do dogs travel').map(() => 1),
  },
  words,
);
const passages = ['a ferry', 'a train', 'a bus', 'a boat'].map((text, i) =>
  toPassage(chunkRow({ entity_id: `e${i}`, text }), 1 - i / 10),
);
const PLAN = { reasoning: '', strategy: '', queries: [] };
const JUDGEMENT = {
  quality_score: 0.5,
  needs_refinement: true,
  relevant: [],
  queries: [],
  read_around: [],
};
const USED = { inputTokens: 900, outputTokens: 100 };

/** Makes a model that gives the same answer each time. A number is the count of tokens that it uses before it fails. */
function model(value: object | number) {
  /** The list has the number of tokens that each call was allowed to use. */
  const given: number[] = [];
  const llm: Llm = {
    model: 'wise',
    async ask<T>(_: unknown, budget: { tokens: number }) {
      given.push(budget.tokens);
      budget.tokens -= typeof value === 'number' ? value : USED.inputTokens + USED.outputTokens;
      if (typeof value === 'number') throw new LlmError('invalid', 'rubbish');
      return { value: value as T, usage: { model: 'wise', calls: 1, ...USED } };
    },
  };
  return { llm, given };
}
const thinking = (value: object | number) =>
  createModelPlanner(model(value).llm, LIMITS.thinking, Date.now());
const plan = (said: object) => thinking({ ...PLAN, ...said }).plan(question, never);
const evaluate = (planner: Planner, best: readonly Passage[] = passages) =>
  planner.evaluate(question, { coverage: coverageOf(question, best), best }, never);
const queriesOf = (actions: readonly Action[]) =>
  actions.flatMap((action) => (action.tool === 'search' ? action.query : []));

describe('a model that plans', () => {
  it('adds at most four queries to the question, each with at least one word and at most 300 characters', async () => {
    const long = 'ferry '.repeat(100);
    const queries = [' ', '?', long, ...['a ferry', 'b train', 'c bus', 'd boat']];
    const { actions } = await plan({ queries });
    assert.deepEqual(queriesOf(actions), [
      question.text,
      long.slice(0, 300),
      'a ferry',
      'b train',
      'c bus',
    ]);
  });

  it('keeps the built-in queries for the parts of the question when the model gives none', async () => {
    const text = 'Do dogs travel free? Who paints lighthouses?';
    const two = understand(text, { chunks: 0, averageLength: 0, documentFrequencies: [] }, words);
    const { actions } = await thinking(PLAN).plan(two, never);
    assert.deepEqual(actions, planFor(two).actions);
    assert.equal(actions.length, 3);
  });

  it('gives a query of the model at least half weight, even without a shared word with the question', async () => {
    const { actions } = await plan({ queries: ['a ferry', 'dogs travel'] });
    const weights = actions.map((action) => (action.tool === 'search' ? action.weight : 0));
    assert.deepEqual(weights, [1, 0.5, 1]);
  });

  it('cuts the reasons of the model to 1,000 characters', async () => {
    const { reasoning, strategy } = await plan({
      reasoning: 'r'.repeat(5000),
      strategy: 's'.repeat(5000),
    });
    assert.deepEqual([reasoning.length, strategy.length], [1000, 1000]);
  });
});

describe('a model that evaluates', () => {
  it('refers to passages by the numbers that it was shown, and may read around at most two', async () => {
    const said = { ...JUDGEMENT, relevant: [2, 2, 0, 5], read_around: [4, 4, -1, 1, 2] };
    const { actions, verdict } = await evaluate(thinking(said));
    assert.deepEqual(actions, [
      { tool: 'read', passage: passages[3] },
      { tool: 'read', passage: passages[0] },
    ]);
    assert.deepEqual(verdict, { shown: passages, relevant: [passages[1]] });
  });

  it('uses the built-in actions when it needs refinement and names no action', async () => {
    const { actions } = await evaluate(thinking(JUDGEMENT));
    assert.deepEqual(actions, judge(question, coverageOf(question, passages)).actions);
    assert.notEqual(actions.length, 0);
  });

  it('is not called without passages, or in a mode with a single pass', async () => {
    for (const [limits, best] of [
      [LIMITS.thinking, []],
      [LIMITS.fast, passages],
    ] as const) {
      const { llm, given } = model(JUDGEMENT);
      await evaluate(createModelPlanner(llm, limits, Date.now()), best);
      assert.deepEqual(given, []);
    }
  });
});

describe('the budget of a model', () => {
  it('is what earlier calls have left, minus the part for the answer', async () => {
    const { llm, given } = model(JUDGEMENT);
    const planner = createModelPlanner(llm, LIMITS.thinking, Date.now());
    await evaluate(planner);
    await evaluate(planner);
    await planner.answer(question, passages, never);
    assert.deepEqual(given, [54_000, 53_000, 62_000]);
    assert.deepEqual(planner.usage(), {
      model: 'wise',
      llm_calls: 3,
      input_tokens: 2700,
      output_tokens: 300,
    });
  });

  it('is also reduced by failed calls, which are counted in the usage', async () => {
    const { llm, given } = model(700);
    const planner = createModelPlanner(llm, LIMITS.thinking, Date.now());
    await evaluate(planner);
    await evaluate(planner);
    assert.deepEqual(given, [54_000, 53_300]);
    const { llm_calls, input_tokens } = planner.usage();
    assert.deepEqual([llm_calls, input_tokens], [0, 1400]);
    assert.deepEqual([planner.degraded(), planner.isSpent()], [['evaluate'], false]);
  });

  it('gives each step a share of the time, so that time is left for the answer', async () => {
    for (const [share, steps] of [
      [0.2, []],
      [0.5, ['plan']],
      [0.8, ['plan', 'evaluate']],
      [1.1, ['plan', 'evaluate', 'answer']],
    ] as const) {
      const { llm } = model({ ...PLAN, ...JUDGEMENT, answered: false, text: '' });
      const begun = Date.now() - share * LIMITS.thinking.timeMs;
      const planner = createModelPlanner(llm, LIMITS.thinking, begun);
      await planner.plan(question, never);
      await evaluate(planner);
      await planner.answer(question, passages, never);
      assert.deepEqual(planner.degraded(), steps);
    }
  });
});
