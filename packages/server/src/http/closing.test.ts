import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, it } from 'node:test';
import Fastify, { type FastifyInstance } from 'fastify';
import pino from 'pino';
import { createExposition } from '../telemetry/exposition.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { collectThreads } from '../telemetry/thread-metrics.ts';
import { until } from '../test/until.ts';
import { type ClosingTimes, closeInTime } from './closing.ts';
import { createMetricsServer } from './metrics-server.ts';
import { type App, createServer } from './server.ts';

const log = pino({ level: 'silent' });
const HOUR_MS = 3_600_000;
const ASK = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';
const HALF_A_BODY =
  'POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{';

describe('a server that closes', () => {
  let app: FastifyInstance;
  let opened: Socket[];
  let asked: number;
  let gate: PromiseWithResolvers<void>;
  /** The server does not close before. */
  let held: Promise<void>;
  beforeEach(() => {
    held = Promise.resolve();
    opened = [];
    asked = 0;
    gate = Promise.withResolvers();
  });
  afterEach(async () => {
    for (const socket of opened) socket.destroy();
    gate.resolve();
    await app.close();
  });

  async function listen(times: Partial<ClosingTimes>): Promise<void> {
    app = Fastify({
      return503OnClosing: false,
      clientErrorHandler: (_error, socket) => socket.destroy(),
    });
    closeInTime(app as unknown as App, { lookMs: 5, bodyMs: HOUR_MS, graceMs: HOUR_MS, ...times });
    app.server.on('connect', (_req, socket) => socket.end('HTTP/1.1 501 Not Implemented\r\n\r\n'));
    app.get('/', async () => 'answered');
    app.post('/', async () => 'posted');
    app.get('/slow', async () => {
      asked++;
      await gate.promise;
      return 'late';
    });
    app.addHook('preClose', () => held);
    await app.listen({ host: '127.0.0.1', port: 0 });
  }
  const open = (said = '', allowHalfOpen = false) => openTo(app, opened, { said, allowHalfOpen });

  it('ends connections that have said nothing, half of a head, or half of a second one', async () => {
    await listen({});
    await open();
    await open('GET / HTTP/1.1\r\nhost: x');
    const kept = await open(ASK);
    await once(kept, 'data');
    kept.write('GET / HT');
    await app.close();
  });

  it('answers on a connection that was accepted before, although its request comes later', async () => {
    await listen({ lookMs: HOUR_MS });
    const late = await open();
    const refused = untilRefused(app);
    const closed = app.close();
    await refused;
    late.write(ASK);
    assert.match(await text(late), /^HTTP\/1.1 200 .*answered$/s);
    await closed;
  });

  it('takes no new connection while others still end', async () => {
    held = gate.promise;
    await listen({});
    const refused = untilRefused(app);
    const closed = app.close();
    await refused;
    gate.resolve();
    await closed;
  });

  it('ends a connection whose client asked for a tunnel and does not hang up', async () => {
    await listen({});
    const tunnel = await open('CONNECT x:1 HTTP/1.1\r\nhost: x\r\n\r\n', true);
    await once(tunnel, 'data');
    await app.close();
  });

  it('ends a request whose body does not arrive', async () => {
    await listen({ bodyMs: 10 });
    const request = once(app.server, 'request');
    await open(HALF_A_BODY);
    await request;
    await app.close();
  });

  it('answers a request that has begun, although others are ended meanwhile', async () => {
    await listen({ bodyMs: 10 });
    const silent = await open();
    const request = once(app.server, 'request');
    const asking = await open(ASK.replace('/', '/slow'));
    const answer = text(asking);
    await request;
    const closed = app.close();
    await once(silent, 'close');
    gate.resolve();
    assert.match(await answer, /late$/);
    await closed;
  });

  it('does not wait longer than its grace for a request that has begun', async () => {
    await listen({ graceMs: 20 });
    const request = once(app.server, 'request');
    await open(ASK.replace('/', '/slow'));
    await request;
    await app.close();
    assert.equal(asked, 1);
  });
});

describe('both servers of a process', () => {
  const opened: Socket[] = [];
  const stopsWith = async (app: App) => {
    await app.listen({ host: '127.0.0.1', port: 0 });
    try {
      await openTo(app, opened);
      await openTo(app, opened, { said: 'GET / HT' });
      await app.close();
    } finally {
      for (const socket of opened) socket.destroy();
    }
  };

  it('stop although a client says nothing: the API', () =>
    stopsWith(
      createServer({
        log,
        unavailableReason: () => null,
        authenticate: () => Promise.reject(new Error('nobody asks')),
        routes: () => {},
      }),
    ));

  it('stop although a client says nothing: the port of metrics', () => {
    const metrics = createMetrics();
    return stopsWith(
      createMetricsServer({
        log,
        exposition: createExposition(metrics, collectThreads(metrics)),
        unready: async () => [],
        problems: async () => [],
      }),
    );
  });
});

async function openTo(
  { server }: Pick<App, 'server'>,
  opened: Socket[],
  { said = '', allowHalfOpen = false } = {},
): Promise<Socket> {
  const accepted = once(server, 'connection');
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen });
  opened.push(socket);
  socket.on('error', () => {});
  await Promise.all([once(socket, 'connect'), accepted]);
  if (said) socket.write(said);
  return socket;
}

/** Waits until the server takes no new connections. */
async function untilRefused({ server }: Pick<App, 'server'>): Promise<void> {
  const { port } = server.address() as AddressInfo;
  await until(async () => {
    const socket = connect({ port, host: '127.0.0.1' });
    const outcome = new Promise<string>((resolve) => {
      socket.once('connect', () => resolve('connected'));
      socket.once('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)));
    });
    const isRefused = (await outcome) === 'ECONNREFUSED';
    socket.destroy();
    return isRefused;
  });
}
