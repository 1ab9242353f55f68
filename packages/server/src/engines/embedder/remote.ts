/**
 * Gets vectors from an embedding model over HTTP. An answer with the wrong number of vectors, or with vectors of
 * another length, is an error and never stored, because the vectors of an index must be comparable.
 */
import pLimit from 'p-limit';
import { SourceError, unavailable } from '../../errors.ts';
import { sha256 } from '../../model/hash.ts';
import { nameOf, type RemoteModel } from '../../providers.ts';
import { must } from '../../util.ts';
import type { EmbeddedAs, Embedder } from '../ports.ts';
import { RemoteFailure } from '../remote/failure.ts';
import { post } from '../remote/post.ts';
import { retrying } from '../remote/retry.ts';
import { batches, beginning } from './remote-batches.ts';
import { DEFAULT_TOKENS, knownModel, LIMITS } from './remote-models.ts';
import { requestOf } from './remote-wire.ts';

export interface RemoteEmbedderOptions {
  /**
   * The vectors have this length. It must be set for a model that is not in remote-models.ts; a known model with
   * another default is asked for vectors of this length.
   */
  readonly dimensions?: number | undefined;
  /** A text is cut to this many tokens. */
  readonly tokens?: number | undefined;
  readonly queryPrefix?: string;
  readonly documentPrefix?: string;
  /**
   * The timeout applies to a request together with its repetitions. It is shorter for a query, because a user waits for
   * the answer.
   */
  readonly timeoutMs?: Readonly<Record<EmbeddedAs, number>>;
}

const TIMEOUT_MS = { document: 120_000, query: 8000 };
/**
 * When a provider asks us to wait longer than this, the attempt fails; a sync then parks its job, so that other jobs
 * can run.
 */
const LONGEST_WAIT_MS = 3000;
/** When a search needs the model and the model fails, the caller is told to try again after this many seconds. */
const RETRY_AFTER = 5;

/** Throws an error for the operator when the length of the vectors is unknown. */
export function createRemoteEmbedder(
  remote: RemoteModel,
  options: RemoteEmbedderOptions = {},
): Embedder {
  const { queryPrefix = '', documentPrefix = '', timeoutMs = TIMEOUT_MS } = options;
  const name = nameOf(remote);
  const known = knownModel(name);
  const dimensions = options.dimensions ?? known?.dimensions;
  if (dimensions === undefined)
    throw new Error(
      `QUARRY_EMBEDDER: the length of the vectors of ${name} is not known: set QUARRY_EMBEDDER_DIMENSIONS`,
    );
  const asked = dimensions === known?.dimensions ? undefined : dimensions;
  const tokens = options.tokens ?? known?.tokens ?? DEFAULT_TOKENS;
  const limits = must(LIMITS[remote.provider], `${remote.provider} does not offer embeddings`);
  const limit = pLimit(limits.parallel);

  async function embedSome(
    texts: readonly string[],
    as: EmbeddedAs,
    signal: AbortSignal,
  ): Promise<Float32Array[]> {
    const request = requestOf(remote, { texts, as, dimensions: asked });
    const vectors = await retrying((ms) => post(remote, request, { ms, signal }), {
      deadline: Date.now() + timeoutMs[as],
      signal,
      patienceMs: LONGEST_WAIT_MS,
    });
    if (vectors.length !== texts.length)
      throw new RemoteFailure(
        'invalid',
        `the answer has ${vectors.length} vectors for ${texts.length} texts`,
      );
    const other = vectors.find((vector) => vector.length !== dimensions)?.length;
    if (other !== undefined)
      throw new RemoteFailure(
        'refused',
        `its vectors have ${other} dimensions, and ${dimensions} were expected: set QUARRY_EMBEDDER_DIMENSIONS to ${other} and run quarry reindex`,
      );
    return vectors.map(unit);
  }

  return {
    isBuiltIn: false,
    model: [
      `${name}:${dimensions}`,
      ...(queryPrefix || documentPrefix
        ? [sha256(JSON.stringify([queryPrefix, documentPrefix])).slice(0, 8)]
        : []),
    ].join(':'),
    dimensions,

    async embed(texts, as, signal) {
      signal.throwIfAborted();
      const prefix = as === 'query' ? queryPrefix : documentPrefix;
      // A text without content gets a vector of zeros, because no model makes a vector of it.
      const filled = texts.flatMap((text, at) =>
        text.trim() === '' ? [] : [{ at, text: beginning(prefix + text, tokens) }],
      );
      const vectors: Float32Array[] = texts.map(() => new Float32Array(dimensions));
      const failed = new AbortController();
      const all = AbortSignal.any([signal, failed.signal]);
      const one = async (batch: readonly number[]) => {
        all.throwIfAborted();
        const some = batch.map((i) => must(filled[i]));
        const made = await embedSome(
          some.map(({ text }) => text),
          as,
          all,
        );
        made.forEach((vector, i) => {
          vectors[must(some[i]).at] = vector;
        });
      };
      const runs = [
        ...batches(
          filled.map(({ text }) => text),
          limits,
        ),
        // A user waits for a query, so a query does not wait in the queue of the requests for syncs.
      ].map((batch) => (as === 'query' ? one(batch) : limit(() => one(batch))));
      try {
        await Promise.all(runs);
      } catch (error) {
        // The other requests are aborted, because their answers would not be used.
        failed.abort(error);
        await Promise.allSettled(runs);
        throw error instanceof RemoteFailure ? errorOf(error, name, as) : error;
      }
      return vectors;
    },
  };
}

/**
 * Turns a failure into an error. The kind of the error depends on the caller: a sync may wait for the model, a search
 * may not.
 */
function errorOf({ kind, message, retryAfter }: RemoteFailure, name: string, as: string): Error {
  const text = `the embedder ${name} gave no vectors: ${message}`;
  if (as === 'query')
    return unavailable(text, Math.ceil((retryAfter ?? RETRY_AFTER * 1000) / 1000));
  const stage = 'embed';
  switch (kind) {
    case 'limited':
      return new SourceError('rate_limited', `the embedder ${name} asks to wait: ${message}`, {
        stage,
        ...(retryAfter !== undefined && { retryAfter: retryAfter / 1000 }),
      });
    case 'broken':
    case 'late':
      return new SourceError('transient', text, { stage });
    case 'refused':
      return new SourceError('config', text, { stage });
    case 'invalid':
      return new SourceError('fatal', text, { stage });
  }
}

function unit(values: readonly number[]): Float32Array {
  let square = 0;
  for (const x of values) square += x * x;
  const factor = square > 0 ? 1 / Math.sqrt(square) : 0;
  return Float32Array.from(values, (x) => x * factor);
}
