/**
 * Follows the guide of docs/backup.md: PostgreSQL's own tools restore the database of a service to a moment before a
 * mistake, from a base backup and archived WAL.
 */
import assert from 'node:assert/strict';
import { appendFileSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { type Server, startServer, TEST_KEY, tempDir } from '../e2e/process.ts';
import { freePort } from '../free-port.ts';
import {
  initialOptions,
  openPostgresFolder,
  POSTGRES_PASSWORD,
  type PostgresFolder,
} from '../postgres-server.ts';

describe('a PostgreSQL that is restored to a moment', () => {
  let own: PostgresFolder;
  let dir: ReturnType<typeof tempDir>;
  const running = new Set<string>();
  const servers = new Set<Server>();
  before(async () => {
    own = await openPostgresFolder();
    dir = tempDir();
    mkdirSync(archive());
    if (own.owner) chownSync(archive(), own.owner.uid, own.owner.gid);
  });
  after(async () => {
    for (const server of servers) await server.kill();
    for (const data of running) await end(data);
    dir.remove();
    rmSync(own.folder, { recursive: true });
  });

  const archive = () => join(own.folder, 'archive');

  /** Starts a server on the data directory, and returns its address. */
  async function run(data: string, settings: readonly string[] = []): Promise<string> {
    const port = await freePort();
    const all = [
      ...[`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${own.folder}`],
      ...['fsync=off', ...settings],
    ];
    const options = all.map((setting) => `-c "${setting}"`).join(' ');
    await own.call('pg_ctl', ['-D', data, '-w', '-l', `${data}.log`, '-o', options, 'start']);
    running.add(data);
    return `postgres://postgres:${POSTGRES_PASSWORD}@127.0.0.1:${port}/postgres`;
  }

  async function end(data: string): Promise<void> {
    await own.call('pg_ctl', ['-D', data, '-w', '-m', 'fast', 'stop']);
    running.delete(data);
  }

  async function start(name: string, url: string): Promise<Server> {
    const server = await startServer(join(dir.path, name), {
      args: [],
      env: {
        QUARRY_API_KEY: TEST_KEY,
        DATABASE_URL: url,
        QUARRY_ENCRYPTION_KEY: 'the same key before and after the restore',
      },
    });
    servers.add(server);
    return server;
  }

  async function stop(server: Server): Promise<void> {
    await server.stop();
    servers.delete(server);
  }

  it('[GEN-31] [GEN-37] has what was acknowledged until then, and a service goes on with it', async () => {
    const data = join(own.folder, 'data');
    await own.call('initdb', initialOptions({ folder: own.folder, data }));
    const url = await run(data, ['archive_mode=on', `archive_command=cp %p ${archive()}/%f`]);
    const server = await start('before', url);
    await server.call('POST', '/v1/collections', { name: 'Birds', readable_id: 'birds' });
    const { body: connection } = await server.call('POST', '/v1/source-connections', {
      ...{ name: 'Pushes', short_name: 'push', readable_collection_id: 'birds' },
    });
    const entities = `/v1/source-connections/${connection.id}/entities?wait=true`;
    const push = async (body: object, to = server) =>
      assert.equal((await to.call('POST', entities, body)).status, 200);
    const bird = (id: string) => ({ entity_id: id, name: id, text: `The ${id} waits.` });
    const found = async (at: Server) => {
      const body = { query: 'waits', retrieval_strategy: 'keyword', generate_answer: false };
      const answer = await at.call('POST', '/v1/collections/birds/search', body);
      return answer.body.results
        .map((one: { entity_id: string }) => one.entity_id.replace(/__chunk_\d+$/, ''))
        .toSorted();
    };

    await push({ entities: [bird('heron')] });
    const base = join(own.folder, 'base');
    await own.call('pg_basebackup', ['-D', base, '-c', 'fast', '-d', url]);
    await push({ entities: [bird('kestrel')] });
    const [moment] = await query<{ now: string }>(url, 'select now()::text as now');
    assert.ok(moment);
    // The mistake: everything is deleted.
    await push({ entities: [bird('magpie')], delete: ['heron', 'kestrel'] });
    assert.deepEqual(await found(server), ['magpie']);
    await stop(server);
    await query(url, 'select pg_switch_wal()');
    await end(data);

    appendFileSync(
      join(base, 'postgresql.auto.conf'),
      [
        `restore_command = 'cp ${archive()}/%f %p'`,
        `recovery_target_time = '${moment.now}'`,
        "recovery_target_action = 'promote'",
        '',
      ].join('\n'),
    );
    writeFileSync(join(base, 'recovery.signal'), '');
    const restored = await start('after', await run(base));
    assert.deepEqual(await found(restored), ['heron', 'kestrel']);
    const doctor = await restored.call('POST', '/v1/collections/birds/doctor', {});
    assert.deepEqual([doctor.status, doctor.body.problems], [200, []]);
    await push({ entities: [bird('wagtail')] }, restored);
    assert.deepEqual(await found(restored), ['heron', 'kestrel', 'wagtail']);
    await stop(restored);
  });
});

async function query<Row>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
