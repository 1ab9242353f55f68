/**
 * Requests to a model leave through this file: they go to the configured address and nowhere else, follow no
 * redirect, and never take in more bytes than an answer may have.
 */
import { sendAnywhere } from '../../net/guarded-send.ts';
import {
  type GuardedRequest,
  type RequestFailure,
  request,
  type TextAnswer,
} from '../../net/request.ts';
import type { RemoteModel } from '../../providers.ts';
import { RemoteFailure, scrubbed } from './failure.ts';

const MAX_BYTES = 64 * 2 ** 20;
/** The callers of the AI SDK give each call a shorter time. */
const LONGEST_MS = 300_000;

/** Throws a RemoteFailure, or the reason of the signal. */
export async function requestModel(
  { url: base, key }: RemoteModel,
  url: string,
  asked: Omit<GuardedRequest, 'maxBytes'> & { readonly maxBytes?: number },
): Promise<TextAnswer> {
  if (!url.startsWith(`${base}/`)) throw new Error(`no request may go beyond ${base}`);
  try {
    return await request(sendAnywhere, new URL(url), { maxBytes: MAX_BYTES, ...asked });
  } catch (error) {
    asked.signal.throwIfAborted();
    const { fault, message } = error as RequestFailure;
    if (fault === 'late') throw new RemoteFailure('late', message);
    if (fault === 'too_large') throw new RemoteFailure('invalid', `an answer of ${message}`);
    throw new RemoteFailure('broken', `the line broke (${scrubbed(message, key)})`);
  }
}

/** The AI SDK takes this as its `fetch`. The answer is whole before it is returned. */
export const fetchOf =
  (remote: RemoteModel, maxBytes = MAX_BYTES): typeof fetch =>
  async (input, init) => {
    const asked = new Request(input, init);
    const { status, headers, text } = await requestModel(remote, asked.url, {
      headers: Object.fromEntries(asked.headers),
      body: (await asked.text()) || null,
      signal: asked.signal,
      deadlineMs: LONGEST_MS,
      maxBytes,
    });
    // Some statuses, such as 204, allow no body, not even an empty one.
    return new Response(text || null, { status, headers: [...headers] });
  };
