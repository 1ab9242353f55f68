/**
 * Connectors ask their service through this file. It signs every request, so a connector never sees a token.
 *
 * Only a complete answer is used. An answer that breaks off, takes too long, is not JSON or has another shape is an
 * error: if it counted as a page with fewer records, the sweep would delete the missing ones. Connectors only read, so
 * a request that fails in the network is tried again a few times, whatever its method is. When a service asks us to
 * wait for at most `patience` seconds, this code waits, but never shorter than after a failure; for a longer wait the
 * job is parked. When a service answers 401, the request is signed and sent once more, because the token may have expired meanwhile. Signed requests go only to
 * the origins that the source names, even when a redirect or a link to the next page names another origin.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { z } from 'zod';
import { SourceError, SourceRateLimitExceededException } from '../../errors.ts';
import type { FileRef } from '../../model/entity.ts';
import type { ResponseHeaders } from '../../net/guarded-send.ts';
import {
  type GuardedRequest,
  type Read,
  RequestFailure,
  readJson,
  request,
  requestInto,
  type TextAnswer,
} from '../../net/request.ts';
import { type CloudApi, originsOf, type ServicePlace } from '../api.ts';
import type { Outgoing, SignedRequest } from '../auth.ts';
import type { SourceContext } from '../define.ts';
import { base64Field } from './base64-field.ts';
import { downloadFile, type FileToDownload } from './file.ts';
import { dataOf, GraphQLAnswer } from './graphql.ts';
import { type CloudRequest, ofAnyType, outgoingOf, unsignedOf } from './outgoing.ts';
import { refusalOf, sourceErrorOf } from './refusal.ts';
import { readXml } from './xml.ts';

/** A request is tried this many times, the first attempt included. */
const ATTEMPTS = 4;
/**
 * This is the pause before the second attempt. It doubles before each later attempt, and a random part of up to a half
 * is added.
 */
const PAUSE_MS = 500;
const PATIENCE_S = 10;
const CONCURRENCY = 4;
const LIMITS = { deadlineMs: 60_000, maxBytes: 32 * 2 ** 20, redirects: 5 };
/** A file of 100 MB arrives in this time at 170 kB/s. Its size is limited in `file.ts`. */
const FILE_LIMITS = {
  deadlineMs: 600_000,
  maxBytes: Number.POSITIVE_INFINITY,
  redirects: 5,
  leavesOrigin: true,
};
/** RFC 9110, section 5.5, allows these characters in the value of a header. */
const HEADER = /^[\t\x20-\x7e\x80-\xff]*$/;

interface CloudAnswer<T> {
  readonly value: T;
  readonly headers: ResponseHeaders;
}

/**
 * Each function throws a SourceError: 'auth' for 401; 'skip' for 403, 404, 410 and 451, which concern only the
 * requested resource; 'rate_limited' when the service asks us to wait; 'transient' when no attempt returned a complete
 * answer; 'fatal' for other failures, which would only repeat; and any error that `refusal` of the source returns.
 * Throws the reason of the signal when the signal aborts.
 */
export interface Http {
  json<T>(request: CloudRequest, schema: z.ZodType<T>): Promise<CloudAnswer<T>>;
  /** The schema is for the form that `xml.ts` describes. */
  xml<T>(request: CloudRequest, schema: z.ZodType<T>): Promise<CloudAnswer<T>>;
  /** The answer may be CSV or any other text. */
  text(request: CloudRequest): Promise<CloudAnswer<string>>;
  /** Returns the `data` of the answer. An answer with `errors` is a failure, even if it also has data. */
  graphql<T>(query: string, variables: object, schema: z.ZodType<T>): Promise<T>;
  /**
   * Stores the body in a temporary file, which the pipeline removes after its text is extracted. Throws LeftOutFile for
   * a file that is too large or has no text, if possible before its content is requested.
   */
  file(request: CloudRequest, file: FileToDownload): Promise<FileRef>;
  /** Throws a SourceError 'fatal' for an address outside of the source's origins, such as a link that is stored. */
  checkAddress(address: string): void;
  /** Does the same with bytes that the service has sent within another answer. */
  keep(bytes: Uint8Array, file: FileToDownload): Promise<FileRef>;
}

export type HttpContext = Pick<
  SourceContext<unknown, unknown>,
  'send' | 'authorizer' | 'meter' | 'signal' | 'downloads'
>;

export type OpenedApi = Omit<CloudApi<unknown>, 'baseUrl' | 'alsoAt'> & ServicePlace;

/** A request that is signed and ready to be sent. */
interface Ready {
  readonly url: URL;
  readonly options: Omit<GuardedRequest, 'deadlineMs' | 'maxBytes'>;
  /** Throws a SourceError when the service refuses the request, by the status or by rules of its own. */
  readonly check: (answer: TextAnswer) => void;
}

