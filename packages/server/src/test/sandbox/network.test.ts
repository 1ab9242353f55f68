/**
 * Tests that the functions of transformers may use the network, and that the parsers of documents may not. Both
 * processes make the same attempts, against servers that record who reaches them. So each attempt is known to work
 * where it is allowed.
 */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createDocumentProcess, type DocumentProcess } from '../../documents/extract-process.ts';
import { openFile } from '../../documents/open-file.ts';
import { createFunctions, type Functions } from '../../transformers/functions.ts';

/** Maps the name of each attempt to its statements. */
type Attempts = Record<string, string>;

const BEFORE = `
  const m = (name) => process.getBuiltinModule('node:' + name);
  const address = { host: '127.0.0.1', port: ports.tcp };
  const url = (scheme, host = '127.0.0.1') => scheme + '://' + host + ':' + ports.tcp;
  const socketOf = (type, family) =>
    m('dgram').createSocket({ type, lookup: (host, _family, done) => done(null, host, family) });
  const sent = (socket, host) => new Promise((resolve, reject) =>
    socket.on('error', reject).send('x', ports.udp, host, (error) => error ? reject(error) : resolve()));
  const resolverOf = ({ Resolver }) => {
    const resolver = new Resolver({ timeout: 200, tries: 1 });
    resolver._handle.setServers([[4, '127.0.0.1', ports.udp]]);
    return resolver;
  };
  const later = () => new Promise((resolve) => setTimeout(resolve, 100));
`;

/** These attempts connect to the TCP server. */
const TCP: Attempts = {
  'net.connect': "await until(m('net').connect(address), 'connect')",
  'net.connect to a name':
    "await until(m('net').connect({ host: 'localhost', family: 4, port: ports.tcp }), 'connect')",
  'net.connect with a lookup of its own': `
    const lookup = (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]);
    await until(m('net').connect({ host: 'x', port: ports.tcp, lookup }), 'connect')`,
  'net.connect from an address':
    "await until(m('net').connect({ ...address, localAddress: '127.0.0.1' }), 'connect')",
  'tls.connect': "await until(m('tls').connect(address), 'connect')",
  'http.get': "await until(m('http').get(address), 'response')",
  'https.get': "await until(m('https').get(address), 'response')",
  'http2.connect': "await until(m('http2').connect(url('http')), 'connect', 'close')",
  'http2.connect with TLS': "await until(m('http2').connect(url('https')), 'connect', 'close')",
  fetch: "await fetch(url('http'))",
  'fetch with TLS': "await fetch(url('https', 'localhost'))",
  WebSocket: `
    const { promise, reject } = Promise.withResolvers();
    // Its own event does not say what failed.
    m('diagnostics_channel').subscribe('undici:client:connectError', ({ error }) => reject(error));
    new WebSocket(url('ws')).onerror = ({ error }) => setTimeout(reject, 10, error);
    await promise`,
  'a handle of its own, with classes taken from those of Node': `
    const socket = new (m('net').Socket)();
    socket.on('error', () => {}).connect({ host: '127.0.0.1', port: 1 });
    const { constructor: Handle } = socket._handle;
    const { connect } = Handle.prototype;
    const { constructor: Request } = await new Promise((resolve) => {
      Handle.prototype.connect = (request) => void resolve(request);
    });
    Handle.prototype.connect = connect;
    socket.destroy();
    await new Promise((resolve, reject) => {
      const done = (number) => number === 0 ? resolve() : reject(
        Object.assign(new Error(), { code: m('util').getSystemErrorName(number) }));
      const request = Object.assign(new Request(), { oncomplete: done });
      const number = new Handle(0).connect(request, '127.0.0.1', ports.tcp);
      if (number !== 0) done(number);
    })`,
};

/** These attempts send to the UDP socket, which never answers a resolver. */
const UDP: Attempts = {
  'dgram.send': "await sent(m('dgram').createSocket('udp4'), '127.0.0.1')",
  'dgram.send with a lookup of its own': "await sent(socketOf('udp4', 4), '127.0.0.1')",
  'dgram.send from a port that was never bound': `
    const socket = socketOf('udp4', 4);
    const [{ handle }] = Object.getOwnPropertySymbols(socket)
      .map((key) => socket[key]).filter((one) => one?.handle);
    handle.bind = handle.recvStart = () => 0;
    await sent(socket, '127.0.0.1')`,
  'dgram.connect': `
    const socket = socketOf('udp4', 4);
    socket.connect(ports.udp, '127.0.0.1');
    await until(socket, 'connect');
    await new Promise((resolve) => socket.send('x', resolve))`,
  'dns.Resolver': `
    const resolver = resolverOf(m('dns'));
    await m('util').promisify(resolver.resolve4.bind(resolver))('secret.example')`,
  'dns/promises.Resolver': "await resolverOf(m('dns/promises')).resolveTxt('secret.example')",
  'dns.promises.Resolver': "await resolverOf(m('dns').promises).reverse('192.0.2.1')",
  'dns.resolve4': `
    m('dns').setServers(['127.0.0.1:' + ports.udp]);
    m('dns').resolve4('secret.example', () => {});
    await later()`,
  'dns.promises.resolve4': `
    m('dns').promises.setServers(['127.0.0.1:' + ports.udp]);
    m('dns').promises.resolve4('secret.example').catch(() => {});
    await later()`,
};

