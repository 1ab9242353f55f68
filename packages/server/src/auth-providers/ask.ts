/**
 * Asks an auth provider, and reads its answer, whatever it is. An answer that is not the provider's own (5xx, HTML, cut or
 * late) says nothing about the connection: it is 'transient'. Nothing that we sent comes back in a message.
 */
import type { z } from 'zod';
import { AuthProviderError, SourceError } from '../errors.ts';
import { secretForms, withoutForms } from '../model/without-secrets.ts';
import { isConfidential } from '../net/addresses.ts';
import type { ResponseHeaders } from '../net/guarded-send.ts';
import { RequestFailure, readJson, request, withoutQuery } from '../net/request.ts';
import type { HeaderFields } from '../sources/auth.ts';
import { jsonOrText } from '../sources/kit/refusal.ts';
import { faultByStatus, misconfigured, nameOf } from './faults.ts';
import type { ProviderAnswer, ProviderRef, ProviderTransport } from './kind.ts';

/** Two of these requests and one for a token fit into the claim of the keeper of tokens. */
const LIMITS = { deadlineMs: 10_000, maxBytes: 256 * 1024 };
const MIN_SECRET = 6;

export interface ProviderQuestion<T> {
  readonly ref: ProviderRef;
  readonly transport: ProviderTransport;
  readonly url: URL;
  readonly headers?: HeaderFields;
  /** The body is sent as JSON, by POST. */
  readonly body?: unknown;
  readonly schema: z.ZodType<T>;
  /** An answer with this status counts as a success. */
  readonly accepts?: number;
  /** Explains an answer where the status says too little. */
  readonly refusal?: (answer: ProviderAnswer) => AuthProviderError | undefined;
}

export interface ProviderReply<T> {
  readonly value: T;
  readonly headers: ResponseHeaders;
}

/** Returns the address below the base URL of the provider. The parts become segments of the path, and cannot leave them. */
export function addressAt(base: string, ...parts: readonly string[]): URL {
  const url = new URL(base);
  const path = parts.map((part) => encodeURIComponent(part)).join('/');
  url.pathname = `${url.pathname.replace(/\/*$/, '')}${path === '' ? '' : `/${path}`}`;
  return url;
}

/** Throws an AuthProviderError. */
export async function askProvider<T>(asked: ProviderQuestion<T>): Promise<ProviderReply<T>> {
  const { ref, transport, url, headers = {}, schema } = asked;
  const body = asked.body === undefined ? null : JSON.stringify(asked.body);
  const scrub = (error: AuthProviderError) => withoutSecrets(error, headers, asked.body);
  if (!isConfidential(url)) throw misconfigured(ref, 'has an address that is not an https address');
  // No caller may stop the request, because everybody who needs the same credentials waits for this answer.
  const { signal } = new AbortController();
  const answer = await request(transport.send, url, {
    ...LIMITS,
    headers: {
      accept: 'application/json',
      'user-agent': 'Quarry',
      ...(body !== null && { 'content-type': 'application/json' }),
      ...headers,
    },
    body,
    signal,
    ...(transport.meter && { meter: transport.meter }),
  }).catch((error: unknown) => {
    throw error instanceof RequestFailure ? failureOf(ref, error, url) : error;
  });
  const read: ProviderAnswer = { ...answer, body: jsonOrText(answer.text) };
  const isAccepted = answer.status === asked.accepts;
  const fault = isAccepted ? undefined : (asked.refusal?.(read) ?? faultByStatus(ref, read));
  if (fault) throw scrub(fault);
  const { value, failure } = readJson(answer.text, schema);
  if (failure) throw failureOf(ref, failure, url);
  return { value: value as T, headers: answer.headers };
}

/** An address that is not allowed, and a limit of the organization, explain themselves. */
function failureOf(
  ref: ProviderRef,
  { fault, message, cause }: RequestFailure,
  url: URL,
): SourceError {
  if (cause instanceof SourceError) return cause;
  const mayPass = fault === 'late' || fault === 'broken' || fault === 'not_json';
  const kind = mayPass ? 'transient' : 'config';
  const what = mayPass ? 'did not answer as expected' : 'answered in a form that is not known';
  return new AuthProviderError(
    kind,
    `${nameOf(ref)} ${what} at ${withoutQuery(url)} (${message})`,
    {
      cause,
    },
  );
}

/** A provider may repeat the request in its answer. */
function withoutSecrets(
  error: AuthProviderError,
  headers: HeaderFields,
  body: unknown,
): AuthProviderError {
  const values = [...Object.values(headers), ...Object.values(body ?? {})]
    .filter((value) => typeof value === 'string')
    .flatMap((value) => [value, ...value.split(' ')])
    .filter(({ length }) => length >= MIN_SECRET);
  const message = withoutForms(error.message, secretForms(values));
  const { kind, retryAfter, hint } = error;
  return new AuthProviderError(kind, message, { retryAfter, hint });
}
