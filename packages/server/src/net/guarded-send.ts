/**
 * Every HTTP connection to another service is opened here. `allowHost` is asked for every new connection, which then
 * goes to exactly the address that it returns. So a name that resolves differently the second time, an IP address in
 * the URL and the target of a redirect cannot avoid the check.
 */
import { type AllowHost, anyHost } from './addresses.ts';

/** A body of pieces is sent while they are made. It can be sent only once, so such a request follows no redirects. */
export type RequestBody = string | AsyncIterable<Uint8Array> | null;

/** Sends one request and returns its answer, as `fetch` of undici does. A redirect is returned and not followed. */
export type Send = (
  url: URL,
  request: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: RequestBody;
    readonly signal: AbortSignal;
    /** `Send` calls this before it throws when nothing was sent, such as when a limit does not admit the request. */
    readonly onUnsent?: () => void;
  },
) => Promise<HttpResponse>;

export interface ResponseHeaders extends Iterable<[name: string, value: string]> {
  get(name: string): string | null;
}

/**
 * Returns the headers that an answer has. Unlike `get` of the answer itself, which may refuse to speak about a header that
 * a proxy does not pass on, this tells null. It is for headers that a source can do without.
 */
export const presentIn = (headers: ResponseHeaders): Headers => new Headers([...headers]);

export interface HttpResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: AsyncIterable<Uint8Array> | null;
}

const CONNECT_MS = 10_000;

/** When `allowHost` throws, the request fails with an error whose `cause` is the thrown error. */
export function createSend(allowHost: AllowHost): Send {
  let loaded: Promise<Send> | undefined;
  return async (url, request) => {
    loaded ??= loadSend(allowHost);
    return (await loaded)(url, request);
  };
}

/**
 * undici takes about 10 MB per thread, so it is loaded at the first request. Whoever counts requests loads it first,
 * because it takes long and a counted request must be sent soon.
 */
export const loadHttpClient = () => import('undici');

async function loadSend(allowHost: AllowHost): Promise<Send> {
  const { Agent, buildConnector, fetch } = await loadHttpClient();
  const connect = buildConnector({ timeout: CONNECT_MS });
  const dispatcher = new Agent({
    // Every request has a deadline of its own (request.ts), and a model may take longer than the five minutes of undici.
    headersTimeout: 0,
    connect: (options, callback) => {
      allowHost(options.hostname).then(
        (address) =>
          connect(
            { ...options, hostname: address, servername: options.servername ?? options.hostname },
            callback,
          ),
        (error: Error) => callback(error, null),
      );
    },
  });
  return (url, { onUnsent: _, ...request }) =>
    fetch(url, { ...request, duplex: 'half', redirect: 'manual', dispatcher });
}

/** Sends to every address without a check. The caller must use it only for addresses that the operator has set. */
export const sendUnchecked: Send = createSend(anyHost);
