/**
 * The loop is: plan → use tools → evaluate → use tools again, until the question is answered, nothing new is
 * found, or the limits are reached. Unless it throws, it returns the passages that it has found so far.
 */
import { coverageOf } from './coverage.ts';
import { type AgentLimits, OUT_OF_TIME, USUAL_RESULTS } from './limits.ts';
import type { Judgement } from './plan.ts';
import type { Planner } from './planner.ts';
import { createPool, type Pool } from './pool.ts';
import type { AgenticAnswer } from './schema.ts';
import { createUses, type UseInputs, type Uses } from './uses.ts';

type StoppedBy = AgenticAnswer['metadata']['stopped_by'];

export interface LoopResult {
  readonly pool: Pool;
  /** This is the quality of the last evaluation. */
  readonly quality: number;
  readonly stoppedBy: StoppedBy;
  readonly searches: number;
  readonly reads: number;
}

export interface LoopInputs extends UseInputs {
  readonly planner: Planner;
  readonly limits: AgentLimits;
  /** The signal aborts with `OUT_OF_TIME` when the time is over. */
  readonly signal: AbortSignal;
}

/** Throws the reason of the signal, unless it is `OUT_OF_TIME` and a search was made before. */
export async function explore(inputs: LoopInputs): Promise<LoopResult> {
  const { question, planner, limits, tell, signal } = inputs;
  const pool = createPool();
  const uses = createUses(inputs, pool);
  let quality = 0;
  const resultAfter = (stoppedBy: StoppedBy): LoopResult => ({
    pool,
    quality,
    stoppedBy,
    searches: uses.searches(),
    reads: uses.reads(),
  });
  try {
    const plan = await planner.plan(question, signal);
    tell({ type: 'planning', reasoning: plan.reasoning, strategy: plan.strategy });
    let actions = plan.actions;
    for (let round = 1; ; round++) {
      const foundNew = await uses.act(actions, limits.uses);
      const best = pool.best(USUAL_RESULTS);
      const judgement = await planner.evaluate(
        question,
        { coverage: coverageOf(question, best), best },
        signal,
      );
      if (judgement.verdict) pool.judge(judgement.verdict);
      quality = judgement.quality;
      const needs_refinement = judgement.needsRefinement;
      tell({ type: 'evaluation', quality_score: quality, needs_refinement });
      actions = judgement.actions.filter(uses.isNew);
      const at = { judgement: { ...judgement, actions }, round, foundNew, uses };
      const stoppedBy = whyStop(inputs, at);
      if (stoppedBy !== null) return resultAfter(stoppedBy);
    }
  } catch (error) {
    if (error !== OUT_OF_TIME || uses.searches() === 0) throw error;
    return resultAfter('time');
  }
}

/** Returns null when the loop goes on. */
function whyStop(
  { limits, planner }: LoopInputs,
  at: { judgement: Judgement; round: number; foundNew: boolean; uses: Uses },
): StoppedBy | null {
  const { judgement, round, foundNew, uses } = at;
  if (!judgement.needsRefinement) return 'answered';
  if (limits.rounds === 1) return 'single_pass';
  if (planner.isSpent()) return 'tokens';
  if (round === limits.rounds || uses.searches() + uses.reads() >= limits.uses) return 'searches';
  return judgement.actions.length === 0 || (round > 1 && !foundNew) ? 'nothing_new' : null;
}
