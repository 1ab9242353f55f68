/**
 * This client asks the issuer. An answer is complete, in time and JSON of a known shape, or it counts as a failure
 * of the issuer. Redirects are not followed.
 *
 * The issuer itself may be anywhere, because the operator has named it. Addresses that the issuer names at another
 * origin are reached as cloud services are, and never without TLS.
 */
import type { z } from 'zod';
import { type Send, sendAnywhere } from '../../net/guarded-send.ts';
import { nameOf, type RequestFailure, readJson, request } from '../../net/request.ts';
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

  function wayTo(url: URL): Send {
    if (url.origin === origin) return sendAnywhere;
    if (url.protocol !== 'https:')
      throw new IssuerFailure(`${nameOf(url)} is not reached by https`);
    return guarded;
  }

  return async (url, schema, { headers = {}, form, expected = [] } = {}) => {
    const send = wayTo(url);
    const named = (what: string, cause?: unknown) =>
      new IssuerFailure(`${nameOf(url)} ${what}`, { cause });
    const { status, text } = await request(send, url, {
      headers: {
        accept: 'application/json',
        'user-agent': 'Quarry',
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
      body: form ? new URLSearchParams(form).toString() : null,
      // Several callers may wait for the same answer, so no client's signal ends the request.
      signal: new AbortController().signal,
      deadlineMs,
      maxBytes: LARGEST_BYTES,
    }).catch((error: RequestFailure) => {
      if (error.fault === 'late') throw named(`did not answer in ${deadlineMs} ms`);
      if (error.fault === 'too_large') throw named(`answered with ${error.message}`);
      throw named(`could not be read (${error.message})`, error);
    });
    const { value, failure } = readJson(text, schema);
    if (expected.includes(status)) return { status, value };
    if (status < 200 || status > 299) throw named(`answered ${status}`);
    if (failure) throw named(`answered with ${failure.message}`);
    return { status, value };
  };
}
