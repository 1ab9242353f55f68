/** Compares the agentic search with the oracle: results, answer, citations and steps. */
import fc from 'fast-check';
import { LIMITS } from '../../../search/agent/limits.ts';
import { AgenticBody, type AgenticResult, type AgenticStep } from '../../../search/agent/schema.ts';
import { createAgent } from '../../../search/agent/service.ts';
import { must } from '../../../util.ts';
import { requestOf } from '../../random/oracle.ts';
import { hold } from '../../random/violation.ts';
import { groupsDraw, ofCollections, principalsDraw, queryDraw } from './draws.ts';
import { found } from './finds.ts';
import type { Case } from './play.ts';
import { holdNoneMissing, type Shown } from './witness.ts';

export const agenticDraw = fc.record({
  path: fc.constant('agentic'),
  collection: ofCollections,
  principals: principalsDraw,
  query: queryDraw,
  groups: groupsDraw,
  live: fc.constantFrom('answers', 'rubbish', 'fails'),
  mode: fc.constantFrom('fast', 'thinking'),
  limit: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
});
export type AgenticDraw = typeof agenticDraw extends fc.Arbitrary<infer T> ? T : never;

/** A search shows all pieces when at most this many exist. */
const USUAL = 20;

/** Returns the answer of the agent, and the steps that it reported before. */
export async function askAgentic(
  { mode, limit, groups }: AgenticDraw,
  { asker, deps, query, signal }: Case,
) {
  const steps: AgenticStep[] = [];
  const request = requestOf(asker, AgenticBody.parse({ query, mode, filter: groups, limit }));
  const agent = createAgent(deps, LIMITS);
  return { ...(await agent.run(request, (step) => steps.push(step), signal)), steps };
}

export async function playAgentic(draw: AgenticDraw, at: Case): Promise<void> {
  const { filter, witness, isStill } = at;
  const { limit } = draw;
  const { results, answer, metadata, steps } = await askAgentic(draw, at);
  const shown = results.map((result) => toShown(result, at));
  witness.holdShown(shown, filter);
  witness.holdOrder(shown);
  const texts = shown.map(({ text }) => text);
  witness.holdWords(JSON.stringify({ results, metadata }), texts, 'the response');
  witness.holdWords(answer.text, texts, 'the answer');
  for (const { entity_id } of answer.citations)
    hold(
      results.some((result) => result.entity_id === entity_id),
      'an answer cites what it shows',
      () => entity_id,
    );
  witness.holdReading();
  const most = Math.max(
    ...witness.states().map((state) => witness.allowedIn(state, filter).length),
  );
  for (const step of steps)
    if (step.type === 'search')
      hold(
        step.results_found <= most,
        'a step counts only what may be seen',
        () => `${step.results_found} of ${most}`,
      );
  if (!isStill) return;
  const all = witness.allowedIn(witness.first, filter);
  const indexed = all.filter(({ connection }) => !connection.isLive);
  // Every plan has a search for the question itself.
  const asked = { query: at.query, strategy: 'hybrid' } as const;
  if (indexed.length <= USUAL && all.length <= (limit ?? USUAL))
    holdNoneMissing(shown, await found(at.library.embedder, asked, indexed));
}

const toShown = (result: AgenticResult, { world }: Case): Shown => ({
  connectionId: must(
    [...must(world.states.at(-1)).values()].find(
      ({ syncId }) => syncId === result.service_system_metadata.sync_id,
    ),
  ).id,
  id: result.entity_id,
  text: result.textual_representation,
  name: result.name,
  updatedAt: result.updated_at || null,
  score: result.relevance_score,
});
