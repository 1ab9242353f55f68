/** These tests store pushes through a real thread, on a database that this thread reads. */
import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { after, before, describe, it } from 'node:test';
import pino from 'pino';
import { readConfig } from '../config.ts';
import { loadModel } from '../engines/embedder/model-file.ts';
import type { PushOrder } from '../syncs/pushes/intake.ts';
import type { PushedConnection } from '../syncs/pushes/start.ts';
import { insertCollection, insertConnection, insertOrganization } from '../test/api/rows.ts';
import { DATABASES, type TestDatabase } from '../test/databases.ts';
import { contextOf } from '../test/identity.ts';
import { measured } from '../test/measured.ts';
import { newId } from '../util.ts';
import { type PushThread, startPushThread } from './push-client.ts';
import type { Supervision } from './supervise.ts';

const log = pino({ level: 'silent' });
const onGivenUp = (error: Error) => assert.fail(error);
const dataOf = (env: Record<string, string>): Supervision['data'] => ({
  config: readConfig(env),
  secret: 'a secret',
  model: loadModel(),
  federated: [],
  logTo: 'lines',
});

const orderOf = (connection: PushedConnection, text: string, key?: string): PushOrder => {
  const { account, role, organization } = contextOf(connection.organization_id);
  return {
    connection,
    caller: { account, role, organization: { id: organization.id } },
    cause: { requestId: 'a-request', trace: null },
    key: key ?? null,
    sent: { json: new TextEncoder().encode(text), file: null },
  };
};
const bodyOf = (id: string, text = 'a heron') =>
  JSON.stringify({ entities: [{ entity_id: id, name: id, text }] });

describe('the thread of pushes', () => {
  const somewhere = {
    ...{ id: newId(), sync_id: newId(), collection_id: newId(), organization_id: newId() },
  };
  const broken = { ...dataOf({}), config: undefined } as unknown as Supervision['data'];

  it('[GEN-18] answers 503 to callers who wait when it dies, and says that nobody knows what became of their pushes', async () => {
    const { store, stop } = startPushThread({ ...measured(), data: broken, log, onGivenUp });
    const waiting = Array.from({ length: 10 }, () => store(orderOf(somewhere, bodyOf('a'))));
    const refused = (call: Promise<unknown>, message: RegExp) =>
      assert.rejects(call, { status: 503, code: 'unavailable', retryAfter: 1, message });
    await Promise.all(waiting.map((call) => refused(call, /stored or not.*Idempotency-Key/)));
    await refused(store(orderOf(somewhere, bodyOf('a'))), /starting again/);
    await stop();
  });
});

for (const database of DATABASES)
  describe(`pushes in a thread on ${database.name}`, () => {
    let opened: TestDatabase;
    let connection: PushedConnection;
    let thread: PushThread | undefined;

    before(async () => {
      opened = await database.open();
      const { db, kind, url } = opened;
      const organization_id = await insertOrganization(db);
      const collection = { id: newId(), organization_id };
      await insertCollection(db, collection);
      const id = await insertConnection(db, collection, { short_name: 'push' });
      const { sync_id } = await db
        .selectFrom('connections')
        .select('sync_id')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      connection = { id, sync_id, organization_id, collection_id: collection.id };
      // No other thread can reach a database that lives in this process alone.
      if (url === null) return;
      const env = kind === 'sqlite' ? { QUARRY_DATA_DIR: dirname(url) } : { DATABASE_URL: url };
      thread = startPushThread({ ...measured(), data: dataOf(env), log, onGivenUp });
    });
    after(async () => {
      await thread?.stop();
      await opened.close();
    });

    it('[PSH-01] stores small and large pushes, and takes their bytes without a copy', async (t) => {
      if (!thread) return t.skip('the database lives in this process');
      const { store } = thread;
      const orders = [
        orderOf(connection, bodyOf('small'), 'one'),
        orderOf(connection, bodyOf('large', 'heron '.repeat(500_000))),
        orderOf(connection, bodyOf('small'), 'one'),
      ];
      const jobs = await Promise.all(orders.map((order) => store(order)));
      assert.deepEqual(new Set(jobs.map(({ status }) => status)), new Set(['PENDING']));
      assert.equal(jobs[0]?.id, jobs[2]?.id);
      const rows = await opened.db.selectFrom('pushes').select('job_id').execute();
      assert.deepEqual(
        rows.map(({ job_id }) => job_id).toSorted(),
        [...new Set(jobs.map(({ id }) => id))].toSorted(),
      );
      assert.deepEqual(new Set(orders.map(({ sent }) => sent.json?.byteLength)), new Set([0]));
    });

    it('[PSH-02] refuses what is no push with the faults of the body', async (t) => {
      if (!thread) return t.skip('the database lives in this process');
      const { store } = thread;
      const refused = await store(orderOf(connection, '{"entities":[{"name":"a"}]}')).catch(
        (error: unknown) => error,
      );
      const { status, faults } = refused as { status: number; faults: { loc: unknown }[] };
      assert.deepEqual([status, faults[0]?.loc], [422, ['body', 'entities', 0, 'entity_id']]);
    });

    it('a stop waits for the pushes that have come', async (t) => {
      if (!thread) return t.skip('the database lives in this process');
      const { store, stop } = thread;
      const stored = Promise.all(
        Array.from({ length: 100 }, (_, i) => store(orderOf(connection, bodyOf(`last ${i}`)))),
      );
      const [jobs] = await Promise.all([stored, stop()]);
      thread = undefined;
      const rows = await opened.db.selectFrom('pushes').select('job_id').execute();
      const ids = new Set(rows.map(({ job_id }) => job_id));
      assert.ok(jobs.every(({ id }) => ids.has(id)));
    });
  });
