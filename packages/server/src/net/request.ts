/**
 * Sends one request to another service. Sources, models, issuers and webhooks all use this file. Each of them writes
 * its own error messages, and decides itself whether to try again.
 *
 * `request` returns a successful answer (a status below 300) whole or not at all: an answer that breaks off, comes too
 * late or is too large is a failure. Of any other answer only the beginning is returned.
 */
import type { z } from 'zod';
import { within } from '../util.ts';
import type { HttpResponse, RequestBody, ResponseHeaders, Send } from './guarded-send.ts';
import { countSpent } from './spent-buffers.ts';

/** At most this many bytes of an unsuccessful answer are read, because its beginning says why the request failed. */
const REFUSAL_BYTES = 64 * 2 ** 10;

/**
 * `not_json` and `form` come from `readJson`: the body is not JSON, or its JSON does not fit the schema. `broken`
 * stands for every other failure.
 */
export type RequestFault = 'late' | 'too_large' | 'redirected' | 'broken' | 'not_json' | 'form';

/** The caller writes the message into a sentence of its own. Examples are `over 1024 bytes` and `ECONNRESET`. */
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
  /** The default is POST for a request with a body, and GET for one without. */
  readonly method?: string;
  readonly body: RequestBody;
  readonly signal: AbortSignal;
  /** `request` must end within this time, with the whole answer; `requestStatus` must have the status by then. */
  readonly deadlineMs: number;
  /** `request` throws when a successful answer is longer; `requestStatus` returns the beginning. */
  readonly maxBytes: number;
  /**
   * At most this many redirects within the origin are followed, with the same headers and body; a POST that is
   * answered with 301 to 303 is followed by a GET. With 0, the default, a redirect is returned as the answer.
   */
  readonly redirects?: number;
  /**
   * If true, redirects to other origins are followed, too, but without the headers, which may contain credentials.
   * Services redirect a download to a store of files in this way.
   */
  readonly leavesOrigin?: boolean;
  /** The requests that are sent and the bytes of the bodies that are read are added to these numbers. */
  readonly meter?: { requests: number; bytes: number };
}

export interface TextAnswer {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly text: string;
}

/** Throws a RequestFailure, or the reason of the signal. */
export async function request(send: Send, url: URL, asked: GuardedRequest): Promise<TextAnswer> {
  return inTime(asked, async (signal) => {
    const { status, headers, body } = await follow(send, url, { ...asked, signal });
    const pieces: Uint8Array[] = [];
    const maxBytes = status < 300 ? asked.maxBytes : REFUSAL_BYTES;
    const isWhole = await readInto(pieces, body, { maxBytes, meter: asked.meter });
    if (!isWhole && status < 300) throw new RequestFailure('too_large', `over ${maxBytes} bytes`);
    return { status, headers, text: textOf(pieces, maxBytes) };
  });
}

export interface RequestInto extends GuardedRequest {
  readonly sink: (piece: Uint8Array) => Promise<void>;
  /** Returns false when the body of a successful answer is not needed: it is not read, and its connection is closed. */
  readonly wants?: (answer: Pick<TextAnswer, 'status' | 'headers'>) => boolean;
}

/**
 * Gives the body of a successful answer to `sink`, piece by piece; the returned text is then empty. The next piece is
 * read when `sink` has taken the one before it. Throws as `request` does, and an error of `sink` unchanged.
 */
export async function requestInto(
  send: Send,
  url: URL,
  { sink, wants = () => true, ...asked }: RequestInto,
): Promise<TextAnswer> {
  const { maxBytes, meter } = asked;
  let broken: { readonly error: unknown } | undefined;
  const take = async (piece: Uint8Array) => {
    const { byteLength } = piece;
    await sink(piece).catch((error: unknown) => {
      broken = { error };
      throw error;
    });
    countSpent(byteLength);
  };
  try {
    return await inTime(asked, async (signal) => {
      const { status, headers, body } = await follow(send, url, { ...asked, signal });
      const pieces: Uint8Array[] = [];
      if (status >= 300) await readInto(pieces, body, { maxBytes: REFUSAL_BYTES, meter });
      else if (!wants({ status, headers })) await readInto([], body, { maxBytes: 0, meter });
      else if (!(await eachPiece(body, { maxBytes, meter }, take)))
        throw new RequestFailure('too_large', `over ${maxBytes} bytes`);
      return { status, headers, text: textOf(pieces, REFUSAL_BYTES) };
    });
  } catch (error) {
    throw broken ? broken.error : error;
  }
}

