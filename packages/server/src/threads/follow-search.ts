/**
 * Gives each search a span with its stages, and its lines in the log the id of its request. A search gets dependencies of
 * its own for this, so that the span is a parameter and nothing that several searches share.
 */
import type { Logger } from 'pino';
import type { LlmUsage } from '../engines/llm/llm.ts';
import { createAgent } from '../search/agent/service.ts';
import { createSearch, type SearchDeps } from '../search/service.ts';
import {
  type Cause,
  faultOf,
  linesOf,
  type Span,
  spanning,
  type Tracer,
} from '../telemetry/trace.ts';
import { type Searching, watchedStages } from './measure-search.ts';

interface SearchParts extends Pick<Searching, 'examine' | 'grep'> {
  readonly deps: SearchDeps;
}

interface FollowDeps {
  readonly tracer: Tracer;
  readonly log: Logger;
}

export function followedSearching(
  { deps, examine, grep }: SearchParts,
  { tracer, log }: FollowDeps,
): Searching {
  async function followed<T>(
    name: string,
    cause: Cause | undefined,
    work: (own: SearchDeps) => Promise<T>,
  ): Promise<T> {
    if (!cause) return work(deps);
    const span = tracer.begin(name, { parent: cause.trace });
    const lines = log.child(linesOf(cause.requestId, span));
    return spanning(span, () => work(ownDeps(deps, span, lines)));
  }
  return {
    search: {
      search: (request, signal) =>
        followed('search', request.cause, (own) => createSearch(own).search(request, signal)),
    },
    agent: {
      run: (request, tell, signal) =>
        followed('agentic', request.cause, (own) => createAgent(own).run(request, tell, signal)),
    },
    examine: (request, signal) =>
      followed('examine', request.cause, () => examine(request, signal)),
    grep: (request, signal) => followed('grep', request.cause, () => grep(request, signal)),
  };
}

function ownDeps(deps: SearchDeps, span: Span, log: Logger): SearchDeps {
  const { federated, llm, ...others } = deps;
  const stages = { ...others, llm: null };
  const own = span.isRecorded ? watchedStages(stages, (stage) => watchStage(span, stage)) : stages;
  return {
    ...own,
    llm: llm && {
      ...llm,
      ask: (question, budget, signal) =>
        asking(span, { model: llm.model, purpose: question.purpose }, () =>
          llm.ask({ ...question, log }, budget, signal),
        ),
    },
    // The requests to the sources are below this stage.
    ...(federated && {
      federated: {
        ask(question, signal) {
          const live = span.begin('live_sources');
          return spanning(live, () => federated.ask({ ...question, log, span: live }, signal));
        },
      },
    }),
  };
}

/**
 * Asks the language model within a span that has the names of OpenTelemetry for calls of models
 * (https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/), and neither the question nor the answer.
 */
function asking<Answer extends { readonly usage: LlmUsage }>(
  parent: Span,
  { model, purpose }: { readonly model: string; readonly purpose: string },
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const facts = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': model,
    'quarry.purpose': purpose,
  };
  const span = parent.begin(`chat ${model}`, { kind: 'client', facts });
  return spanning(span, async () => {
    const answer = await ask();
    const { usage } = answer;
    span.note({
      'gen_ai.response.model': usage.model,
      'gen_ai.usage.input_tokens': usage.inputTokens,
      'gen_ai.usage.output_tokens': usage.outputTokens,
      'quarry.model.calls': usage.calls,
    });
    return answer;
  });
}

function watchStage(span: Span, stage: string) {
  const own = span.begin(stage);
  return (error?: unknown) => own.end(error === undefined ? undefined : faultOf(error));
}
