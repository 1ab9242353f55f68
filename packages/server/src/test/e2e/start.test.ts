import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { until } from '../until.ts';
import { launch, runToEnd, type Server, startServer, TEST_KEY, tempDir } from './process.ts';

/** Runs the search that the start of a service prints in a shell, and returns its answer. */
async function searchOf(server: Server, env: Record<string, string> = {}): Promise<any> {
  const [command] = / curl .*\\\n.*\\\n.*/.exec(server.stdout()) ?? assert.fail(server.stdout());
  const options = { env: { PATH: process.env.PATH, ...env } };
  const { stdout } = await promisify(execFile)('bash', ['-c', command], options);
  return JSON.parse(stdout);
}

describe('start', () => {
  let dir: ReturnType<typeof tempDir>;
  let servers: { kill(): Promise<unknown> }[];
  beforeEach(() => {
    dir = tempDir();
    servers = [];
  });
  afterEach(async () => {
    for (const server of servers) await server.kill();
    dir.remove();
  });
  const start = async (options?: Parameters<typeof startServer>[1]) => {
    const server = await startServer(dir.path, options);
    servers.push(server);
    return server;
  };

  it('[GEN-26] [GEN-28] [GEN-30] [KEY-26] a fresh start makes everything, a second one nothing', async () => {
    const first = await start({ args: [], env: {} });
    const key = /quarry_[A-Za-z0-9_-]{43}/.exec(first.stdout())?.[0] ?? '';
    assert.ok(key, 'no key was printed');
    assert.match(first.stdout(), /quarry-docs holds \d+ documents/);
    assert.match(
      first.stdout(),
      /^ {2}Answer {5}\S.*seven days.* \[docs\/accounts\.md__chunk_\d+\]$/m,
    );
    assert.match(first.stdout(), /\n {2}Sign in {4}http:\S+\n {13}\(open it .*\)\n\n$/);
    assert.equal(statSync(join(dir.path, 'encryption.key')).mode & 0o777, 0o600);
    const keyFile = readFileSync(join(dir.path, 'encryption.key'), 'utf8');

    const get = async (server: Server, path: string) =>
      (
        await fetch(server.address + path, { headers: { 'x-api-key': key } })
      ).json() as Promise<any>;
    const [organization, ...others] = await get(first, '/v1/organizations');
    assert.deepEqual(others, []);
    assert.deepEqual(organization.feature_flags.toSorted(), [
      'AGENTIC_SEARCH',
      'SOURCE_RATE_LIMITING',
    ]);
    assert.equal(organization.quotas.agentic_queries_per_hour, 1000);
    assert.equal((await searchOf(first)).results[0].source_name, 'files');
    const before = await get(first, '/v1/entities?limit=1000');
    assert.equal((await first.stop()).code, 0);

    const second = await start({ args: [], env: {} });
    assert.doesNotMatch(second.stdout(), /quarry_[A-Za-z0-9_-]{43}/);
    assert.deepEqual(await get(second, '/v1/entities?limit=1000'), before);
    assert.equal((await get(second, '/v1/collections')).length, 1);
    assert.equal(readFileSync(join(dir.path, 'encryption.key'), 'utf8'), keyFile);
  });

  it('[GEN-26] [GEN-27] [GEN-33] [KEY-04] takes a preset key, makes no sample when told so, ends with 0 at SIGTERM, and never prints or stores the key', async () => {
    const server = await start();
    assert.ok(!(server.stdout() + server.stderr()).includes(TEST_KEY));
    const { status, body } = await server.call('GET', '/v1/collections');
    assert.deepEqual([status, body], [200, []]);
    const exit = await server.stop();
    assert.deepEqual([exit.code, exit.signal], [0, null]);
    assert.ok(!(exit.stdout + exit.stderr).includes(TEST_KEY));
    for (const name of readdirSync(dir.path))
      assert.ok(!readFileSync(join(dir.path, name)).includes(TEST_KEY), name);
  });

  it('a terminal that is closed (SIGHUP) stops it as SIGTERM does', async () => {
    const server = await start();
    server.child.kill('SIGHUP');
    const { code, signal } = await server.exited;
    assert.deepEqual([code, signal], [0, null]);
  });

  it('[GEN-26] [GEN-27] prints a search that works when pasted, and does not show a preset key', async () => {
    const server = await start({ args: [] });
    assert.ok(!(server.stdout() + server.stderr()).includes(TEST_KEY));
    const { results } = await searchOf(server, { QUARRY_API_KEY: TEST_KEY });
    assert.equal(results[0].source_name, 'files');
  });

  it('[MEM-10] every start prints a link that signs the owner in once, and sign-in-link makes another', async () => {
    const linkIn = (text: string) =>
      /(http:\/\/localhost:\d+)\/start#token=([\w-]{43})/.exec(text) ?? assert.fail(text);
    const first = await start();
    const [, origin, early = ''] = linkIn(first.stdout());
    assert.equal(origin, first.address.replace('127.0.0.1', 'localhost'));
    assert.doesNotMatch(first.stdout(), /Password/);
    await first.stop();

    const second = await start();
    const use = (token: string) => second.call('POST', '/v1/auth/start', { token });
    const [, , token = ''] = linkIn(second.stdout());
    assert.equal((await use(early)).status, 401, 'the link of an earlier start has ended');
    const port = new URL(second.address).port;
    const make = (...args: string[]) =>
      runToEnd(['sign-in-link', '--data-dir', dir.path, '--port', port, ...args]);
    const made = await make();
    assert.deepEqual([made.code, made.stdout.includes(token)], [0, false]);
    assert.match(made.stderr, /This link signs owner@localhost in/);
    for (const one of [linkIn(made.stdout)[2] ?? '', token]) {
      const { status, headers, body } = await use(one);
      assert.deepEqual([status, body.user?.email], [200, 'owner@localhost']);
      assert.match(String(headers.get('set-cookie')), /^quarry_session=/);
    }
    assert.equal((await use(token)).status, 401);
    const found = await runToEnd(['sign-in-link', '--data-dir', dir.path]);
    assert.equal(
      linkIn(found.stdout)[1],
      `http://localhost:${port}`,
      'the running service has a port',
    );
    const forgotten = await make('--forget-password');
    assert.match(forgotten.stderr, /The account has no password and no session now\./);
    assert.equal((await use(linkIn(forgotten.stdout)[2] ?? '')).status, 200);
    const unknown = await make('--email', 'nobody@example.com');
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /no organization has the member nobody@example.com/);
  });

  it('[GEN-29] an encryption key from the environment makes no key file', async () => {
    const secret = 'an encryption key of the operator, long';
    await start({ env: { QUARRY_API_KEY: TEST_KEY, QUARRY_ENCRYPTION_KEY: secret } });
    assert.ok(!existsSync(join(dir.path, 'encryption.key')));
  });

  it('[GEN-25] a second process on the same data directory is refused', async () => {
    await start();
    const exit = await runToEnd(['start', '--port', '0', '--data-dir', dir.path]);
    assert.equal(exit.code, 1);
    assert.match(exit.stderr, /Quarry runs already at http:.* with the data in /);
  });

  it('what is printed may be read by somebody who goes away', async () => {
    const { child, exited } = launch(['config']);
    child.stdout?.destroy();
    const { code, stderr } = await exited;
    assert.deepEqual([code, stderr], [0, '']);
  });

  it('goes on when nobody reads its log any more', async () => {
    const server = await start();
    const log = () => readFileSync(join(dir.path, 'quarry.log'), 'utf8');
    const made = await server.call('POST', '/v1/collections', { name: 'Birds' });
    const common = { short_name: 'files', readable_collection_id: made.body.readable_id };
    server.child.stderr?.destroy();
    for (const path of ['/no/such/folder', '/nor/this/one']) {
      const body = { ...common, name: 'Notes', config: { path } };
      const refused = await server.call('POST', '/v1/source-connections', body);
      assert.equal(refused.status, 422, JSON.stringify(refused.body));
      await until(() => log().includes(path));
    }
    assert.equal((await server.call('GET', '/health/live')).status, 200);
    assert.equal((await server.stop()).code, 0);
  });

  it('[GEN-25] a data directory that cannot be made is an error that says what to do', async () => {
    const file = join(dir.path, 'file');
    writeFileSync(file, '');
    const exit = await runToEnd(['start', '--port', '0', '--data-dir', join(file, 'below')]);
    assert.equal(exit.code, 1);
    assert.match(exit.stderr, /the data directory .* cannot be used .*--data-dir/);
  });

  it('[GEN-30] a lost encryption key stops the start, and the one from a backup opens everything again', async () => {
    const keyFile = join(dir.path, 'encryption.key');
    const first = await start();
    const { body } = await first.call('POST', '/v1/webhooks/subscriptions', {
      url: 'https://example.com/hook',
      event_types: ['sync.completed'],
      secret: 'a secret that only its key opens',
    });
    const shown = `/v1/webhooks/subscriptions/${body.id}?include_secret=true`;
    const { secret } = (await first.call('GET', shown)).body;
    await first.stop();
    const backup = readFileSync(keyFile, 'utf8');
    const again = (env: Record<string, string>) => {
      const { child, exited } = launch(
        ['start', '--port', '0', '--no-sample', '--data-dir', dir.path],
        env,
      );
      servers.push({
        kill: () => {
          child.kill('SIGKILL');
          return exited;
        },
      });
      return exited;
    };
    const refused = /the encryption key is not the one .*: restore encryption\.key, or set/;

    rmSync(keyFile);
    for (const _ of [1, 2]) {
      const { code, stderr } = await again({});
      assert.equal(code, 1);
      assert.match(stderr, refused);
      assert.ok(!existsSync(keyFile), 'a new key took the place of the lost one');
    }
    const foreign = await again({ QUARRY_ENCRYPTION_KEY: 'x'.repeat(32) });
    assert.equal(foreign.code, 1);
    assert.match(foreign.stderr, refused);

    writeFileSync(keyFile, backup, { mode: 0o600 });
    const restored = await start();
    assert.equal((await restored.call('GET', shown)).body.secret, secret);
  });
});

