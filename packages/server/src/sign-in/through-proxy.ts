/**
 * Sends the requests of a source through the proxy of its auth provider, which adds the credentials. The source sees the
 * answers of its service as if it had asked directly, redirects and streams included. Only requests to the addresses of the
 * source go through the proxy: a store of files to which a download redirects gets the request directly, without
 * credentials.
 */

import { isDeepStrictEqual } from 'node:util';
import { misconfigured, passing } from '../auth-providers/faults.ts';
import type {
  Forwarding,
  ProviderAccess,
  ProviderAnswer,
  ProviderRef,
} from '../auth-providers/kind.ts';
import type { AuthProviderError } from '../errors.ts';
import type { AllowHost } from '../net/addresses.ts';
import type { HttpResponse, ResponseHeaders, Send } from '../net/guarded-send.ts';
import { jsonOrText } from '../sources/kit/refusal.ts';

const OWN_BYTES = 64 * 2 ** 10;

export interface ProxiedConnection {
  readonly ref: ProviderRef;
  readonly forwarding: Forwarding<unknown, unknown>;
  readonly place: unknown;
  /** Reads the credentials of the provider. */
  readonly open: () => Promise<ProviderAccess<unknown>>;
  /** A request that the provider forwards goes only to hosts to which we would send it ourselves. */
  readonly allowHost: AllowHost;
}

/** Returns a `send` that makes the provider send each request. `send` sends to the provider. */
export function forwardBy(send: Send, proxied: ProxiedConnection): Send {
  const { ref, forwarding, place, open, allowHost } = proxied;
  let access: Promise<ProviderAccess<unknown>> | undefined;

  async function fail(fault: AuthProviderError, used: ProviderAccess<unknown>): Promise<never> {
    access = undefined;
    // An admin may have given the provider new credentials since this source was opened.
    const isChanged =
      fault.kind === 'config' && !isDeepStrictEqual((await open()).credentials, used.credentials);
    throw isChanged ? passing(ref, 'has new credentials') : fault;
  }

  return async (url, request) => {
    await allowHost(url.hostname);
    access ??= open();
    const used = await access.catch((error: unknown) => {
      access = undefined;
      throw error;
    });
    const { headers } = request;
    const wrapped = forwarding.wrap(used, place, { url, headers });
    const answer = await send(wrapped.url, { ...request, headers: wrapped.headers });
    if (!forwarding.mayBeOwn(answer)) return withHidden(ref, forwarding, answer);
    const { pieces, text } = await beginningOf(answer.body);
    const read: ProviderAnswer = { ...answer, headers: answer.headers, body: jsonOrText(text) };
    const fault = forwarding.refusal(ref, { ...read, status: answer.status });
    if (fault) return fail(fault, used);
    return { status: answer.status, headers: answer.headers, body: each(pieces) };
  };
}

/** Only the beginning of an answer that is not successful is used (net/request.ts). */
async function beginningOf(body: HttpResponse['body']) {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    pieces.push(piece);
    bytes += piece.byteLength;
    if (bytes > OWN_BYTES) break;
  }
  const whole = Buffer.concat(pieces).subarray(0, OWN_BYTES);
  return { pieces, text: new TextDecoder().decode(whole) };
}

async function* each(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

/**
 * A header that the proxy does not pass on must not look like one that the service has not sent: a listing whose link to
 * the next page is lost would end early, and the records of the other pages would be deleted.
 */
function withHidden(
  ref: ProviderRef,
  { passedHeaders }: Forwarding<unknown, unknown>,
  { status, headers, body }: HttpResponse,
): HttpResponse {
  if (!passedHeaders) return { status, headers, body };
  const seen: ResponseHeaders = {
    get(name) {
      const value = headers.get(name);
      if (value === null && !passedHeaders.has(name.toLowerCase()))
        throw misconfigured(
          ref,
          `does not pass on the header '${name}', which the source needs`,
          'Use the mode token.',
        );
      return value;
    },
    [Symbol.iterator]: () => headers[Symbol.iterator](),
  };
  return { status, headers: seen, body };
}

/** Sends to these origins through the proxy, and to all others directly. */
export const routeBy =
  (origins: ReadonlySet<string>, { proxied, direct }: { proxied: Send; direct: Send }): Send =>
  (url, request) =>
    (origins.has(url.origin) ? proxied : direct)(url, request);
