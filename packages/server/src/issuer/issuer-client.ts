/**
 * This client sends requests to the issuer. An answer that is late, incomplete, not JSON or of an unexpected shape
 * counts as a failure of the issuer; when the caller expects the status of the answer, its body may be anything.
 * Redirects are not followed.
 *
 * The issuer may be at any address, because the operator has configured it. The metadata of the issuer may name
 * addresses at other origins; these must use TLS and be public. QUARRY_ALLOW_LOOPBACK also allows this machine.
 */
import type { z } from 'zod';
import { type Send, sendUnchecked } from '../net/guarded-send.ts';
import { type RequestFailure, readJson, request, withoutQuery } from '../net/request.ts';
import { IssuerFailure } from './failures.ts';

/** The deadline covers the time from the request to the end of the answer. */
const DEADLINE_MS = 5_000;
const MAX_BYTES = 512 * 1024;

interface IssuerRequest {
  readonly headers?: Readonly<Record<string, string>>;
  /** The form is sent by POST. */
  readonly form?: Readonly<Record<string, string>>;
  /** The caller accepts these statuses in addition to 2xx, whatever the body is. */
  readonly expected?: readonly number[];
}

/** `value` is set for every 2xx. For a status in `expected`, `value` is set only when the body fits the schema. */
interface Reply<T> {
  readonly status: number;
  readonly value?: T | undefined;
}

/** Sends one request to the issuer. Throws an IssuerFailure. */
export type AskIssuer = <T>(
  url: URL,
  schema: z.ZodType<T>,
  question?: IssuerRequest,
) => Promise<Reply<T>>;

/** `guarded` sends the requests to origins other than the issuer's own. */
export function createAsk(issuer: string, guarded: Send, deadlineMs = DEADLINE_MS): AskIssuer {
  const { origin } = new URL(issuer);

  function senderTo(url: URL): Send {
    if (url.origin === origin) return sendUnchecked;
    if (url.protocol !== 'https:')
      throw new IssuerFailure(
        `the address ${withoutQuery(url)} in the issuer's metadata must begin with https://`,
      );
    return guarded;
  }

  return async (url, schema, { headers = {}, form, expected = [] } = {}) => {
    const send = senderTo(url);
    const failed = (what: string, cause?: unknown) =>
      new IssuerFailure(`${withoutQuery(url)} ${what}`, { cause });
    const { status, text } = await request(send, url, {
      headers: {
        accept: 'application/json',
        'user-agent': 'Quarry',
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
      body: form ? new URLSearchParams(form).toString() : null,
      // Several callers may wait for the same answer, so the signal of one client must not end the request.
      signal: new AbortController().signal,
      deadlineMs,
      maxBytes: MAX_BYTES,
    }).catch((error: RequestFailure) => {
      if (error.fault === 'late') throw failed(`did not answer in ${deadlineMs} ms`);
      if (error.fault === 'too_large') throw failed(`answered with ${error.message}`);
      throw failed(`could not be read (${error.message})`, error);
    });
    const { value, failure } = readJson(text, schema);
    if (expected.includes(status)) return { status, value };
    if (status < 200 || status > 299) throw failed(`answered ${status}`);
    if (failure) throw failed(`answered with ${failure.message}`);
    return { status, value };
  };
}