if (Object.values(networkInterfaces()).some((all) => all?.some((one) => one.family === 'IPv6'))) {
  TCP['net.connect by IPv6'] =
    "await until(m('net').connect(ports.tcp, '::ffff:127.0.0.1'), 'connect')";
  UDP['dgram.send by IPv6'] = "await sent(socketOf('udp6', 6), '::ffff:127.0.0.1')";
}

/**
 * These attempts ask the resolver of the machine. Its servers are not part of the test, so the test checks only what
 * the attempts return.
 */
const LOOKUPS: Attempts = {
  'dns.lookup': "await m('util').promisify(m('dns').lookup)('localhost')",
  'dns.lookup by import':
    "const { lookup } = await import('node:dns'); await m('util').promisify(lookup)('localhost')",
  'dns.lookupService': "await m('util').promisify(m('dns').lookupService)('127.0.0.1', 80)",
  'dns.promises.lookup': "await m('dns').promises.lookup('localhost')",
  'dns/promises.lookup by import':
    "const { lookup } = await import('node:dns/promises'); await lookup('localhost')",
  'dns/promises.lookupService': "await m('dns/promises').lookupService('127.0.0.1', 80)",
};

const DENIED = /^(EACCES|ERR_ACCESS_DENIED)$/;
const signal = new AbortController().signal;

describe('the network access of limited processes', () => {
  let folder: string;
  let documents: DocumentProcess;
  let functions: Functions;
  /** The servers record the ports and messages that have reached them. */
  let connections: (number | undefined)[] = [];
  let datagrams: string[] = [];
  const tcp = createServer((socket) => {
    connections.push(socket.remotePort);
    socket.on('error', () => {}).end();
  });
  const udp = createSocket('udp4').on('message', (message) => datagrams.push(String(message)));
  const ports = { tcp: 0, udp: 0 };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quarry-network-'));
    tcp.listen(0, '127.0.0.1');
    udp.bind(0, '127.0.0.1');
    await Promise.all([once(tcp, 'listening'), once(udp, 'listening')]);
    ports.tcp = (tcp.address() as AddressInfo).port;
    ports.udp = udp.address().port;
    documents = createDocumentProcess({
      entry: new URL('./children/taken-over.ts', import.meta.url),
      timeoutMs: 10_000,
      memoryMb: 256,
      documentsPerProcess: 1000,
    });
    functions = createFunctions({
      folder: fileURLToPath(new URL('./children/', import.meta.url)),
      timeoutMs: 10_000,
      memoryMb: 256,
    });
  });
  after(async () => {
    await Promise.all([documents.close(), functions.close()]);
    tcp.close();
    udp.close();
    await rm(folder, { recursive: true });
  });

  async function inParser(statements: string): Promise<string> {
    const attempt = JSON.stringify({ code: BEFORE + statements, ports });
    const path = join(folder, 'document');
    await writeFile(path, attempt);
    await using file = await openFile(path);
    const size = Buffer.byteLength(attempt);
    const outcome = await documents.run({ kind: 'html', name: '', size }, file, signal);
    return outcome.is === 'text' ? outcome.text : outcome.is;
  }

  async function inFunction(statements: string): Promise<string> {
    const module = fileURLToPath(new URL('./children/obey.ts', import.meta.url));
    const attempt = { code: BEFORE + statements, ports };
    const [said] = await functions.call(
      { module, method: 'obey' },
      { entities: [attempt], config: null },
      signal,
    );
    return String(said);
  }

  /**
   * Returns the records of the servers since the last call. It sends a message of its own after all others, and waits
   * for it.
   */
  async function reached() {
    const mine = connect(ports.tcp, '127.0.0.1').on('error', () => {});
    await once(mine, 'connect');
    const { localPort } = mine;
    while (!connections.includes(localPort)) await once(tcp, 'connection');
    mine.destroy();
    const socket = createSocket('udp4');
    socket.send('the last', ports.udp, '127.0.0.1');
    while (!datagrams.includes('the last')) await once(udp, 'message');
    socket.close();
    const counts = { tcp: connections.length - 1, udp: datagrams.length - 1 };
    connections = [];
    datagrams = [];
    return counts;
  }

  const attempts = [
    ...Object.entries(TCP).map(([name, statements]) => ({ by: 'tcp' as const, name, statements })),
    ...Object.entries(UDP).map(([name, statements]) => ({ by: 'udp' as const, name, statements })),
  ];
  for (const { by, name, statements } of attempts) {
    it(`[TRF-18] functions of transformers reach a server by ${name}`, async () => {
      const said = await inFunction(statements);
      assert.notEqual((await reached())[by], 0, said);
    });

    it(`parsers of documents do not reach a server by ${name}`, async () => {
      assert.match(await inParser(statements), DENIED);
      assert.deepEqual(await reached(), { tcp: 0, udp: 0 });
    });
  }

  for (const [name, statements] of Object.entries(LOOKUPS)) {
    it(`[TRF-18] functions of transformers resolve names by ${name}`, async () =>
      assert.equal(await inFunction(statements), 'done'));

    it(`parsers of documents cannot resolve names by ${name}`, async () =>
      assert.equal(await inParser(statements), 'ERR_ACCESS_DENIED'));
  }
});
