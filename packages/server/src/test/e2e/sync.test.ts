/**
 * Runs `quarry sync` as a process of its own, against a service whose source is in the hands of the test. The
 * command knows no database: test/app/watch.test.ts tests on both databases what the service sends to it.
 */
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { SourceError } from '../../errors.ts';
import { checkpoint, fail, listed } from '../../sources/items.ts';
import { must, newId } from '../../util.ts';
import { openTestQuarry, type TestQuarry } from '../app/quarry.ts';
import { page, testWorld, type World } from '../app/source.ts';
import { DATABASES } from '../databases.ts';
import { until } from '../until.ts';
import { launch, TEST_KEY } from './process.ts';

const [sqlite] = DATABASES;

describe('quarry sync', () => {
  let quarry: TestQuarry;
  let world: World;
  let connection: string;
  let port: number;
  let made = 0;

  before(async () => {
    ({ quarry, world, port } = await serve());
  });
  after(() => quarry.close());
  beforeEach(async () => {
    Object.assign(world, { items: [], pulls: [] });
    connection = await connect(quarry, `commanded-${made++}`);
  });

  const command = (args: readonly string[], key = quarry.key, at = port) =>
    launch(['sync', ...args], { QUARRY_API_KEY: key, QUARRY_PORT: String(at) });
  const path = () => `/v1/source-connections/${connection}`;
  const newest = async () => (await quarry.ok('GET', `${path()}/jobs`))[0];
  const gate = () => Promise.withResolvers<void>();

  it('[JOB-40] follows a sync to its end, and sums it up', async () => {
    const go = gate();
    world.items = [
      () => go.promise,
      page('a'),
      page('b', { type: 'Post' }),
      page('c'),
      fail('d', 'Post', new SourceError('skip', 'odd')),
      listed(''),
    ];
    const { output, exited } = command([connection]);
    await until(() => output.stderr.includes('/s'));
    go.resolve();
    const exit = await exited;
    assert.equal(exit.code, 0, exit.stderr);
    const job = await newest();
    assert.match(exit.stdout, /^COMPLETED in \d+\.\d s: 3 inserted, 1 failed\n {2}3 chunks, /);
    assert.match(exit.stdout, /\n {2}(Page 2, Post 2|Post 2, Page 2)\n/);
    assert.ok(exit.stdout.endsWith(`  what failed: GET ${path()}/jobs/${job.id}/failures\n`));
    assert.match(exit.stderr, /^(pending|running) \| no entities \| 0\/s/);
    assert.ok(!exit.stderr.includes('\u001b'));
  });

  it('[JOB-40] a sync that failed ends with 1 and says why, and steers no terminal', async () => {
    world.items = [
      page('a'),
      checkpoint(1),
      () => {
        throw new SourceError('fatal', 'the world\u001b[2J\nis broken', { hint: 'mend it' });
      },
    ];
    const exit = await command([connection]).exited;
    assert.equal(exit.code, 1);
    assert.match(
      exit.stdout,
      /^FAILED in .*: 1 inserted\n.*\n.*\n {2}the world \[2J is broken\n {2}mend it\n$/,
    );
  });

  it('[JOB-40] joins the sync that runs, and shows what that waits for', async () => {
    const limit = new SourceError('rate_limited', 'slow down', { retryAfter: 3600 });
    world.items = [
      () => {
        throw limit;
      },
    ];
    const { id } = await quarry.ok('POST', `${path()}/run`);
    await until(async () => {
      const row = await quarry.db
        .selectFrom('sync_jobs')
        .select('waits_until')
        .where('id', '=', id)
        .executeTakeFirst();
      return row?.waits_until;
    });
    const { output, exited } = command([connection, '--full']);
    await until(() => output.stderr.includes('slow down'));
    await quarry.ok('POST', `${path()}/jobs/${id}/cancel`);
    const exit = await exited;
    assert.equal(exit.code, 1);
    assert.match(
      exit.stderr,
      /^a sync is already running: following it; --full has no effect on it\nrunning \| no entities \| 0\/s \| waits until \S.*: slow down\n/,
    );
    assert.match(exit.stdout, /^CANCELLED in /);
    assert.equal((await newest()).id, id);
  });

  it('[JOB-40] Ctrl-C leaves the sync to itself', async () => {
    const [reached, go] = [gate(), gate()];
    world.items = [() => reached.resolve(), () => go.promise, page('a'), listed('')];
    const { child, output, exited } = command([connection]);
    await reached.promise;
    await until(() => output.stderr.includes('/s'));
    child.kill('SIGINT');
    const exit = await exited;
    assert.deepEqual([exit.code, exit.signal, exit.stdout], [130, null, '']);
    assert.ok(exit.stderr.endsWith('the sync goes on; run the command again to follow it\n'));
    assert.equal((await newest()).status, 'RUNNING');
    go.resolve();
    assert.equal((await quarry.settled(connection)).status, 'completed');
  });

  it('[JOB-35] --full ignores where a continuous connection stopped', async () => {
    await quarry.ok('PATCH', path(), { schedule: { cron: null, continuous: true } });
    world.items = [page('a'), listed(''), checkpoint(7)];
    for (const args of [[connection], [connection], [connection, '--full']])
      assert.equal((await command(args).exited).code, 0);
    assert.deepEqual(
      world.pulls.map(({ cursor }) => cursor),
      [null, 7, null],
    );
  });

  for (const [why, args, key, says] of [
    [
      'no such connection',
      [newId()],
      undefined,
      /source connection '\S+' does not exist: .* lists them\n$/,
    ],
    ['a wrong key', ['x'], TEST_KEY, /this API key is unknown, expired or revoked/],
    ['no key', ['x'], '', /^quarry: QUARRY_API_KEY: a key has the form quarry_/],
    ['no connection', [], undefined, /missing required argument 'connection'/],
  ] as const)
    it(`[JOB-40] ${why} ends with 1 and a sentence`, async () => {
      const exit = await command(args, key).exited;
      assert.deepEqual([exit.code, exit.stdout], [1, '']);
      assert.match(exit.stderr, says);
    });
});

describe('quarry sync without its service', () => {
  it('[JOB-40] says when the service stops, and when there is none', async () => {
    const { quarry, world, port } = await serve();
    const env = { QUARRY_API_KEY: quarry.key, QUARRY_PORT: String(port) };
    const connection = await connect(quarry, 'left-alone');
    const go = Promise.withResolvers<void>();
    world.items = [() => go.promise, listed('')];
    const { output, exited } = launch(['sync', connection], env);
    await until(() => output.stderr.includes('/s'));
    const closed = quarry.close();
    const exit = await exited;
    assert.equal(exit.code, 1);
    assert.match(
      exit.stderr,
      /\nquarry: cannot follow the sync any more \(the service is stopping; ask again\): run the command again\n$/,
    );
    go.resolve();
    await closed;
    const none = await launch(['sync', connection], env).exited;
    assert.deepEqual(
      [none.code, none.stderr],
      [1, `quarry: no Quarry answers at http://127.0.0.1:${port}: start it, or give --url\n`],
    );
  });
});

async function serve() {
  const { source, world } = testWorld();
  const quarry = await openTestQuarry(await must(sqlite).open(), {
    sources: new Map([['world', source]]),
  });
  await quarry.api.listen({ host: '127.0.0.1', port: 0 });
  return { quarry, world, port: (quarry.api.server.address() as AddressInfo).port };
}

async function connect(quarry: TestQuarry, collection: string): Promise<string> {
  await quarry.ok('POST', '/v1/collections', { name: 'Commanded', readable_id: collection });
  const { id } = await quarry.ok('POST', '/v1/source-connections', {
    name: 'The world',
    short_name: 'world',
    readable_collection_id: collection,
    authentication: { credentials: { password: 'right' } },
    sync_immediately: false,
    schedule: { cron: null },
  });
  return id;
}
