/** Tests how the mysql source signs in: TLS, MariaDB's ed25519, and servers that want to do harm. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { SourceError } from '../../errors.ts';
import { mysql } from '../../sources/catalog/mysql.ts';
import type { SourceItem } from '../../sources/items.ts';
import { must } from '../../util.ts';
import { selfSigned } from '../certificate.ts';
import { anywhere } from '../environment.ts';
import { skipWithoutMariadb } from '../mariadb-server.ts';
import { contextOf } from './harness.ts';
import { fieldsOf, idsOf, type MysqlPeer, openPeer, pull } from './mysql-peer.ts';

const refused = (kind: SourceError['kind'], reason: RegExp) => (error: unknown) => {
  assert.ok(error instanceof SourceError, String(error));
  assert.equal(error.kind, kind, error.message);
  assert.match(error.message, reason);
  return true;
};

describe('signing in to MySQL', { skip: skipWithoutMariadb }, () => {
  let peer: MysqlPeer;
  before(async () => {
    peer = await openPeer();
  });
  after(() => peer.close());

  it('a server without TLS is refused where TLS is required', async (t) => {
    if (!peer.isMariaDb) return t.skip('the server that TEST_MYSQL_URL names offers TLS');
    const credentials = await peer.database('create table t (id int primary key)');
    for (const [ssl, says] of [
      ['verify', 'db.example.test does not prove that it is the right server: it offers no TLS'],
      ['require', 'db.example.test offers no TLS, which the credentials require'],
    ]) {
      const settings = { credentials: { ...credentials, host: 'db.example.test', ssl } };
      const environment = { ...anywhere, allowHost: async () => credentials.host };
      await assert.rejects(must(mysql.check)(contextOf(mysql, settings, { environment })), {
        kind: 'config',
        message: says,
      });
    }
  });

  it('a user of the plugin ed25519 signs in with the right password alone', async (t) => {
    if (!peer.isMariaDb) return t.skip('MySQL does not have this plugin');
    const credentials = await peer.database(
      'create table t (id int primary key); insert into t values (1)',
    );
    for (const password of [
      'x',
      'pässwörd',
      'a long password of more than sixty-four bytes, '.repeat(2),
    ]) {
      await peer.sql(`create or replace user quarry_ed identified via ed25519 using password('${password}');
        grant select on *.* to quarry_ed`);
      const right = { ...credentials, user: 'quarry_ed', password };
      assert.deepEqual(idsOf(await pull(right)), ['t:1']);
      await assert.rejects(
        pull({ ...right, password: `${password}!` }),
        refused('auth', /^MySQL answered: Access denied for user 'quarry_ed'/),
      );
    }
    await peer.sql('drop user quarry_ed');
  });
});

describe('TLS to MySQL', { skip: skipWithoutMariadb }, () => {
  const tls = selfSigned('db.example.test');
  const trusted = getCACertificates();
  let peer: MysqlPeer;
  before(async () => {
    peer = await openPeer({ tls });
  });
  after(async () => {
    setDefaultCACertificates(trusted);
    await peer.close();
  });

  async function isEncrypted(host: string, ssl?: string): Promise<boolean> {
    const credentials = { ...(await peer.database('select 1')), host, ...(ssl && { ssl }) };
    const query = `select 1 as id, variable_value as cipher from information_schema.session_status
      where variable_name = 'Ssl_cipher'`;
    const context = contextOf(
      mysql,
      { credentials, config: { queries: [{ name: 'q', query }] } },
      { environment: { ...anywhere, allowHost: async () => '127.0.0.1' } },
    );
    const items: SourceItem[] = [];
    for await (const item of must(mysql.pull)(context)) items.push(item);
    return fieldsOf(items, 'q:1').cipher !== '';
  }

  it('a server that offers TLS is used with TLS by default, and without TLS only when that is switched off', async () => {
    assert.equal(await isEncrypted('127.0.0.1'), true);
    assert.equal(await isEncrypted('127.0.0.1', 'require'), true);
    assert.equal(await isEncrypted('127.0.0.1', 'disable'), false);
  });

  it("with 'verify', an unknown certificate is refused, and a trusted certificate is accepted only for its own name", async () => {
    setDefaultCACertificates(trusted);
    await assert.rejects(
      isEncrypted('db.example.test', 'verify'),
      refused(
        'config',
        /^db\.example\.test does not prove that it is the right server: self-signed/,
      ),
    );
    setDefaultCACertificates([...trusted, tls.certificate]);
    assert.equal(await isEncrypted('db.example.test', 'verify'), true);
    await assert.rejects(
      isEncrypted('other.example.test', 'verify'),
      refused('config', /does not match/),
    );
    await assert.rejects(
      isEncrypted('127.0.0.1', 'verify'),
      refused('config', /cannot be verified, because the host is an address: give its name/),
    );
  });
});

describe('servers that are not what they seem', () => {
  const credentials = { host: '127.0.0.1', database: 'd', user: 'ann', password: 'swordfish' };

  /** Checks a connection to a server that answers the packets of the client by `answer`. Returns the error. */
  async function errorOf(
    greeting: Buffer,
    answer: (packet: Buffer, count: number) => Buffer | null,
  ): Promise<{ error: SourceError; received: readonly Buffer[] }> {
    const received: Buffer[] = [];
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (data) => {
        received.push(data);
        const next = answer(data, received.length);
        if (next) socket.write(next);
        else socket.end();
      });
      if (greeting === HELLO) socket.write(greeting);
      else socket.end(greeting);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      await must(mysql.check)(contextOf(mysql, { credentials: { ...credentials, port } }));
    } catch (error) {
      assert.ok(error instanceof SourceError, String(error));
      return { error, received };
    } finally {
      server.close();
    }
    throw new Error('the server was accepted');
  }

  it('a server gets no file of this machine', async () => {
    const { error, received } = await errorOf(HELLO, (_packet, count) => {
      if (count === 1) return packetOf(2, OK);
      return count === 2 ? packetOf(1, '\xfb/etc/passwd') : packetOf(3, OK);
    });
    assert.match(error.message, /LOCAL INFILE/);
    const [login, , file] = received;
    const flags = must(login).readUInt32LE(4);
    const LOCAL_FILES = 0x80;
    const MULTI_STATEMENTS = 0x10000;
    assert.equal(flags & (LOCAL_FILES | MULTI_STATEMENTS), 0);
    // An empty packet tells the server that the file does not exist.
    assert.deepEqual(must(file).subarray(0, 3), Buffer.alloc(3));
    assert.equal(must(file).length, 4);
  });

  for (const [what, greeting] of [
    ['speaks HTTP', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['speaks SSH', Buffer.from('SSH-2.0-OpenSSH_9.2\r\n')],
    ['sends an unfinished greeting', Buffer.from('\x4a\0\0\0\x0a8.0')],
    ['asks for the password in clear text', null],
    ['asks for an unknown way to sign in', null],
  ] as const)
    it(`a server that ${what} is refused with an error, and gets no password`, async () => {
      const plugin = what.includes('clear') ? 'mysql_clear_password' : '__proto__';
      const { error, received } = await errorOf(greeting ?? HELLO, (_packet, count) =>
        greeting === null && count === 1 ? packetOf(2, `\xfe${plugin}\0`) : null,
      );
      assert.ok(error.kind === 'transient' || error.kind === 'config', error.message);
      for (const text of [error.message, Buffer.concat(received).toString('latin1')])
        assert.doesNotMatch(text, /swordfish/);
    });
});

function packetOf(sequence: number, text: string | Buffer): Buffer {
  const body = typeof text === 'string' ? Buffer.from(text, 'latin1') : text;
  return Buffer.concat([Buffer.from([body.length, 0, 0, sequence]), body]);
}

const OK = '\0\0\0\x02\0\0\0';

/** This is the greeting of a server without TLS (protocol 10), whose scramble is a row of letters. */
const HELLO = (() => {
  const flags = 0x0008_a209;
  return packetOf(
    0,
    Buffer.concat([
      Buffer.from('\x0a8.4.0\0\x01\0\0\0abcdefgh\0', 'latin1'),
      Buffer.from([flags & 0xff, (flags >> 8) & 0xff, 45, 2, 0, (flags >> 16) & 0xff, 0, 21]),
      Buffer.alloc(10),
      Buffer.from('ijklmnopqrst\0mysql_native_password\0', 'latin1'),
    ]),
  );
})();
