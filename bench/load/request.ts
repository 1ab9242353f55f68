/** Sends one request on a connection of the client's own, as a program of a user would. */
import { Agent, request } from 'node:http';

const PATIENCE_MS = 90_000;

export interface LoadAnswer {
  readonly status: number;
  readonly ms: number;
  readonly text: string;
  /** The seconds after which the service asks to be called again. It is undefined where the answer does not say it. */
  readonly retryAfter: number | undefined;
}

export interface LoadRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A body of bytes is sent as it is, and anything else as JSON. */
  readonly body?: unknown;
}

export type Send = (asked: LoadRequest) => Promise<LoadAnswer>;

/** Returns a function that sends requests to the address on one connection, which stays open. */
export function connection(address: string): { send: Send; close: () => void } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send: Send = ({ method, path, key, headers, body }) =>
    new Promise((resolve, reject) => {
      const before = performance.now();
      const sent = body === undefined ? undefined : bytesOf(body);
      const outgoing = request(
        `${address}${path}`,
        {
          agent,
          method,
          timeout: PATIENCE_MS,
          headers: {
            ...(key !== undefined && { authorization: `Bearer ${key}` }),
            ...(sent && { 'content-type': 'application/json', 'content-length': sent.length }),
            ...headers,
          },
        },
        (incoming) => {
          const pieces: Buffer[] = [];
          incoming.on('data', (piece: Buffer) => pieces.push(piece));
          incoming.on('error', reject);
          incoming.on('end', () => {
            const after = incoming.headers['retry-after'];
            resolve({
              status: incoming.statusCode ?? 0,
              ms: performance.now() - before,
              text: Buffer.concat(pieces).toString(),
              retryAfter: after === undefined ? undefined : Number(after),
            });
          });
        },
      );
      outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')));
      outgoing.on('error', reject);
      outgoing.end(sent);
    });
  return { send, close: () => agent.destroy() };
}

const bytesOf = (body: unknown): Uint8Array =>
  body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body));
