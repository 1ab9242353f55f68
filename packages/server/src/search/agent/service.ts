/**
 * Runs the agentic search. It takes and returns plain data, like the standard search, because it runs in the same
 * thread. Everything that it shows comes from a tool, and is checked once more just before it is shown: a record that
 * was deleted or got other viewers during the search is in neither results nor answer.
 */
import { unavailable } from '../../errors.ts';
import { within } from '../../util.ts';
import type { Asker } from '../access.ts';
import type { Draft, Passage } from '../passage.ts';
import type { SearchDeps } from '../service.ts';
import { LIMITS, OUT_OF_TIME, USUAL_RESULTS } from './limits.ts';
import { explore } from './loop.ts';
import { createModelPlanner } from './model-planner.ts';
import { builtinPlanner } from './planner.ts';
import { type AgentQuestion, termsIn, understand } from './question.ts';
import { NOTHING, quote } from './quote.ts';
import type { AgenticAnswer, AgenticBody, AgenticStep } from './schema.ts';
import { toAgenticResult } from './show.ts';
import { createTools, type Tools } from './tools.ts';

export interface AgenticRequest extends Asker {
  readonly body: AgenticBody;
}

export interface Agent {
  /** Calls `tell` with each step as it happens. Throws the signal's reason soon after it aborts. */
  run(
    request: AgenticRequest,
    tell: (step: AgenticStep) => void,
    signal: AbortSignal,
  ): Promise<AgenticAnswer>;
}

/** Tests pass limits of their own. */
export const createAgent = (deps: SearchDeps, limitsOf = LIMITS): Agent => ({
  async run(request, tell, signal) {
    const { query, mode, limit } = request.body;
    const limits = limitsOf[mode];
    const wanted = limit ?? USUAL_RESULTS;
    const planner = deps.llm ? createModelPlanner(deps.llm, limits, Date.now()) : builtinPlanner;
    try {
      const search = async (inTime: AbortSignal) => {
        const tools = createTools(deps, request, inTime);
        const question = understand(query, await tools.statistics(termsIn(query)), deps.words);
        const parts = { question, tools, planner, limits, wanted, tell, signal: inTime };
        const explored = await explore(parts);
        const best = explored.pool.best(wanted);
        const draft = best.length > 0 ? await planner.answer(question, best, inTime) : undefined;
        return { ...explored, question, best, draft, tools };
      };
      const found = await within({ ms: limits.timeMs, late: () => OUT_OF_TIME, signal }, search);
      const { question, best, draft, tools, quality, stoppedBy, searches, reads } = found;
      const federated = tools.federated();
      const { results, answer } = await confirmAnswer(tools, { question, best, draft });
      return {
        results: results.map(toAgenticResult),
        answer: {
          text: answer.text,
          citations: answer.citations.map((entity_id) => ({ entity_id })),
        },
        metadata: {
          degraded: [
            ...planner.degraded(),
            ...(tools.isWithoutMeaning() ? (['embedding'] as const) : []),
          ],
          quality_score: quality,
          stopped_by: stoppedBy,
          usage: { searches, reads, ...planner.usage() },
          ...(federated.length > 0 && { federated }),
        },
      };
    } catch (error) {
      if (error !== OUT_OF_TIME) throw error;
      throw unavailable('no search ended in time; narrow the filter, or ask again', 1, error);
    }
  },
});

const EMPTY: Draft = {
  text: 'There is nothing to search here: the collection is empty, or holds nothing that the filter and the access of the caller allow.',
  citations: [],
};

interface AnswerToConfirm {
  readonly question: AgentQuestion;
  /** The answer was made from these passages. */
  readonly best: readonly Passage[];
  readonly draft: Draft | undefined;
}

/** Returns the results that may still be shown. When one of them is gone, quotes of the others replace the draft. */
async function confirmAnswer(
  tools: Tools,
  { question, best, draft }: AnswerToConfirm,
): Promise<{ results: readonly Passage[]; answer: Draft }> {
  const { items: results, isWhole } = await tools.confirm(best);
  if (results.length > 0)
    return { results, answer: draft && isWhole ? draft : quote(question, results) };
  return { results, answer: (await tools.count()) === 0 ? EMPTY : NOTHING };
}
