/** Sends one request in a model's own protocol: the request is JSON, and the answer is JSON of a known shape. */
import type { z } from 'zod';
import type { RemoteModel } from '../../providers.ts';
import { within } from '../../util.ts';
import { RemoteFailure, scrubbed, statusFailure } from './failure.ts';
import { fetchOf } from './fetch.ts';

export interface ModelRequest<T> {
  /** The path is below the address of the model, such as `/embeddings`. */
  readonly path: string;
  readonly body: object;
  /** The schema is that of the answer. */
  readonly schema: z.ZodType<T>;
}

/** Throws a RemoteFailure, or the reason of the signal. The request may take `ms` milliseconds in all. */
export async function post<T>(
  remote: RemoteModel,
  request: ModelRequest<T>,
  ms: number,
  signal: AbortSignal,
): Promise<T> {
  const late = () => new RemoteFailure('late', `no answer in ${Math.round(ms)} ms`);
  const text = await within(ms, late, signal, (inTime) => exchange(remote, request, inTime));
  const parsed = request.schema.safeParse(json(text));
  if (!parsed.success) throw new RemoteFailure('invalid', 'an answer of another form');
  return parsed.data;
}

async function exchange(
  remote: RemoteModel,
  { path, body }: ModelRequest<unknown>,
  signal: AbortSignal,
): Promise<string> {
  const { url, key } = remote;
  try {
    const response = await fetchOf(remote)(`${url}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(key && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify(body),
      signal,
    });
    const text = await response.text();
    if (!response.ok)
      throw statusFailure(response.status, text, (name) => response.headers.get(name), key);
    return text;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RemoteFailure) throw error;
    // An error of fetch has the reason in its cause.
    const { message, cause } = error as Error & { cause?: { code?: string; message?: string } };
    const why = cause?.code ?? cause?.message ?? message;
    throw new RemoteFailure('broken', `the line broke (${scrubbed(why, key)})`);
  }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // No schema accepts undefined, so the caller reports an answer of another form.
    return undefined;
  }
}
