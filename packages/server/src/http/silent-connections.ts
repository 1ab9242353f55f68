/**
 * Bounds the connections that have not sent a request yet. When there are too many, the one that has said nothing for
 * the longest time is closed, so clients that connect and say nothing keep nobody out: a client sends its request right
 * after it has connected.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

const MAX_SILENT = 1000;
/** The headers of a request must arrive within this time after the connection, or after the first byte of the request. */
export const HEADERS_TIMEOUT_MS = 20_000;

export function limitSilentConnections(server: Server, most = MAX_SILENT): void {
  /** They are in the order in which they connected. */
  const silent = new Set<Socket>();
  const hasSpoken = ({ socket }: IncomingMessage) => silent.delete(socket);
  server.on('connection', (socket: Socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
    const [oldest] = silent;
    if (silent.size > most) oldest?.destroy();
  });
  server.on('request', hasSpoken);
  server.on('checkExpectation', hasSpoken);
}
