import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { type AddressInfo, connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import pino from 'pino';
import { selfSigned } from '../test/certificate.ts';
import { makeAuthority, replaceFile, type TestAuthority } from '../test/certificates.ts';
import { until } from '../test/until.ts';
import { openCertificate, type ServedCertificate } from './certificate.ts';
import { type App, createServer } from './server.ts';

const silent = pino({ level: 'silent' });
const LOOK_MS = 5;
const DAY_MS = 86_400_000;

describe('the certificate of the service', () => {
  let folder: string;
  let authority: TestAuthority;
  let files: { readonly certificate: string; readonly key: string };
  let served: ServedCertificate;
  let app: App;
  let port: number;
  const logged: string[] = [];
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quarry-tls-'));
    authority = makeAuthority(folder);
    const first = authority.issue('first');
    files = { certificate: join(folder, 'live.pem'), key: join(folder, 'live.key') };
    copyFileSync(first.certificate, files.certificate);
    copyFileSync(first.key, files.key);
    const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) });
    served = openCertificate(files, { log, lookMs: LOOK_MS });
    app = createServer({
      log: silent,
      authenticate: () => Promise.reject(new Error('nobody has a key')),
      unavailableReason: () => null,
      certificate: served,
      routes(api) {
        api.get('/', { config: { role: null } }, async () => ({ served: true }));
        api.get('/slow', { config: { role: null } }, async () => {
          await until(() => hasEnded);
          return { served: true };
        });
      },
    });
    await app.listen({ host: '127.0.0.1', port: 0 });
    ({ port } = app.server.address() as AddressInfo);
  });
  let hasEnded = false;
  after(async () => {
    hasEnded = true;
    await app.close();
    served.close();
    rmSync(folder, { recursive: true });
  });

  async function ask(agent: Agent, path = '/'): Promise<{ readonly name: string; body: string }> {
    const sent = request({ host: '127.0.0.1', port, path, agent, ca: authority.ca });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const { CN: name = '' } = (response.socket as TLSSocket).getPeerCertificate().subject;
    return { name: String(name), body: await text(response) };
  }
  const askOnce = async () => (await ask(new Agent({ keepAlive: false }))).name;
  const replaceBy = (name: string) => {
    replaceFile(files.certificate, join(folder, `${name}.pem`));
    replaceFile(files.key, join(folder, `${name}.key`));
  };

  it('serves HTTP/1.1 over TLS 1.2 and 1.3, and nothing older', async () => {
    assert.equal(await askOnce(), 'first');
    const protocols: (string | null)[] = [];
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const socket = connect({
        ...{ host: '127.0.0.1', port, ca: authority.ca, ALPNProtocols: ['h2', 'http/1.1'] },
        ...{ minVersion: version, maxVersion: version },
      });
      await once(socket, 'secureConnect');
      protocols.push(socket.getProtocol(), String(socket.alpnProtocol));
      socket.destroy();
    }
    assert.deepEqual(protocols, ['TLSv1.2', 'http/1.1', 'TLSv1.3', 'http/1.1']);
    const old = connect({
      ...{ host: '127.0.0.1', port, ca: authority.ca, ciphers: 'DEFAULT@SECLEVEL=0' },
      ...{ minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1' },
    });
    const [error] = await once(old, 'error');
    assert.match(String(error), /protocol version/);
  });

  it('a client that speaks plain HTTP gets nothing, and the service goes on', async () => {
    const socket = connectTcp(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.end('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(socket, 'close');
    assert.equal(await askOnce(), 'first');
  });

  it('takes renewed files for new connections, and keeps those that are open', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      assert.equal((await ask(agent)).name, 'first');
      authority.issue('second');
      replaceBy('second');
      await until(async () => (await askOnce()) === 'second');
      // The connection that was open before is still the same.
      assert.equal((await ask(agent)).name, 'first');
      assert.deepEqual(served.problems(), []);
      assert.ok(logged.some((line) => line.includes('the certificate has been renewed')));
    } finally {
      agent.destroy();
    }
  });

  it('keeps the old certificate while new files cannot be used, and says so', async () => {
    authority.issue('third');
    // Only one of the two files is replaced.
    replaceFile(files.certificate, join(folder, 'third.pem'));
    await until(() => served.problems().length > 0);
    assert.deepEqual(
      served.problems().map(({ problem }) => problem),
      ['the new certificate of the service cannot be used, so the old one stays'],
    );
    assert.equal(await askOnce(), 'second');
    const faults = () => logged.filter((line) => line.includes('the old one stays'));
    assert.match(faults()[0] ?? '', /QUARRY_TLS_KEY: the key in .* does not belong to the first/);
    assert.equal(faults().length, 1, 'one fault is logged once');
    rmSync(files.key);
    await until(() => faults().length === 2);
    assert.match(faults()[1] ?? '', /live.key cannot be read/);
    replaceFile(files.key, join(folder, 'third.key'));
    await until(() => served.problems().length === 0);
    assert.equal(await askOnce(), 'third');
  });

  it('names a certificate as a problem in the last third of its life, at most in the last 7 days', (t) => {
    const problemsAfter = (name: string, days: number, ages: readonly number[]) => {
      const opened = openCertificate(authority.issue(name, days), { log: silent });
      opened.close();
      const begun = Date.now();
      return ages.map((age) => {
        t.mock.timers.enable({ apis: ['Date'], now: begun + age * DAY_MS });
        const problems = opened.problems().map(({ problem }) => problem.replace(/\d{4}-.*/, ''));
        t.mock.timers.reset();
        return problems.join();
      });
    };
    const ends = 'the certificate of the service ends on ';
    const ended = 'the certificate of the service has ended on ';
    const begins = 'the certificate of the service begins on ';
    assert.deepEqual(problemsAfter('short', 6, [0, 3.9, 4.1, 6.1]), ['', '', ends, ended]);
    assert.deepEqual(problemsAfter('long', 90, [82.9, 83.1, -1]), ['', ends, begins]);
  });

  it('keeps a valid certificate while the new one is not valid yet or any more', async (t) => {
    const pair = { certificate: join(folder, 'dates.pem'), key: join(folder, 'dates.key') };
    const put = ({ certificate, key }: ReturnType<typeof selfSigned>) => {
      writeFileSync(pair.certificate, certificate);
      writeFileSync(pair.key, key);
      return certificate;
    };
    /** Makes a certificate that is valid for a day before and after this time. */
    const around = (ms: number) => {
      t.mock.timers.enable({ apis: ['Date'], now: ms });
      const made = selfSigned('localhost');
      t.mock.timers.reset();
      return made;
    };
    const now = Date.now();
    const first = put(around(now));
    const opened = openCertificate(pair, { log: silent, lookMs: 3_600_000 });
    const lookTwice = async () => {
      await opened.look();
      await opened.look();
    };
    const problems = () => opened.problems().map(({ problem }) => problem);
    const stays = 'the new certificate of the service cannot be used, so the old one stays';
    put(around(now - 1.5 * DAY_MS));
    await lookTwice();
    assert.deepEqual([opened.options().cert, problems()], [first, [stays]]);
    const next = put(around(now + 1.5 * DAY_MS));
    await lookTwice();
    assert.deepEqual([opened.options().cert, problems()], [first, [stays]]);
    t.mock.timers.enable({ apis: ['Date'], now: now + 0.6 * DAY_MS });
    await lookTwice();
    t.mock.timers.reset();
    opened.close();
    assert.equal(opened.options().cert, next);
  });

  it('takes a change only when two looks have found it, and two that run at once are one', async () => {
    const pair = { certificate: join(folder, 'twice.pem'), key: join(folder, 'twice.key') };
    const put = () => {
      const { certificate, key } = selfSigned('localhost');
      writeFileSync(pair.certificate, certificate);
      writeFileSync(pair.key, key);
      return certificate;
    };
    const first = put();
    const opened = openCertificate(pair, { log: silent, lookMs: 3_600_000 });
    put();
    await Promise.all([opened.look(), opened.look()]);
    assert.equal(opened.options().cert, first);
    const last = put();
    await opened.look();
    assert.equal(opened.options().cert, first);
    await opened.look();
    assert.equal(opened.options().cert, last);
    opened.close();
  });

  it('refuses files that cannot be used, with the setting and what to do', () => {
    const { certificate, key } = authority.issue('good');
    const other = authority.issue('other');
    const write = (name: string, content: string) => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    const locked = join(folder, 'locked.key');
    execFileSync('openssl', ['pkey', '-in', key, '-aes256', '-passout', 'pass:x', '-out', locked], {
      stdio: 'pipe',
    });
    const words = write('words.pem', 'no certificate');
    const nowhere = join(folder, 'nowhere.pem');
    const chain = write('chain.pem', `${authority.ca}`);
    for (const [files, message] of [
      [
        { certificate: nowhere, key },
        /^QUARRY_TLS_CERTIFICATE: .*nowhere.pem cannot be read \(ENOENT/,
      ],
      [{ certificate: words, key }, /^QUARRY_TLS_CERTIFICATE: .* has no certificate in PEM form/],
      [{ certificate, key: words }, /^QUARRY_TLS_KEY: .* has no private key in PEM form/],
      [{ certificate, key: locked }, /^QUARRY_TLS_KEY: .* has a key with a passphrase/],
      [
        { certificate, key: other.key },
        /^QUARRY_TLS_KEY: .* does not belong to the first certificate/,
      ],
      [{ certificate: chain, key }, /^QUARRY_TLS_KEY: .* does not belong to the first certificate/],
    ] as const)
      assert.throws(
        () => openCertificate(files, { log: silent }),
        (error: Error) => {
          assert.match(error.message, message);
          return true;
        },
      );
  });

  it('a stop ends connections that say nothing, and answers requests that have begun', async () => {
    const mute = connect({ host: '127.0.0.1', port, ca: authority.ca });
    await once(mute, 'secureConnect');
    // This one has not even begun with TLS.
    const bare = connectTcp(port, '127.0.0.1');
    await once(bare, 'connect');
    const ends = [mute, bare].map((socket) => {
      socket.on('error', () => {});
      socket.resume();
      return once(socket, 'close');
    });
    const agent = new Agent({ keepAlive: false });
    const slow = ask(agent, '/slow');
    await until(async () => (await connectionsOf(app)) >= 3);
    const closed = app.close();
    await Promise.all(ends);
    hasEnded = true;
    assert.equal((await slow).body, '{"served":true}');
    await closed;
  });
});

const connectionsOf = (app: App): Promise<number> =>
  new Promise((resolve, reject) =>
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
