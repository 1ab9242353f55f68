/**
 * Tests the log of the service when a connection is refused, on its creation or on a change. The log has the cause with
 * the address. The answer does not have the address, and neither has a secret.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import pino from 'pino';
import { must } from '../../util.ts';
import { openTestApi, type TestApi } from '../api/harness.ts';
import { DATABASES } from '../databases.ts';
import { type Credentials, openPeer, type PostgresPeer } from './postgres-peer.ts';

const SECRET = 'swordfish #7';

describe('the log of a refused connection', () => {
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => lines.push(line) });
  let peer: PostgresPeer;
  let credentials: Credentials;
  let api: TestApi;
  let organization: string;
  before(async () => {
    peer = await openPeer();
    credentials = await peer.schema('create table t (id int primary key)');
    api = await openTestApi(await must(DATABASES.find(({ name }) => name === 'sqlite')).open(), {
      log,
    });
    organization = (await api.owner()).organizationId;
    await api.call('POST', '/v1/collections', { body: { name: 'Shops', readable_id: 'shops' } });
  });
  beforeEach(() => lines.splice(0));
  after(async () => {
    await api.close();
    await peer.close();
  });

  const connection = (given: object) => ({
    name: 'Shop',
    short_name: 'postgresql',
    readable_collection_id: 'shops',
    authentication: { credentials: given },
    sync_immediately: false,
  });
  const create = (given: object) =>
    api.call('POST', '/v1/source-connections', { body: connection(given) });

  /** Returns the causes of the one refusal that was logged. */
  function causes(): string {
    const said = lines.filter((line) => line.includes('a source refused a connection'));
    assert.equal(said.length, 1);
    const about = JSON.parse(must(said[0]));
    assert.deepEqual([about.organization, about.source], [organization, 'postgresql']);
    return about.causes.join('\n');
  }

  const portOf = (server: Server) =>
    new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
    });

  it('[AUTH-11] [AUTH-12] has the address of a port where nobody listens', async () => {
    const server = createServer();
    const port = await portOf(server);
    server.close();
    await once(server, 'close');
    const { status, body } = await create({
      ...credentials,
      host: 'localhost',
      port,
      password: SECRET,
    });
    assert.equal(status, 422);
    assert.match(JSON.stringify(body), /PostgreSQL at localhost.* cannot be reached/);
    assert.doesNotMatch(JSON.stringify(body), /127\.0\.0\.1|::1|swordfish/);
    assert.match(causes(), new RegExp(`ECONNREFUSED 127\\.0\\.0\\.1:${port}`));
    assert.doesNotMatch(lines.join(), /swordfish/);
  });

  it('[AUTH-11] [AUTH-12] has the answer of the server to a wrong password', async () => {
    const { host, port, database, user } = credentials;
    const url = `postgres://${user}:${encodeURIComponent(SECRET)}@${host}:${port}/${database}`;
    const { status, body } = await create({ url });
    assert.equal(status, 422);
    assert.equal(body.code, 'credentials_refused');
    assert.match(causes(), new RegExp(`28P01: password authentication failed for user "${user}"`));
    assert.doesNotMatch(lines.join() + JSON.stringify(body), /swordfish/);
  });

  it('[AUTH-12] does not have the password that the server quotes', async () => {
    const server = createServer((socket) => {
      // The server asks for the password in clear text, and repeats it in its error.
      socket
        .on('error', () => {})
        .on('data', (data) => {
          if (data.length === 8) return void socket.write('N');
          if (data[0] !== 'p'.charCodeAt(0))
            return void socket.write(Buffer.from([82, 0, 0, 0, 8, 0, 0, 0, 3]));
          const password = data.subarray(5, -1).toString();
          const fields = Buffer.from(`SFATAL\0C28P01\0Mthe password ${password} is wrong\0\0`);
          const head = Buffer.from([69, 0, 0, 0, 0]);
          head.writeUInt32BE(fields.length + 4, 1);
          socket.end(Buffer.concat([head, fields]));
        });
    });
    const port = await portOf(server);
    try {
      const password = encodeURIComponent(SECRET);
      const { status } = await create({ url: `postgres://ann:${password}@127.0.0.1:${port}/shop` });
      assert.equal(status, 422);
      assert.match(causes(), /the password \[secret\] is wrong/);
      assert.doesNotMatch(lines.join(), /swordfish/);
    } finally {
      server.close();
    }
  });

  it('[CON-38] has an entry for a refused change, and none for an accepted connection', async () => {
    const made = await create(credentials);
    assert.equal(made.status, 200, JSON.stringify(made.body));
    assert.doesNotMatch(lines.join(), /refused/);
    const { status } = await api.call('PATCH', `/v1/source-connections/${made.body.id}`, {
      body: { config: { tables: ['nowhere'] } },
    });
    assert.equal(status, 422);
    assert.match(causes(), /SourceError: .*nowhere/);
    assert.ok(!lines.join().includes(credentials.password));
  });
});
