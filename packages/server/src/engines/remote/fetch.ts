/**
 * Requests to a model leave through this file: they go to the configured address and nowhere else, follow no
 * redirect, and never take in more bytes than an answer may have.
 */
import type { RemoteModel } from '../../providers.ts';
import { RemoteFailure } from './failure.ts';

const MAX_BYTES = 64 * 2 ** 20;

export function fetchOf({ url: base }: RemoteModel, maxBytes = MAX_BYTES): typeof fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    if (!url.startsWith(`${base}/`)) throw new Error(`no request may go beyond ${base}`);
    const response = await fetch(input, { ...init, redirect: 'manual' });
    if (!response.body) return response;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(limit(maxBytes)), {
      status,
      statusText,
      headers,
    });
  };
}

function limit(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes <= maxBytes) controller.enqueue(chunk);
      else controller.error(new RemoteFailure('invalid', `an answer of over ${maxBytes} bytes`));
    },
  });
}