describe('command line', () => {
  it('[GEN-41] --help prints every option to standard output and ends with 0', async () => {
    const exit = await runToEnd(['start', '--help']);
    assert.deepEqual([exit.code, exit.stderr], [0, '']);
    for (const option of ['--port', '--host', '--data-dir', '--no-sample'])
      assert.ok(exit.stdout.includes(option), option);
  });

  it('without a command it says what can be done, and an unknown one is not taken for another', async () => {
    const exit = await runToEnd([]);
    assert.deepEqual([exit.code, exit.stderr], [0, '']);
    for (const command of ['start', 'config', 'connect', 'keys', 'mcp'])
      assert.match(exit.stdout, new RegExp(`^  ${command} `, 'm'));
    const wrong = await runToEnd(['strat']);
    assert.deepEqual([wrong.code, wrong.stdout], [1, '']);
    assert.match(wrong.stderr, /unknown command 'strat'[\s\S]*Did you mean start\?/);
  });

  it('[GEN-40] an unknown option stops the start with a sentence that names it', async () => {
    const exit = await runToEnd(['start', '--prot', '1']);
    assert.equal(exit.code, 1);
    assert.match(exit.stderr, /unknown option '--prot'/);
  });

  it('[GEN-40] an unknown setting stops the start with a sentence that names it', async () => {
    const exit = await runToEnd(['start'], { QUARRY_PROT: '1' });
    assert.equal(exit.code, 1);
    assert.equal(
      exit.stderr,
      "quarry: QUARRY_PROT: this setting does not exist: 'quarry config' lists all\n",
    );
  });

  it('[GEN-32] an unknown role stops the start with a sentence', async () => {
    const exit = await runToEnd(['start'], { QUARRY_ROLES: 'boss' });
    assert.equal(exit.code, 1);
    assert.match(exit.stderr, /^quarry: QUARRY_ROLES: /);
  });

  it('lists every setting, and no secret', async () => {
    const exit = await runToEnd(['config'], { QUARRY_API_KEY: TEST_KEY, QUARRY_PORT: '1234' });
    assert.equal(exit.code, 0);
    assert.match(exit.stdout, /QUARRY_PORT\n {4}Port of the API.*\n {4}default 8099, now 1234\n/);
    assert.match(
      exit.stdout,
      /QUARRY_API_KEY\n.*\n {4}or the path of a file with it in QUARRY_API_KEY_FILE\n {4}default none, now \(set\)\n/,
    );
    assert.ok(!exit.stdout.includes(TEST_KEY));
  });

  it('[GEN-29] [GEN-31] lists no encryption key and no address of a database', async () => {
    const exit = await runToEnd(['config'], {
      QUARRY_ENCRYPTION_KEY: 'an encryption key of the operator, long',
      DATABASE_URL: 'postgres://me:hunter2@db.example/quarry',
    });
    assert.equal(exit.code, 0);
    for (const name of ['QUARRY_ENCRYPTION_KEY', 'DATABASE_URL'])
      assert.match(
        exit.stdout,
        new RegExp(`^${name}\\n.*\\n.* ${name}_FILE\\n {4}default none, now \\(set\\)$`, 'm'),
      );
    assert.match(exit.stdout, /^QUARRY_API_KEY\n.*\n.*\n {4}default none, now none$/m);
    assert.match(exit.stdout, /^QUARRY_FILES_ROOTS\n.*\n {4}default none, now none$/m);
    assert.doesNotMatch(exit.stdout, /an encryption key|hunter2|db\.example/);
  });
});
