/**
 * One request to a service of others. Sources, models, issuers and webhooks all ask through this file. Each of them
 * says failures in its own words, and decides itself whether another try may help.
 *
 * An answer of success counts only when it is whole: one that breaks off, comes too late or is too large is a
 * failure, and never a shorter answer. Of a refusal, only the beginning is read.
 */
import type { z } from 'zod';
import { within } from '../util.ts';
import type { HttpResponse, ResponseHeaders, Send } from './guarded-send.ts';

/** This much of a refusal is enough to say why. */
const REFUSAL_BYTES = 64 * 2 ** 10;

/** An answer is not JSON, or has another `form` than asked for; anything else that goes wrong is `broken`. */
export type RequestFault = 'late' | 'too_large' | 'redirected' | 'broken' | 'not_json' | 'form';

/** The message is the end of a sentence for the words of the caller, such as `over 1024 bytes` or `ECONNRESET`. */
export class RequestFailure extends Error {
  override readonly name = 'RequestFailure';
  readonly fault: RequestFault;

  constructor(fault: RequestFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.fault = fault;
  }
}

export interface GuardedRequest {
  readonly headers: Readonly<Record<string, string>>;
  /** A request with a body is a POST, one without is a GET. */
  readonly body: string | null;
  readonly signal: AbortSignal;
  /** The time runs until the end of the answer, or until its status where only the status counts. */
  readonly deadlineMs: number;
  readonly maxBytes: number;
  /** So many redirects within the origin are followed, with the same headers and body. */
  readonly redirects?: number;
  /** Counts what is sent and read. */
  readonly meter?: { requests: number; bytes: number };
}

export interface TextAnswer {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly text: string;
}

/** Without `redirects`, a redirect is an answer. Throws a RequestFailure, or the reason of the signal. */
export async function request(send: Send, url: URL, asked: GuardedRequest): Promise<TextAnswer> {
  return inTime(asked, async (signal) => {
    const { status, headers, body } = await follow(send, url, { ...asked, signal });
    const pieces: Uint8Array[] = [];
    const most = status < 300 ? asked.maxBytes : REFUSAL_BYTES;
    const isWhole = await readInto(pieces, body, { most, meter: asked.meter });
    if (!isWhole && status < 300) throw new RequestFailure('too_large', `over ${most} bytes`);
    return { status, headers, text: textOf(pieces, most) };
  });
}

/**
 * Sends a request whose outcome is the status. Of the body only the beginning is returned: behind `maxBytes`, or
 * `bodyMs` after the status, the connection is cut, however much is still to come and however slowly.
 * Throws as `request` does, but only before the status is there.
 */
export async function requestStatus(
  send: Send,
  url: URL,
  { bodyMs, ...asked }: GuardedRequest & { readonly bodyMs: number },
): Promise<TextAnswer> {
  const cutting = new AbortController();
  const cuttable = AbortSignal.any([asked.signal, cutting.signal]);
  const { status, headers, body } = await inTime({ ...asked, signal: cuttable }, (signal) =>
    follow(send, url, { ...asked, signal }),
  );
  const pieces: Uint8Array[] = [];
  const timer = setTimeout(() => cutting.abort(), bodyMs);
  try {
    await readInto(pieces, body, { most: asked.maxBytes, meter: asked.meter });
  } catch {
    // The outcome does not depend on whether we or the service cut the connection.
  } finally {
    clearTimeout(timer);
    cutting.abort();
  }
  return { status, headers, text: textOf(pieces, asked.maxBytes) };
}

type ReadJson<T> =
  | { readonly value: T; readonly failure?: undefined }
  | { readonly value?: undefined; readonly failure: RequestFailure };

export function readJson<T>(text: string, schema: z.ZodType<T>): ReadJson<T> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // Half an answer looks like this when the service did not say how long the answer is.
    return { failure: new RequestFailure('not_json', 'a body that is not JSON') };
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return { value: parsed.data };
  const where = parsed.error.issues[0]?.path.join('.');
  return { failure: new RequestFailure('form', `an unknown form (${where})`) };
}

/** Leaves out the query of a URL, which may hold a secret. */
export const nameOf = ({ origin, pathname }: URL): string => `${origin}${pathname}`;

async function inTime<T>(
  { deadlineMs, signal }: GuardedRequest,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = () => new RequestFailure('late', `no answer in ${Math.round(deadlineMs)} ms`);
  return within({ ms: deadlineMs, late, signal }, async (either) => {
    try {
      return await work(either);
    } catch (error) {
      either.throwIfAborted();
      if (error instanceof RequestFailure) throw error;
      // An error of fetch has the reason in its cause.
      const reason = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
      throw new RequestFailure('broken', reason.code ?? reason.message, reason);
    }
  });
}

async function follow(send: Send, url: URL, asked: GuardedRequest): Promise<HttpResponse> {
  const { headers, body, signal, redirects = 0, meter } = asked;
  const method = body === null ? 'GET' : 'POST';
  let at = url;
  for (let left = redirects; ; left--) {
    if (meter) meter.requests++;
    const answer = await send(at, { method, headers, body, signal });
    const isRedirect = answer.status >= 300 && answer.status < 400;
    const target = isRedirect && redirects > 0 ? answer.headers.get('location') : null;
    if (target === null) return answer;
    await readInto([], answer.body, { most: REFUSAL_BYTES, meter });
    at = new URL(target, at);
    if (at.origin !== url.origin)
      throw new RequestFailure('redirected', `redirects to ${at.origin}`);
    if (left === 0) throw new RequestFailure('redirected', 'redirects without an end');
  }
}

/**
 * Reads a body to its end, so that the connection can be used again. Returns false when it has cut
 * the connection, because there are over `most` bytes.
 */
async function readInto(
  pieces: Uint8Array[],
  body: HttpResponse['body'],
  { most, meter }: { readonly most: number; readonly meter: GuardedRequest['meter'] },
): Promise<boolean> {
  let bytes = 0;
  for await (const piece of body ?? []) {
    bytes += piece.byteLength;
    if (meter) meter.bytes += piece.byteLength;
    pieces.push(piece);
    if (bytes > most) return false;
  }
  return true;
}

/** A character that was cut in half is left out. */
const textOf = (pieces: readonly Uint8Array[], most: number): string =>
  new TextDecoder().decode(Buffer.concat(pieces).subarray(0, most), { stream: true });
