import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { sendUnchecked } from '../../net/guarded-send.ts';
import { RequestFailure, request } from '../../net/request.ts';
import { selfSigned } from '../../test/certificate.ts';
import { freePort } from '../../test/free-port.ts';
import { sourceErrorOf } from './refusal.ts';

describe('a service that cannot be read', () => {
  const servers: Server[] = [];
  const at: Record<string, string> = {};
  async function listen(name: string, protocol: string, server: Server): Promise<void> {
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    at[name] = `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }
  before(async () => {
    const { certificate, key } = selfSigned('localhost');
    await listen('plain', 'https', createHttpServer());
    await listen(
      'mail',
      'http',
      createServer((socket) => socket.on('error', () => {}).end('* OK IMAP4rev1 ready\r\n')),
    );
    await listen('unknown authority', 'https', createTlsServer({ cert: certificate, key }));
    at.nobody = `http://127.0.0.1:${await freePort()}/`;
    at['no such name'] = 'http://nowhere.invalid/';
  });
  after(() => {
    for (const server of servers) server.close();
  });

  for (const [name, hint] of [
    ['plain', /does not speak TLS/],
    ['mail', /does not speak HTTP/],
    ['unknown authority', /No known authority .* NODE_EXTRA_CA_CERTS/],
    ['nobody', /Nothing listens there/],
    ['no such name', /No host has this name/],
  ] as const)
    it(`has a hint about what to do: ${name}`, async () => {
      const url = new URL(at[name] ?? '');
      const asked = { headers: {}, body: null, deadlineMs: 10_000, maxBytes: 1000 };
      const signal = AbortSignal.timeout(10_000);
      await assert.rejects(request(sendUnchecked, url, { ...asked, signal }), (error) => {
        assert.ok(error instanceof RequestFailure);
        assert.match(sourceErrorOf(error, url).hint ?? error.message, hint);
        return true;
      });
    });
});