/**
 * Sends a request of which only the status matters. The body is read for at most `bodyMs` milliseconds and `maxBytes`
 * bytes; then the connection is closed, and `text` is the part that was read. Throws as `request` does until the status
 * arrives, and never after that.
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
    await readInto(pieces, body, { maxBytes: asked.maxBytes, meter: asked.meter });
  } catch {
    // The outcome does not depend on whether we or the service closed the connection.
  } finally {
    clearTimeout(timer);
    cutting.abort();
  }
  return { status, headers, text: textOf(pieces, asked.maxBytes) };
}

export type Read<T> =
  | { readonly value: T; readonly failure?: undefined }
  | { readonly value?: undefined; readonly failure: RequestFailure };

export function readJson<T>(text: string, schema: z.ZodType<T>): Read<T> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // An incomplete answer looks like this when the service did not announce its length.
    return { failure: new RequestFailure('not_json', 'a body that is not JSON') };
  }
  return readForm(json, schema);
}

export function readForm<T>(parsed: unknown, schema: z.ZodType<T>): Read<T> {
  const { success, data, error } = schema.safeParse(parsed);
  if (success) return { value: data };
  const where = error.issues[0]?.path.join('.');
  return { failure: new RequestFailure('form', `an unknown form (${where})`) };
}

/** Returns the URL as text without its query, which may contain a secret. */
export const withoutQuery = ({ origin, pathname }: URL): string => `${origin}${pathname}`;

async function inTime<T>(
  { deadlineMs, signal }: GuardedRequest,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = () => new RequestFailure('late', `no answer in ${Math.round(deadlineMs)} ms`);
  return within({ ms: deadlineMs, late, signal }, async (combined) => {
    try {
      return await work(combined);
    } catch (error) {
      combined.throwIfAborted();
      if (error instanceof RequestFailure) throw error;
      // An error of fetch has the reason in its cause.
      const reason = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
      throw new RequestFailure('broken', reason.code ?? reason.message, reason);
    }
  });
}

async function follow(send: Send, url: URL, asked: GuardedRequest): Promise<HttpResponse> {
  const { signal, redirects = 0, meter } = asked;
  const method = asked.method ?? (asked.body === null ? 'GET' : 'POST');
  let sent: Sent = { method, headers: asked.headers, body: asked.body };
  let at = url;
  const onUnsent = () => {
    if (meter) meter.requests--;
  };
  for (let left = redirects; ; left--) {
    if (meter) meter.requests++;
    const answer = await send(at, { ...sent, signal, onUnsent });
    const isRedirect = answer.status >= 300 && answer.status < 400;
    const target = isRedirect && redirects > 0 ? answer.headers.get('location') : null;
    if (target === null) return answer;
    await readInto([], answer.body, { maxBytes: REFUSAL_BYTES, meter });
    at = new URL(target, at);
    sent = afterRedirect(answer.status, sent);
    if (at.origin !== url.origin) {
      if (!asked.leavesOrigin) throw new RequestFailure('redirected', `redirects to ${at.origin}`);
      sent = { ...sent, headers: {} };
    }
    if (left === 0) throw new RequestFailure('redirected', 'redirects without an end');
  }
}

type Sent = Required<Pick<GuardedRequest, 'method' | 'headers' | 'body'>>;

/** As in a browser, a redirected POST is over, and its answer is at the target (RFC 9110, 15.4). */
function afterRedirect(status: number, sent: Sent): Sent {
  if (sent.method !== 'POST' || status > 303) return sent;
  const headers = Object.entries(sent.headers).filter(([name]) => !/^content-type$/i.test(name));
  return { method: 'GET', headers: Object.fromEntries(headers), body: null };
}

interface BodyLimits {
  readonly maxBytes: number;
  readonly meter: GuardedRequest['meter'];
}

/**
 * Appends a body to `pieces`. Reads it to its end, so that the connection can be used again. When the body has more
 * than `maxBytes` bytes, closes the connection and returns false.
 */
const readInto = (
  pieces: Uint8Array[],
  body: HttpResponse['body'],
  limits: BodyLimits,
): Promise<boolean> =>
  eachPiece(body, limits, async (piece) => {
    pieces.push(piece);
  });

/** Gives each piece to `take`. After the piece that exceeds `maxBytes`, closes the connection and returns false. */
async function eachPiece(
  body: HttpResponse['body'],
  { maxBytes, meter }: BodyLimits,
  take: (piece: Uint8Array) => Promise<void>,
): Promise<boolean> {
  let bytes = 0;
  for await (const piece of body ?? []) {
    bytes += piece.byteLength;
    if (meter) meter.bytes += piece.byteLength;
    await take(piece);
    if (bytes > maxBytes) return false;
  }
  return true;
}

/** Decodes the first `maxBytes` bytes. When the limit divides a character, the character is left out. */
const textOf = (pieces: readonly Uint8Array[], maxBytes: number): string =>
  new TextDecoder().decode(Buffer.concat(pieces).subarray(0, maxBytes), { stream: true });
