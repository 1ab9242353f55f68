/**
 * All requests to models are sent by this file. They go only to the configured address, do not follow redirects, and
 * read at most a fixed number of bytes.
 */
import { sendUnchecked } from '../../net/guarded-send.ts';
import {
  type GuardedRequest,
  type RequestFailure,
  request,
  type TextAnswer,
} from '../../net/request.ts';
import type { RemoteModel } from '../../providers.ts';
import { RemoteFailure, scrubbed } from './failure.ts';

const MAX_BYTES = 64 * 2 ** 20;
/** This is only an upper limit: callers of the AI SDK give each call less time. */
const REQUEST_TIMEOUT_MS = 300_000;

/** Throws a RemoteFailure, or the reason of the signal when it aborts. */
export async function requestModel(
  { url: base, key }: RemoteModel,
  url: string,
  asked: Omit<GuardedRequest, 'maxBytes'> & { readonly maxBytes?: number },
): Promise<TextAnswer> {
  if (!url.startsWith(`${base}/`)) throw new Error(`no request may go beyond ${base}`);
  try {
    return await request(sendUnchecked, new URL(url), { maxBytes: MAX_BYTES, ...asked });
  } catch (error) {
    asked.signal.throwIfAborted();
    const { fault, message } = error as RequestFailure;
    if (fault === 'late') throw new RemoteFailure('late', message);
    if (fault === 'too_large') throw new RemoteFailure('invalid', `an answer of ${message}`);
    throw new RemoteFailure('broken', `the connection failed (${scrubbed(message, key)})`);
  }
}

/** Returns a `fetch` for the AI SDK. It reads the whole answer before it returns. */
export const fetchOf =
  (remote: RemoteModel, maxBytes = MAX_BYTES): typeof fetch =>
  async (input, init) => {
    const asked = new Request(input, init);
    const { status, headers, text } = await requestModel(remote, asked.url, {
      headers: Object.fromEntries(asked.headers),
      body: (await asked.text()) || null,
      signal: asked.signal,
      deadlineMs: REQUEST_TIMEOUT_MS,
      maxBytes,
    });
    // For some statuses, such as 204, a Response must not have a body, not even an empty one.
    return new Response(text || null, { status, headers: [...headers] });
  };
