/**
 * Ends the connections of a server that closes. Node closes a server only when every connection has ended, and does not
 * check any more whether requests arrive in time. So a client that connects and says nothing, or sends half of a request,
 * would keep the process from stopping. Browsers do this too: they connect before they have something to ask.
 *
 * A connection without a whole head is closed after a moment, because the request may be on its way, and a request whose
 * body does not arrive after a little longer. Requests that are being handled end first, but only within the grace.
 *
 * Before all that, the server stops listening, so that a proxy sends the next request to another process. Whoever has been
 * accepted until then is served: a proxy must not repeat a request that was sent and may have been handled.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { connectionKey } from './connection-key.ts';
import type { App } from './server.ts';

export interface ClosingTimes {
  /** Connections are looked at this often; one without a request is closed then. */
  readonly lookMs: number;
  /** The bodies of requests must have arrived by then. */
  readonly bodyMs: number;
  /** All connections are closed by then. */
  readonly graceMs: number;
}

const LOOK_MS = 500;
const BODY_MS = 5_000;

/** Call this before the server listens. */
export function closeInTime(
  app: Pick<App, 'server' | 'addHook'>,
  { lookMs = LOOK_MS, bodyMs = BODY_MS, graceMs }: Partial<ClosingTimes> & { graceMs: number },
): void {
  const { server } = app;
  /** The requests of each connection that have not been answered yet. */
  const connections = new Map<Socket, Set<IncomingMessage>>();
  const byKey = new Map<string, Set<IncomingMessage>>();
  server.on('connection', (socket: Socket) => {
    const key = connectionKey(socket);
    const requests = new Set<IncomingMessage>();
    connections.set(socket, requests);
    byKey.set(key, requests);
    socket.once('close', () => {
      connections.delete(socket);
      // The system may have given the same port to a later connection, whose entry stays.
      if (byKey.get(key) === requests) byKey.delete(key);
    });
  });
  const note = (req: IncomingMessage, res: ServerResponse) => {
    const requests = byKey.get(connectionKey(req.socket));
    requests?.add(req);
    res.once('close', () => requests?.delete(req));
  };
  server.on('request', note);
  // Node answers a strange expectation itself when nobody listens.
  if (server.listenerCount('checkExpectation') > 0) server.on('checkExpectation', note);

  app.addHook('preClose', async () => {
    if (!server.listening) return;
    const began = performance.now();
    const look = () => {
      const passedMs = performance.now() - began;
      for (const [socket, requests] of connections) {
        const open = [...requests].filter(({ complete }) => complete || passedMs < bodyMs);
        if (open.length === 0 || passedMs >= graceMs) socket.destroy();
      }
    };
    const timer = setInterval(look, lookMs);
    server.once('close', () => clearInterval(timer));
    // The connections that wait in the system were accepted just before this. Those that come between now and the next line
    // are refused, although their request may have been sent already: the pause makes this time as short as it can be.
    await setImmediate();
    // Only connections that have been answered and wait for another request end at once.
    server.close();
  });
}