export function openHttp(ctx: HttpContext, api: OpenedApi): Http {
  const { send, authorizer, meter, signal } = ctx;
  const base = new URL(api.baseUrl.replace(/\/*$/, '/'));
  const origins = originsOf(api);
  const limit = pLimit(api.concurrency ?? CONCURRENCY);

  /** Makes attempts until `exchange` succeeds or another attempt would not help. */
  async function ask<T>(asked: CloudRequest, exchange: (ready: Ready) => Promise<T>): Promise<T> {
    const outgoing = asked.isUnsigned
      ? unsignedOf(asked)
      : outgoingOf(asked, { ...api, base, origins });
    const once = () => {
      signal.throwIfAborted();
      return asked.isUnsigned
        ? exchangeUnsigned(outgoing, exchange)
        : exchangeSigned(outgoing, exchange, !asked.isRefusalAmbiguous);
    };
    for (let attempt = 1; ; attempt++) {
      try {
        return await limit(once);
      } catch (error) {
        signal.throwIfAborted();
        const wait = attempt < ATTEMPTS ? pauseAfter(error, attempt, api) : undefined;
        if (wait === undefined) throw error;
        await sleep(wait, undefined, { signal });
      }
    }
  }

  async function signed(outgoing: Outgoing, refused: string | null) {
    const signature = await authorizer.sign(outgoing, refused, signal);
    const headers = { ...outgoing.headers, ...signature.headers };
    // This check comes first, because the error of the library would quote the credentials.
    if (Object.values(headers).some((value) => !HEADER.test(value)))
      throw new SourceError('auth', 'the credentials have characters that cannot be sent');
    return { signature, outgoing: { ...outgoing, headers } };
  }

  /** Signs and sends the request. If it may renew, it does so once more when the service refuses the signature. */
  async function exchangeSigned<T>(
    asked: Outgoing,
    exchange: (ready: Ready) => Promise<T>,
    mayRenew: boolean,
  ): Promise<T> {
    const { signature, outgoing } = await signed(asked, null);
    try {
      return await exchangeReady(signature, outgoing, exchange);
    } catch (error) {
      const isSignature = error instanceof SourceError && error.kind === 'auth';
      if (!isSignature || signature.stamp === null || !mayRenew) throw error;
      const renewed = await signed(asked, signature.stamp);
      return exchangeReady(renewed.signature, renewed.outgoing, exchange);
    }
  }

  /** A 401 concerns the link, and not the sign-in of the connection. */
  async function exchangeUnsigned<T>(
    outgoing: Outgoing,
    exchange: (ready: Ready) => Promise<T>,
  ): Promise<T> {
    try {
      return await exchangeReady(
        { url: outgoing.url, headers: {}, stamp: null },
        outgoing,
        exchange,
      );
    } catch (error) {
      const isRefused = error instanceof SourceError && error.kind === 'auth';
      throw isRefused ? new SourceError('skip', error.message, { cause: error }) : error;
    }
  }

  async function exchangeReady<T>(
    signed: SignedRequest,
    { method, headers, body }: Outgoing,
    exchange: (ready: Ready) => Promise<T>,
  ): Promise<T> {
    const { url } = signed;
    const check = (answer: TextAnswer) => {
      const refusal = refusalOf(answer, signed, api);
      if (refusal) throw refusal;
    };
    try {
      return await exchange({ url, options: { method, headers, body, signal, meter }, check });
    } catch (error) {
      throw error instanceof RequestFailure ? sourceErrorOf(error, url) : error;
    }
  }

  const text = (asked: CloudRequest): Promise<TextAnswer> =>
    ask(asked, async ({ url, options, check }) => {
      const answer = await request(send, url, { ...options, ...LIMITS });
      check(answer);
      return answer;
    });

  const readBy = <T>(asked: CloudRequest, read: (text: string) => Read<T>) =>
    ask<CloudAnswer<T>>(asked, async ({ url, options, check }) => {
      const answer = await request(send, url, { ...options, ...LIMITS });
      check(answer);
      const { value, failure } = read(answer.text);
      if (failure) throw failure;
      return { value, headers: answer.headers };
    });
  const json = <T>(asked: CloudRequest, schema: z.ZodType<T>) =>
    readBy(asked, (text) => readJson(text, schema));

  return {
    json,
    xml: (asked, schema) => readBy(ofAnyType(asked), (text) => readXml(text, schema)),
    async text(asked) {
      const answer = await text(ofAnyType(asked));
      return { value: answer.text, headers: answer.headers };
    },
    async graphql(query, variables, schema) {
      const path = api.graphqlPath ?? 'graphql';
      const { value } = await json({ path, body: { query, variables } }, GraphQLAnswer);
      return dataOf(value, schema, new URL(path, base));
    },
    file: (asked, file) =>
      downloadFile(ctx.downloads, file, (sink) =>
        ask(ofAnyType(asked), async ({ url, options, check }) => {
          const field = asked.base64In;
          const take = await sink();
          const decoder = field === undefined ? null : base64Field(field, take);
          const into = { ...options, ...FILE_LIMITS, sink: decoder?.take ?? take };
          check(await requestInto(send, url, into));
          decoder?.end();
        }),
      ),
    checkAddress(address) {
      outgoingOf({ path: address }, { ...api, base, origins });
    },
    keep: (bytes, file) =>
      downloadFile(ctx.downloads, file, async (sink) => {
        const take = await sink();
        await take(bytes);
      }),
  };
}

/** Returns the pause before the next attempt in milliseconds, or undefined when another attempt would not help. */
function pauseAfter(
  error: unknown,
  attempt: number,
  { patience = PATIENCE_S }: OpenedApi,
): number | undefined {
  if (!(error instanceof SourceError)) return undefined;
  const pause = PAUSE_MS * 2 ** (attempt - 1) * (1 + Math.random() / 2);
  if (error.kind === 'transient') return pause;
  // A request that is over a limit of the organization has already waited in `send`, which counts it.
  if (error.kind !== 'rate_limited' || error instanceof SourceRateLimitExceededException)
    return undefined;
  const seconds = error.retryAfter ?? Number.POSITIVE_INFINITY;
  if (patience === 0 || seconds > patience) return undefined;
  // A service may ask for no time at all, and must still not be asked again at once.
  return Math.max(pause, Math.ceil(seconds * 1000));
}
