/**
 * The way out to cloud services. The address that was allowed is the one that is connected to, for
 * every connection anew and whatever form the URL has: a name that resolves differently the second
 * time, a literal address and a redirect all come past here.
 */
import { Agent, buildConnector, fetch } from 'undici';

/** One request and its answer, as `fetch` of undici has them; no redirect is followed. */
export type Send = (
  url: URL,
  request: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | null;
    readonly signal: AbortSignal;
  },
) => Promise<HttpResponse>;

export interface HttpResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array> | null;
}

const CONNECT_MS = 10_000;

/** `allowHost` gives the address to connect to, or throws; what it throws is the cause of the failure. */
export function createSend(allowHost: (host: string) => Promise<string>): Send {
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
