/**
 * A cloud source says here, as data, where its service is and how the service refuses. `ctx.http` is made of this data.
 */
import type { SourceError } from '../errors.ts';
import type { ResponseHeaders } from '../net/guarded-send.ts';
import type { HeaderFields } from './auth.ts';

export interface CloudApi<Config> {
  readonly baseUrl: string | ((config: Config) => string);
  /** A connection that does not sign in by direct credentials asks this address, if it is another one. */
  readonly oauthBaseUrl?: string;
  /** Requests to these further origins are signed, too. */
  readonly alsoAt?: readonly string[] | ((config: Config) => readonly string[]);
  readonly headers?: HeaderFields;
  /** The GraphQL endpoint is at this path below the base URL. The default is `graphql`. */
  readonly graphqlPath?: string;
  /** One connection runs at most this many requests at the same time. The default is 4. */
  readonly concurrency?: number;
  /**
   * When the service asks us to wait for at most this many seconds, the request waits. Otherwise it fails as
   * 'rate_limited', and the job waits. The default is 10.
   */
  readonly patience?: number;
  /** Returns the seconds to wait when a service sends them in other headers than Retry-After. */
  readonly retryAfter?: (headers: ResponseHeaders, now: number) => number | undefined;
  /**
   * Reads the error that the service describes in an answer; some services send errors with status 200. Returns
   * undefined when the answer is not a refusal, or when its status says enough.
   */
  readonly refusal?: (answer: ServiceAnswer) => SourceError | undefined;
}

export interface ServicePlace {
  readonly baseUrl: string;
  readonly alsoAt?: readonly string[] | undefined;
  /** Requests to these origins go to the origin of the base URL. */
  readonly replaces?: readonly string[] | undefined;
}

/**
 * Returns the address of the service: the one in the configuration of the connection if the source has it there,
 * otherwise the address that the operator has set, otherwise the usual one. The address of the operator, such as that
 * of a proxy, gets the requests to all origins of the source.
 */
export function placeOf<Config>(
  { oauthBaseUrl, alsoAt, ...api }: Pick<CloudApi<Config>, 'baseUrl' | 'oauthBaseUrl' | 'alsoAt'>,
  at: {
    readonly config: Config;
    readonly isDirect: boolean;
    readonly operatorBaseUrl?: string | undefined;
  },
): ServicePlace {
  const baseUrl = at.isDirect ? api.baseUrl : (oauthBaseUrl ?? api.baseUrl);
  const others = typeof alsoAt === 'function' ? alsoAt(at.config) : alsoAt;
  if (typeof baseUrl !== 'string') return { baseUrl: baseUrl(at.config), alsoAt: others };
  if (at.operatorBaseUrl === undefined) return { baseUrl, alsoAt: others };
  return { baseUrl: at.operatorBaseUrl, alsoAt: others, replaces: others };
}

/** Requests are signed only to these origins. */
export const originsOf = ({ baseUrl, alsoAt = [] }: ServicePlace): ReadonlySet<string> =>
  new Set([new URL(baseUrl).origin, ...alsoAt]);

interface ServiceAnswer {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** This is the parsed JSON of the body, or its text when it is not JSON. Of an error only the first 64 KiB are read. */
  readonly body: unknown;
}
