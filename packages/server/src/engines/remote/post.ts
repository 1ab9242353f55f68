/**
 * Sends one JSON request to an embedder or a reranker, and checks the shape of the JSON answer. Language models are asked
 * by the AI SDK instead.
 */
import type { z } from 'zod';
import { readJson } from '../../net/request.ts';
import type { RemoteModel } from '../../providers.ts';
import { RemoteFailure, statusFailure } from './failure.ts';
import { requestModel } from './fetch.ts';

export interface ModelRequest<T> {
  /** This is a path below the address of the model, such as `/embeddings`. */
  readonly path: string;
  readonly body: object;
  /** This is the schema of the answer. */
  readonly schema: z.ZodType<T>;
}

/**
 * Sends the request, which may take `ms` milliseconds in total. Throws a RemoteFailure, or the reason of the signal
 * when it aborts.
 */
export async function post<T>(
  remote: RemoteModel,
  { path, body, schema }: ModelRequest<T>,
  { ms, signal }: { readonly ms: number; readonly signal: AbortSignal },
): Promise<T> {
  const { url, key } = remote;
  const answer = await requestModel(remote, `${url}${path}`, {
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(key && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify(body),
    signal,
    deadlineMs: ms,
  });
  if (answer.status >= 300) throw statusFailure(answer, key);
  const { value, failure } = readJson(answer.text, schema);
  if (failure) throw new RemoteFailure('invalid', 'an answer of another form');
  return value;
}
