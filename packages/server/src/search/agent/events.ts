/** Turns the steps and the answer of an agent's `run` into a sequence of events. */
import type { AgenticAnswer, AgenticStep } from './schema.ts';
import type { Agent, AgenticRequest } from './service.ts';

type AgentEvent = AgenticStep | ({ readonly type: 'done' } & AgenticAnswer);

/** The events of one search are few, so all of them may wait for a slow reader. */
export async function* eventsOf(
  agent: Agent,
  request: AgenticRequest,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent> {
  const waiting: AgentEvent[] = [];
  let wake = Promise.withResolvers<void>();
  const tell = (event: AgentEvent) => {
    waiting.push(event);
    wake.resolve();
  };
  let isOver = false;
  // A reader that leaves early never awaits the outcome. Without this handler, a failure would then count as unhandled.
  const outcome = agent
    .run(request, tell, signal)
    .then(
      (answer) => () => answer,
      (error: unknown) => () => {
        throw error;
      },
    )
    .finally(() => {
      isOver = true;
      wake.resolve();
    });
  while (!isOver || waiting.length > 0) {
    await wake.promise;
    wake = Promise.withResolvers<void>();
    yield* waiting.splice(0);
  }
  yield { type: 'done', ...(await outcome)() };
}
