/**
 * Plan → use tools → evaluate → again, until the question is answered, nothing new turns up, or the limits
 * are reached. Whatever ends it, the best so far is what it answers with.
 */

import { coverageOf, shareIn } from './coverage.ts';
import type { Limits } from './limits.ts';
import { USUAL_RESULTS } from './limits.ts';
import type { Action } from './plan.ts';
import { createPool, type Passage, type Pool, toPassage } from './pool.ts';
import type { Question } from './question.ts';
import type { AgenticAnswer, AgenticStep } from './schema.ts';
import type { Thinker } from './thinker.ts';
import type { Tools } from './tools.ts';

export interface Found {
  readonly pool: Pool;
  readonly quality: number;
  readonly stoppedBy: AgenticAnswer['metadata']['stopped_by'];
  readonly searches: number;
  readonly reads: number;
}

export interface Loop {
  readonly question: Question;
  readonly tools: Tools;
  readonly thinker: Thinker;
  readonly limits: Limits;
  /** Results that the caller may want. */
  readonly wanted: number;
  readonly tell: (step: AgenticStep) => void;
  /** Aborts with `OUT_OF_TIME` when the time is over. */
  readonly signal: AbortSignal;
}

export const OUT_OF_TIME = new Error('the time of this search is over');

/** Throws the reason of the signal, unless it is `OUT_OF_TIME` and something has been found by then. */
export async function explore(loop: Loop): Promise<Found> {
  const pool = createPool();
  const state = { searches: 0, reads: 0, quality: 0 };
  const asked = new Set<string>();
  try {
    const stoppedBy = await rounds();
    return { pool, ...state, stoppedBy };
  } catch (error) {
    if (error !== OUT_OF_TIME || state.searches === 0) throw error;
    return { pool, ...state, stoppedBy: 'time' };
  }

  async function rounds(): Promise<Found['stoppedBy']> {
    const { question, thinker, limits, tell, signal } = loop;
    const plan = await thinker.plan(question, signal);
    tell({ type: 'planning', reasoning: plan.reasoning, strategy: plan.strategy });
    let actions = plan.actions;
    for (let round = 1; ; round++) {
      const news = await act(actions);
      const best = pool.best(USUAL_RESULTS);
      const judgement = await thinker.evaluate(question, coverageOf(question, best), best, signal);
      state.quality = judgement.quality;
      tell({
        type: 'evaluation',
        quality_score: judgement.quality,
        needs_refinement: judgement.needsRefinement,
      });
      if (!judgement.needsRefinement) return 'answered';
      if (limits.rounds === 1) return 'single_pass';
      if (usesLeft() === 0 || round === limits.rounds) return 'searches';
      actions = judgement.actions.filter((action) => !asked.has(keyOf(action)));
      if (actions.length === 0 || (round > 1 && !news)) return 'nothing_new';
    }
  }

  /** Whether the best are others afterwards. */
  async function act(actions: readonly Action[]): Promise<boolean> {
    const before = pool.best(USUAL_RESULTS).map(({ id }) => id);
    for (const action of actions) {
      if (usesLeft() === 0) break;
      if (asked.has(keyOf(action))) continue;
      asked.add(keyOf(action));
      pool.add(await use(action));
    }
    return pool.best(USUAL_RESULTS).some(({ id }, i) => id !== before[i]);
  }

  async function use(action: Action): Promise<readonly Passage[]> {
    const { question, tools, tell, wanted } = loop;
    if (action.tool === 'search') {
      const isQuestion = action.query === question.text;
      const limit = isQuestion ? Math.max(wanted, USUAL_RESULTS) : USUAL_RESULTS;
      const found = await tools.search(action.query, action.by, limit);
      state.searches++;
      tell({ type: 'search', query: action.query, results_found: found.length });
      return found.map((passage) => ({ ...passage, score: passage.score * action.weight }));
    }
    const { passage, tool } = action;
    const rows = await tools[tool](passage);
    state.reads++;
    return rows
      .map((row) => toPassage(row, passage.score * shareIn(question, row)))
      .filter(({ score }) => score > 0);
  }

  function usesLeft(): number {
    return loop.limits.uses - state.searches - state.reads;
  }
}

const keyOf = (action: Action): string =>
  action.tool === 'search'
    ? JSON.stringify([action.by, action.query.toLowerCase()])
    : JSON.stringify([action.tool, action.passage.id]);
