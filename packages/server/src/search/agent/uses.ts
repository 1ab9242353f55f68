/** Uses the tools. Each use counts, none is repeated, and the passages that it returns go into the pool. */

import { keyOf as passageKey } from '../access.ts';
import { SHOWN } from '../llm/answer.ts';
import { type Passage, toPassage } from '../passage.ts';
import { shareIn } from './coverage.ts';
import { USUAL_RESULTS } from './limits.ts';
import type { Action } from './plan.ts';
import type { Pool } from './pool.ts';
import type { AgentQuestion } from './question.ts';
import type { AgenticStep } from './schema.ts';
import type { Tools } from './tools.ts';

export interface UseInputs {
  readonly question: AgentQuestion;
  readonly tools: Tools;
  /** The caller wants this many results. */
  readonly wanted: number;
  readonly tell: (step: AgenticStep) => void;
}

export interface Uses {
  searches(): number;
  reads(): number;
  isNew(action: Action): boolean;
  /** Performs new actions, until there are `maxUses` uses in all. Returns true when the best passages have changed. */
  act(actions: readonly Action[], maxUses: number): Promise<boolean>;
}

export function createUses({ question, tools, wanted, tell }: UseInputs, pool: Pool): Uses {
  const made = new Set<string>();
  let searches = 0;
  let reads = 0;

  async function use(action: Action): Promise<readonly Passage[]> {
    if (action.tool === 'search') {
      const { query, by, weight } = action;
      // The search returns a few more passages than are wanted, because some may turn out to be irrelevant and fall
      // behind others.
      const isQuestion = query === question.text;
      const limit = isQuestion ? Math.max(wanted, USUAL_RESULTS) + SHOWN : USUAL_RESULTS;
      const found = await tools.search(query, by, limit);
      searches++;
      tell({ type: 'search', query, results_found: found.length });
      return found.map((passage) => ({ ...passage, score: passage.score * weight }));
    }
    const { passage, tool } = action;
    const rows = await tools[tool](passage);
    reads++;
    return rows
      .map((row) => toPassage(row, passage.score * shareIn(question, row)))
      .filter(({ score }) => score > 0);
  }

  const isNew = (action: Action) => !made.has(keyOf(action));
  const best = () => pool.best(USUAL_RESULTS).map(({ row }) => passageKey(row));

  return {
    searches: () => searches,
    reads: () => reads,
    isNew,
    async act(actions, maxUses) {
      const before = best();
      for (const action of actions) {
        if (searches + reads >= maxUses) break;
        if (!isNew(action)) continue;
        made.add(keyOf(action));
        pool.add(await use(action));
      }
      return best().some((key, i) => key !== before[i]);
    },
  };
}

const keyOf = (action: Action): string =>
  action.tool === 'search'
    ? JSON.stringify([action.by, action.query.toLowerCase()])
    : JSON.stringify([action.tool, passageKey(action.passage.row)]);
