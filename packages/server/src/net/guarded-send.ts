/**
 * Every connection to a service of others is made here. The address that was allowed is the one that is connected
 * to, and it is checked for every connection again, whatever form the URL has. So a name that resolves
 * differently the second time, a literal address and a redirect are all checked here.
 */
import { type AllowHost, anyHost } from './addresses.ts';

/** Sends one request and returns its answer, as `fetch` of undici does, but follows no redirect. */
export type Send = (
  url: URL,
  request: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | null;
    readonly signal: AbortSignal;
  },
) => Promise<HttpResponse>;

export interface ResponseHeaders extends Iterable<[name: string, value: string]> {
  get(name: string): string | null;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: AsyncIterable<Uint8Array> | null;
}

const CONNECT_MS = 10_000;

/** An error of `allowHost` is the cause of the failed request. */
export function createSend(allowHost: AllowHost): Send {
  let opened: Promise<Send> | undefined;
  return async (url, request) => {
    opened ??= open(allowHost);
    return (await opened)(url, request);
  };
}

/** The library takes about 10 MB of memory in each thread, so a thread that asks nobody does not load it. */
async function open(allowHost: AllowHost): Promise<Send> {
  const { Agent, buildConnector, fetch } = await import('undici');
  const connect = buildConnector({ timeout: CONNECT_MS });
  const dispatcher = new Agent({
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
  return (url, request) => fetch(url, { ...request, redirect: 'manual', dispatcher });
}

/** Sends to addresses that the operator has named. */
export const sendAnywhere: Send = createSend(anyHost);
