/**
 * Tells which connection a request came on. With TLS, a server reports the bare connection first, and requests have another
 * object for it; the addresses of both ends are the same.
 */
import type { Socket } from 'node:net';

export const connectionKey = (socket: Socket): string =>
  [socket.remoteAddress, socket.remotePort, socket.localAddress, socket.localPort].join(' ');
