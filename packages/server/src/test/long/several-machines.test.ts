/** Three processes with the role api stand behind nginx, and PgBouncer before their PostgreSQL. `npm run chaos` plays with them for long. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { connect } from '../../db/connect.ts';
import { migrate } from '../../db/migrate.ts';
import type { Schema } from '../../db/schema.ts';
import { Gateway } from '../chaos/gateway.ts';
import { type Machine, Machines } from '../chaos/machines.ts';
import { followJob } from '../chaos/stream.ts';
import { createDatabase, databaseAt } from '../databases.ts';
import { tempDir } from '../e2e/process.ts';
import { READMISSION_MS, skipWithoutNginx, startNginx } from '../nginx-server.ts';
import { skipWithoutPgbouncer, startPgbouncer } from '../pgbouncer-server.ts';
import { startPostgres } from '../postgres-server.ts';
import { until } from '../until.ts';

const PUSH_PAUSE_MS = 50;
const APIS: readonly Machine[] = ['api 1', 'api 2', 'api 3'];

describe('several machines', { skip: skipWithoutNginx || skipWithoutPgbouncer }, () => {
  const closing: (() => unknown)[] = [];
  let machines: Machines;
  let gateway: Gateway;
  let db: Kysely<Schema>;
  before(async () => {
    const dir = tempDir();
    closing.push(() => dir.remove());
    mkdirSync(join(dir.path, 'world'));
    const server = await startPostgres();
    closing.push(() => server.stop());
    const { name, url, drop } = await createDatabase(server.url);
    closing.push(drop);
    db = connect(url);
    closing.push(() => db.destroy());
    await migrate(db, 'postgres');
    const pooler = await startPgbouncer(server.url);
    closing.push(() => pooler.stop());
    machines = await Machines.of({
      path: dir.path,
      databaseUrl: databaseAt(pooler.url, name),
      directUrl: url,
      filesRoot: join(dir.path, 'world'),
    });
    closing.push(() => machines.killAll());
    for (const machine of APIS) await machines.start(machine);
    const proxy = await startNginx(machines.ports);
    closing.push(() => proxy.stop());
    gateway = new Gateway(proxy.address);
  });
  after(async () => {
    for (const close of closing.toReversed()) await close();
  });

  const ask = async (method: string, path: string, body?: object) => {
    const answer = await gateway.call(method, path, body);
    gateway.checkNoneFailed();
    assert.ok(answer);
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    return answer.body;
  };

  it('a rolling restart fails no request, loses no push, and a stream goes on at another process', async () => {
    await ask('POST', '/v1/collections', { name: 'Several', readable_id: 'several' });
    const { id } = await ask('POST', '/v1/source-connections', {
      name: 'Pushed',
      short_name: 'push',
      readable_collection_id: 'several',
    });
    const path = `/v1/source-connections/${id}`;
    let pushed = 0;
    const push = async () => {
      const word = `word${++pushed}`;
      const entities = [{ entity_id: word, name: word, text: word }];
      return ask('POST', `${path}/entities`, { entities });
    };
    // No worker runs yet, so this job waits, and its stream stays open while the processes that send it stop.
    const first = await push();
    const followed = followJob(
      `${gateway.address}${path}/jobs/${first.id}/stream`,
      AbortSignal.timeout(90_000),
    );
    const over = new AbortController();
    const repeat = async (act: () => Promise<unknown>) => {
      while (!over.signal.aborted) {
        await act();
        await sleep(PUSH_PAUSE_MS);
      }
    };
    const search = { query: 'word1', generate_answer: false, expand_query: false };
    const load = Promise.all([
      repeat(push),
      repeat(() => ask('GET', path)),
      repeat(() => ask('POST', '/v1/collections/several/search', search)),
    ]);
    for (const machine of APIS) {
      await machines.stop(machine);
      await machines.start(machine);
      await sleep(READMISSION_MS);
    }
    over.abort();
    await load;
    await machines.start('worker 1');
    const { streams, isDone } = await followed;
    assert.ok(isDone, 'the stream has told the end of the job');
    // The first stream ends with its process. The next one may be at a process that stops later.
    assert.ok(streams >= 2 && streams <= 4, `${streams} streams`);
    await until(async () => (await ask('GET', path)).entities.total_entities === pushed);
    gateway.checkNoneFailed();
  });

  it('a worker listens on a session of its own, past the pooler', async () => {
    const listening = async () => {
      const { rows } = await sql`select from pg_stat_activity
        where datname = current_database() and query = 'listen quarry_work'`.execute(db);
      return rows.length;
    };
    await until(async () => (await listening()) === 1);
    // Through the pooler, others would soon use the same session.
    for (let i = 0; i < 20; i++) await ask('GET', '/v1/collections');
    assert.equal(await listening(), 1);
    await machines.stop('worker 1');
    assert.equal(await listening(), 0);
    machines.checkAlive();
  });
});
