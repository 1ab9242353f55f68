/**
 * This client asks the issuer. An answer is complete, in time and JSON of a known shape, or it counts as a failure
 * of the issuer. Redirects are not followed.
 *
 * The issuer itself may be anywhere, because the operator has named it. Addresses that the issuer names at another
 * origin are reached as cloud services are, and never without TLS.
 */
import type { z } from 'zod';
import { createSend, type Send } from '../../net/guarded-send.ts';
import { IssuerFailure } from './failures.ts';

/** The deadline covers the time from the request to the end of the answer. */
const DEADLINE_MS = 5_000;
const LARGEST_BYTES = 512 * 1024;

interface IssuerRequest {
  readonly headers?: Readonly<Record<string, string>>;
  /** The form is sent by POST. */
  readonly form?: Readonly<Record<string, string>>;
  /** These statuses beside 2xx mean something to the caller, whatever their body is. */
  readonly expected?: readonly number[];
}

/** The `value` is set for every 2xx, and for other statuses when the body has the expected shape. */
interface Reply<T> {
  readonly status: number;
  readonly value?: T | undefined;
}

/** Throws an IssuerFailure. */
export type AskIssuer = <T>(
  url: URL,
  schema: z.ZodType<T>,
  question?: IssuerRequest,
) => Promise<Reply<T>>;

/** The `guarded` way leads out to cloud services. */
export function createAsk(issuer: string, guarded: Send, deadlineMs = DEADLINE_MS): AskIssuer {
  const { origin } = new URL(issuer);
  const direct = createSend(async (host) => host.replace(/^\[(.*)\]$/, '$1'));

  function wayTo(url: URL): Send {
    if (url.origin === origin) return direct;
    if (url.protocol !== 'https:')
      throw new IssuerFailure(`${nameOf(url)} is not reached by https`);
    return guarded;
  }

  return async (url, schema, { headers = {}, form, expected = [] } = {}) => {
    const send = wayTo(url);
    // Several callers may wait for the same answer, so no client's signal ends the request.
    const late = new AbortController();
    const { signal } = late;
    const timer = setTimeout(() => {
      late.abort(new IssuerFailure(`${nameOf(url)} did not answer in ${deadlineMs} ms`));
    }, deadlineMs);
    try {
      const { status, body } = await send(url, {
        method: form ? 'POST' : 'GET',
        headers: {
          accept: 'application/json',
          'user-agent': 'Quarry',
          ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
          ...headers,
        },
        body: form ? new URLSearchParams(form).toString() : null,
        signal,
      });
      const text = await textOf(body, url);
      const { value, why } = read(text, schema);
      if (expected.includes(status)) return { status, value };
      if (status < 200 || status > 299)
        throw new IssuerFailure(`${nameOf(url)} answered ${status}`);
      if (why !== undefined) throw new IssuerFailure(`${nameOf(url)} answered with ${why}`);
      return { status, value };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof IssuerFailure) throw error;
      // An error of fetch holds the reason in its cause.
      const { message, cause } = error as Error & { cause?: { code?: string; message?: string } };
      const why = cause?.code ?? cause?.message ?? message;
      throw new IssuerFailure(`${nameOf(url)} could not be read (${why})`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  };
}

async function textOf(body: AsyncIterable<Uint8Array> | null, url: URL): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    bytes += piece.byteLength;
    if (bytes > LARGEST_BYTES)
      throw new IssuerFailure(`${nameOf(url)} answered with over ${LARGEST_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function read<T>(text: string, schema: z.ZodType<T>): { value?: T; why?: string } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { why: 'a body that is not JSON' };
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return { value: parsed.data };
  return { why: `an unknown form (${parsed.error.issues[0]?.path.join('.')})` };
}

/** Leaves out the query of the URL, because it may hold a secret. */
const nameOf = (url: URL) => `${url.origin}${url.pathname}`;
