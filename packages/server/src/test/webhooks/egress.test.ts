/** Tests that the service never connects to a private address, whatever a URL contains and however a name resolves. */
import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { SourceError } from '../../errors.ts';
import { createSourceEnvironment } from '../../sources/source-environment.ts';
import { attempt } from '../../webhooks/deliver/attempt.ts';
import { makeSecret } from '../../webhooks/secret.ts';
import { selfSigned } from '../certificate.ts';
import { NO_DATA_DIR } from '../environment.ts';
import { HOSTILE_URLS } from './hostile.ts';

const PUBLIC = '93.184.216.34';

for (const singleUser of [true, false])
  describe(`egress of webhooks, an install for ${singleUser ? 'one user' : 'many'}`, () => {
    const visits: string[] = [];
    const asked = new Map<string, number>();
    const connected: Socket[] = [];
    const server = createServer((socket) => {
      visits.push(`${socket.localAddress}`);
      socket.destroy();
    });
    const noteSocket = (message: unknown) => {
      connected.push((message as { socket: Socket }).socket);
    };
    let port = 0;
    before(async () => {
      await new Promise<void>((done) => server.listen(0, '::', done));
      ({ port } = server.address() as AddressInfo);
      subscribe('net.client.socket', noteSocket);
    });
    after(() => {
      unsubscribe('net.client.socket', noteSocket);
      server.close();
    });

    const { send } = createSourceEnvironment(
      {
        singleUser,
        QUARRY_DATA_DIR: NO_DATA_DIR,
        QUARRY_SOURCE_NETWORKS: ['10.0.0.0/8', '127.0.0.0/8'],
        QUARRY_FILES_ROOTS: [],
        QUARRY_ALLOW_LOOPBACK: false,
      },
      async (host) => {
        const count = asked.get(host) ?? 0;
        asked.set(host, count + 1);
        const answers = HOSTILE_URLS.names[host] ?? [];
        return answers[Math.min(count, answers.length - 1)] ?? [];
      },
    );
    const tryUrl = (url: string) =>
      attempt(
        { send, allowLoopback: false, deadlineMs: 1000, bodyMs: 100 },
        { messageId: 'm', url, body: '{}', secrets: [makeSecret()] },
        { at: Date.now(), signal: new AbortController().signal },
      );
    const withPort = (url: string) => url.replace(/^(\w+:\/\/[^/]+?)(:\d+)?\/.*$/, `$1:${port}/`);

    it('[WHK-07] [WHK-08] no connection is made to 40 hostile URLs, and no error shows where a URL leads', async () => {
      assert.ok(HOSTILE_URLS.literal.length >= 40);
      for (const url of HOSTILE_URLS.literal) {
        connected.length = 0;
        const { isDelivered, error, status, response } = await tryUrl(withPort(url));
        assert.deepEqual([isDelivered, status, response, connected.length], [false, 0, '', 0], url);
        assert.match(error ?? '', /^Nothing was sent: [a-z A-Z]+\.$/, url);
      }
      assert.deepEqual(visits, []);
    });

    it('[WHK-08] the send function refuses these URLs too, even if its caller does not check them', async () => {
      for (const url of HOSTILE_URLS.literal) {
        const { protocol, hostname, username } = new URL(url);
        if (!/^https?:$/.test(protocol) || username || hostname === PUBLIC) continue;
        if (hostname === 'example.com') continue;
        const request = {
          method: 'POST',
          headers: {},
          body: '{}',
          signal: AbortSignal.timeout(500),
        };
        await assert.rejects(
          send(new URL(withPort(url)), request),
          ({ cause }: Error) => cause instanceof SourceError,
          url,
        );
      }
      assert.deepEqual(visits, []);
    });

    it('[WHK-08] no connection is made to names that resolve to private addresses, at once or later', async () => {
      for (const [host, answers] of Object.entries(HOSTILE_URLS.names))
        for (let turn = 0; turn <= answers.length; turn++) {
          connected.length = 0;
          const { isDelivered, error } = await tryUrl(`https://${host}:${port}/`);
          assert.equal(isDelivered, false, host);
          assert.doesNotMatch(error ?? '', /\d{2,}|::|fd12/, host);
          const isPublic = answers[turn]?.every((address) => address === PUBLIC) ?? false;
          if (!isPublic)
            assert.equal(error, 'The host of the URL is not at a public address.', host);
          assert.equal(connected.length, isPublic ? 1 : 0, `${host}, time ${turn + 1}`);
          // The name is resolved once for each connection, so the connection goes to the address
          // that was checked.
          assert.equal(asked.get(host), turn + 1, host);
        }
      assert.deepEqual(visits, []);
    });
  });

describe('a connection to an endpoint', () => {
  it('[WHK-08] goes to the address that was checked, even if the name then resolves to another address', async () => {
    const { certificate: cert, key } = selfSigned('hooks.example.com');
    let visits = 0;
    const server = createTlsServer({ cert, key });
    server.on('connection', () => visits++);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    let asked = 0;
    const { send } = createSourceEnvironment(
      {
        singleUser: true,
        QUARRY_DATA_DIR: NO_DATA_DIR,
        QUARRY_SOURCE_NETWORKS: [],
        QUARRY_FILES_ROOTS: [],
        QUARRY_ALLOW_LOOPBACK: true,
      },
      async () => (asked++ === 0 ? ['127.0.0.1'] : ['10.0.0.1']),
    );
    const { port } = server.address() as AddressInfo;
    const { error } = await attempt(
      { send, allowLoopback: true, deadlineMs: 5000, bodyMs: 100 },
      {
        messageId: 'm',
        url: `https://hooks.example.com:${port}/`,
        body: '{}',
        secrets: [makeSecret()],
      },
      { at: Date.now(), signal: new AbortController().signal },
    );
    server.close();
    // The connection reached this server, because only this server presents such a certificate for
    // this name.
    assert.equal(error, 'The certificate or TLS of the endpoint is not valid.');
    assert.deepEqual([visits, asked], [1, 1]);
  });
});
