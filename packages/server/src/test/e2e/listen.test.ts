/** Tests the address on which a start listens, with real processes. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { passwordAdvice, plainHttpWarning } from '../../cli/listen.ts';
import { readConfig } from '../../config.ts';
import { runToEnd, startServer, tempDir } from './process.ts';

describe('the address of a start', () => {
  let dir: ReturnType<typeof tempDir>;
  beforeEach(() => {
    dir = tempDir();
  });
  afterEach(() => dir.remove());

  it('[GEN-23] a taken port is noticed before anything is made, and the next start makes it', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const data = join(dir.path, 'data');
    const exit = await runToEnd(['start', '--port', String(port), '--data-dir', data]);
    other.close();
    assert.equal(exit.code, 1);
    assert.match(
      exit.stderr,
      new RegExp(
        `port ${port} on 127.0.0.1 is in use by .*\\(process ${process.pid}\\): choose another`,
      ),
    );
    assert.equal(exit.stdout, '');
    assert.ok(!existsSync(data));

    const server = await startServer(data, { args: ['--no-sample'], env: {} });
    assert.match(server.stdout(), /API key {4}quarry_/);
    await server.kill();
  });

  it('an address of another machine is noticed before anything is made', async () => {
    const data = join(dir.path, 'data');
    const exit = await runToEnd([
      'start',
      '--host',
      '203.0.113.7',
      '--port',
      '0',
      '--data-dir',
      data,
    ]);
    assert.equal(exit.code, 1);
    assert.match(exit.stderr, /cannot listen on 203\.0\.113\.7:0 .*choose another --host/);
    assert.ok(!existsSync(data));
  });

  it('an address beyond this machine over plain HTTP is warned of, on the console and in the log', async () => {
    // The service takes this name for one of another machine, so that the test opens nothing to others.
    const beyond = ['--no-sample', '--host', 'LOCALHOST'];
    const open = await startServer(dir.path, { args: beyond });
    const warning = /listens on LOCALHOST over plain HTTP.*QUARRY_PUBLIC_URL/;
    assert.match(open.stdout(), warning);
    assert.match(open.stderr(), warning);
    await open.stop();

    const local = await startServer(dir.path);
    assert.doesNotMatch(local.stdout() + local.stderr(), /plain HTTP/);
    await local.kill();
  });

  it('localhost is one address, so that one server has all limits', async () => {
    const server = await startServer(dir.path, { args: ['--no-sample', '--host', 'localhost'] });
    const { hostname, port } = new URL(server.address);
    assert.equal(hostname, '127.0.0.1');
    const other = connect(Number(port), '::1');
    await assert.rejects(once(other, 'connect'), /ECONNREFUSED|EADDRNOTAVAIL/);
    await server.kill();
  });

  it('an address behind HTTPS is not warned of', () => {
    const warningOf = (env: Record<string, string>) => plainHttpWarning(readConfig(env));
    assert.match(warningOf({ QUARRY_HOST: '0.0.0.0' }) ?? '', /0\.0\.0\.0 over plain HTTP/);
    assert.match(
      warningOf({ QUARRY_HOST: '::', QUARRY_PUBLIC_URL: 'http://quarry.example.com' }) ?? '',
      /plain HTTP/,
    );
    const QUARRY_PUBLIC_URL = 'https://quarry.example.com';
    assert.equal(warningOf({ QUARRY_HOST: '0.0.0.0', QUARRY_PUBLIC_URL }), null);
    const own = { QUARRY_TLS_CERTIFICATE: '/tls/full.pem', QUARRY_TLS_KEY: '/tls/key.pem' };
    assert.equal(warningOf({ QUARRY_HOST: '0.0.0.0', ...own }), null);
    for (const QUARRY_HOST of ['127.0.0.1', '::1', 'localhost'])
      assert.equal(warningOf({ QUARRY_HOST }), null);
  });

  it('[MEM-10] a start that others can reach asks for a password of the owner, while there is none', async () => {
    const adviceOf = (env: Record<string, string>, hasPassword = false) =>
      passwordAdvice(readConfig(env), { hasPassword });
    const reachable = [
      { QUARRY_HOST: '0.0.0.0' },
      { QUARRY_PUBLIC_URL: 'https://quarry.example.com' },
    ] as Record<string, string>[];
    for (const env of reachable) {
      assert.match(adviceOf(env) ?? '', /set a password for the owner/);
      assert.equal(adviceOf(env, true), null);
    }
    for (const url of ['http://localhost:8099', 'http://127.0.0.1:8099', 'http://[::1]:8099'])
      assert.equal(adviceOf({ QUARRY_PUBLIC_URL: url }), null, url);
    assert.equal(adviceOf({}), null);
    const open = await startServer(dir.path, { args: ['--no-sample', '--host', 'LOCALHOST'] });
    assert.match(open.stdout(), /Password {3}Others can reach this service: sign in by the link/);
    await open.kill();
  });
});
