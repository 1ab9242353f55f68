/**
 * Measures searches and their stages. It wraps what a search asks, so that the search itself knows nothing of metrics, and
 * adds to a stage one comparison of times, and to a search a few microseconds.
 */
import type { Examine } from '../doctor/examine.ts';
import type { Grep } from '../entities/contents/grep.ts';
import { AppError } from '../errors.ts';
import type { Agent } from '../search/agent/service.ts';
import type { Search, SearchDeps } from '../search/service.ts';
import type { Metrics } from '../telemetry/metrics.ts';

export interface Searching {
  readonly search: Search;
  readonly agent: Agent;
  readonly examine: Examine;
  readonly grep: Grep;
}

type SearchStage =
  | 'embed'
  | 'snapshot'
  | 'candidates'
  | 'rows'
  | 'language_model'
  | 'reranker'
  | 'live_sources';

/** Measures the stages of the searches that use the returned dependencies. */
export const measuredStages = (deps: SearchDeps, metrics: Metrics): SearchDeps =>
  watchedStages(deps, (stage) => {
    const begun = performance.now();
    return () =>
      metrics.quarry_search_stage_duration_seconds.observe(
        { stage },
        (performance.now() - begun) / 1000,
      );
  });

/** Calls `begin` when a stage begins, and the function that it returns when the stage ends, with the error if it broke. */
export function watchedStages(
  deps: SearchDeps,
  begin: (stage: SearchStage) => (error?: unknown) => void,
): SearchDeps {
  const { index, embedder, llm, reranker, federated } = deps;
  async function timed<T>(stage: SearchStage, work: () => Promise<T>): Promise<T> {
    const end = begin(stage);
    try {
      const result = await work();
      end();
      return result;
    } catch (error) {
      end(error);
      throw error;
    }
  }
  return {
    ...deps,
    embedder: {
      ...embedder,
      embed: (texts, as, signal) => timed('embed', () => embedder.embed(texts, as, signal)),
    },
    llm: llm && {
      ...llm,
      ask: (question, budget, signal) =>
        timed('language_model', () => llm.ask(question, budget, signal)),
    },
    reranker: reranker && {
      ...reranker,
      rerank: (query, texts, signal) =>
        timed('reranker', () => reranker.rerank(query, texts, signal)),
    },
    ...(federated && {
      federated: {
        ask: (question, signal) => timed('live_sources', () => federated.ask(question, signal)),
      },
    }),
    index: {
      ...index,
      look(db, collectionIds, work) {
        const opened = begin('snapshot');
        return index.look(db, collectionIds, {
          find(found, tx) {
            opened();
            return timed('candidates', () => work.find(found, tx));
          },
          read: (found, tx) => timed('rows', () => work.read(found, tx)),
        });
      },
    },
  };
}

/** Measures whole calls, in the thread that serves them. */
export function measuredSearching(
  { search, agent, examine, grep }: Searching,
  metrics: Metrics,
): Searching {
  async function timed<T>(kind: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const begun = performance.now();
    const end = (outcome: string) =>
      metrics.quarry_search_duration_seconds.observe(
        { kind, outcome },
        (performance.now() - begun) / 1000,
      );
    try {
      const answer = await work();
      end('answered');
      return answer;
    } catch (error) {
      end(outcomeOf(error, signal));
      throw error;
    }
  }
  const degraded = <T extends { readonly metadata: { readonly degraded: readonly string[] } }>(
    answer: T,
  ): T => {
    for (const option of answer.metadata.degraded)
      metrics.quarry_search_degraded_total.inc({ option });
    return answer;
  };
  return {
    search: {
      search: (request, signal) =>
        timed('search', signal, async () => degraded(await search.search(request, signal))),
    },
    agent: {
      run: (request, tell, signal) =>
        timed('agentic', signal, async () => degraded(await agent.run(request, tell, signal))),
    },
    examine: (request, signal) => timed('examine', signal, () => examine(request, signal)),
    grep: (request, signal) => timed('grep', signal, () => grep(request, signal)),
  };
}

function outcomeOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'given_up';
  if (!(error instanceof AppError)) return 'broke';
  return error.status >= 500 ? 'unavailable' : 'refused';
}

/** Shows how much memory the copies of collections take and may take, and how often one made room for another. */
export function showIndexMemory(
  metrics: Metrics,
  index: Pick<SearchDeps['index'], 'residentBytes' | 'evictions'>,
  budgetMb: number,
): void {
  let shown = 0;
  metrics.beforeSnapshot(() => {
    const evictions = index.evictions();
    metrics.quarry_index_evictions_total.inc(evictions - shown);
    shown = evictions;
    metrics.quarry_index_resident_bytes.set(index.residentBytes());
    metrics.quarry_index_budget_bytes.set(budgetMb * 2 ** 20);
  });
}
