/** Starts an endpoint of a customer on this machine. The endpoint records its requests and answers as the test says. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Received {
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** This is the body before it is parsed. */
  readonly body: string;
  readonly id: string;
}

/** Answers a request. `count` is the number of times that this message has come to this path. */
export type Reaction = (response: ServerResponse, received: Received, count: number) => unknown;

export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** Sets how requests are answered from now on. */
  react(reaction: Reaction): void;
  /** Returns the requests that came to this path. */
  at(path: string): Received[];
  /** Ends the requests that have no answer yet. */
  cut(): void;
  close(): Promise<void>;
}

export const ok: Reaction = (response) => response.writeHead(200).end('thank you');
export const answer =
  (status: number, headers: Record<string, string> = {}, body = ''): Reaction =>
  (response) =>
    response.writeHead(status, headers).end(body);
/** Sends nothing until the client has disconnected. */
export const hang: Reaction = () => undefined;

export async function startReceiver(first: Reaction = ok): Promise<Receiver> {
  const received: Received[] = [];
  const counts = new Map<string, number>();
  let reaction = first;
  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const headers = request.headers as Record<string, string>;
    const { url: path = '', method = '' } = request;
    const one = { path, method, headers, body, id: headers['webhook-id'] ?? '' };
    const key = `${path} ${one.id}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    received.push(one);
    reaction(response, one, count);
  }
  const server = createServer((request, response) => {
    receive(request, response).catch((error: Error) => response.destroy(error));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  server.unref();
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    react(next) {
      reaction = next;
    },
    at: (path) => received.filter((one) => one.path === path),
    cut: () => server.closeAllConnections(),
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
