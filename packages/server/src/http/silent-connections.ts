/**
 * Bounds the connections that have not sent a request yet. When there are too many, the one that has said nothing for
 * the longest time is closed, so clients that connect and say nothing keep nobody out: a client sends its request right
 * after it has connected.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { connectionKey } from './connection-key.ts';

const MAX_SILENT = 1000;
/** The headers of a request must arrive within this time after the connection, or after the first byte of the request. */
export const HEADERS_TIMEOUT_MS = 20_000;

export function limitSilentConnections(server: Server, most = MAX_SILENT): void {
  /** They are in the order in which they connected. */
  const silent = new Map<string, Socket>();
  const hasSpoken = ({ socket }: IncomingMessage) => silent.delete(connectionKey(socket));
  server.on('connection', (socket: Socket) => {
    const key = connectionKey(socket);
    silent.set(key, socket);
    // The system may have given the same port to a later connection, whose entry stays.
    socket.once('close', () => silent.get(key) === socket && silent.delete(key));
    const [oldest] = silent.values();
    if (silent.size > most) oldest?.destroy();
  });
  server.on('request', hasSpoken);
  server.on('checkExpectation', hasSpoken);
}
