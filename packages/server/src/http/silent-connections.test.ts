import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { limitSilentConnections } from './silent-connections.ts';

const MOST = 5;
const REQUEST = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';

describe('connections that say nothing', () => {
  const server = createServer((_req, res) => res.end('served'));
  limitSilentConnections(server, MOST);
  const opened: Socket[] = [];
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => {
    for (const socket of opened) socket.destroy();
    server.close();
  });

  async function open(): Promise<Socket> {
    const accepted = once(server, 'connection');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    opened.push(socket);
    socket.on('error', () => {});
    await Promise.all([once(socket, 'connect'), accepted]);
    return socket;
  }
  async function answerOn(socket: Socket): Promise<string> {
    socket.write(REQUEST);
    return String((await once(socket, 'data'))[0]);
  }

  it('are closed, the oldest first, when there are too many, and those that have asked stay', async () => {
    const asking = await open();
    assert.match(await answerOn(asking), /served/);
    const first = await open();
    const closed = once(first, 'close');
    const others: Socket[] = [];
    for (let i = 0; i < MOST; i++) others.push(await open());
    await closed;
    for (const socket of [asking, ...others]) assert.match(await answerOn(socket), /served/);
    // These have all asked by now, so as many silent ones have room again.
    const silent: Socket[] = [];
    for (let i = 0; i < MOST; i++) silent.push(await open());
    for (const socket of silent) assert.match(await answerOn(socket), /served/);
  });
});
