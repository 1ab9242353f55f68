import assert from 'node:assert/strict';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { it } from 'node:test';
import pino from 'pino';
import { until } from '../test/until.ts';
import { listenForWork } from './listen.ts';

// A minute is the limit of a listener that never stops; one that waits for the server would need all of it.
it('stops while the server does not answer', { timeout: 60_000 }, async (t) => {
  // The client gives up by a timer, which never ends in this test.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket.on('error', () => {})));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  try {
    const listener = listenForWork({
      url: `postgres://nobody@127.0.0.1:${port}/quarry`,
      onWork: () => assert.fail('there is no work'),
      log: pino({ level: 'silent' }),
    });
    await until(() => sockets.length > 0);
    assert.equal(listener.isListening(), false);
    await listener.stop();
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});
