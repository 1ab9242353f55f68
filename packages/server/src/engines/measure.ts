/** Measures the calls of models of others. A model of our own is measured as a stage of a search. */
import type { Transcribe } from '../model/transcript.ts';
import type { ModelRole } from '../providers.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { LlmError } from './llm/llm.ts';
import type { Embedder, Reranker } from './ports.ts';

export type ModelMetrics = Pick<
  Metrics,
  | 'quarry_model_calls_total'
  | 'quarry_model_call_duration_seconds'
  | 'quarry_model_tokens_total'
  | 'quarry_model_up'
  | 'quarry_model_last_call_timestamp_seconds'
>;

interface MeasuredModel {
  readonly role: ModelRole;
  readonly model: string;
}

/** A call that its caller gave up, or that the budget of tokens did not allow, says nothing about the model. */
export async function measuredCall<T>(
  metrics: ModelMetrics,
  measured: MeasuredModel,
  { signal, work }: { readonly signal: AbortSignal; readonly work: () => Promise<T> },
): Promise<T> {
  const begun = performance.now();
  const note = (outcome: 'answered' | 'failed') => {
    metrics.quarry_model_calls_total.inc({ ...measured, outcome });
    metrics.quarry_model_call_duration_seconds.observe(
      { ...measured },
      (performance.now() - begun) / 1000,
    );
    metrics.quarry_model_up.set({ ...measured }, outcome === 'answered' ? 1 : 0);
    // These are the clock of the machine, which all threads share, and fractions of a millisecond.
    metrics.quarry_model_last_call_timestamp_seconds.set(
      { ...measured, outcome },
      (performance.timeOrigin + performance.now()) / 1000,
    );
  };
  try {
    const answer = await work();
    note('answered');
    return answer;
  } catch (error) {
    if (!signal.aborted && !(error instanceof LlmError)) note('failed');
    throw error;
  }
}

/** The name is that of the settings; `embedder.model` also has the length of the vectors. */
export const measuredEmbedder = (
  embedder: Embedder,
  model: string,
  metrics: ModelMetrics,
): Embedder => ({
  ...embedder,
  embed: (texts, as, signal) =>
    measuredCall(
      metrics,
      { role: 'embedder', model },
      { signal, work: () => embedder.embed(texts, as, signal) },
    ),
});

export const measuredReranker = (reranker: Reranker, metrics: ModelMetrics): Reranker => ({
  ...reranker,
  rerank: (query, texts, signal) =>
    measuredCall(
      metrics,
      { role: 'reranker', model: reranker.model },
      { signal, work: () => reranker.rerank(query, texts, signal) },
    ),
});

export const measuredTranscriber =
  (transcribe: Transcribe, model: string, metrics: ModelMetrics): Transcribe =>
  (recording, signal) =>
    measuredCall(
      metrics,
      { role: 'transcriber', model },
      { signal, work: () => transcribe(recording, signal) },
    );
