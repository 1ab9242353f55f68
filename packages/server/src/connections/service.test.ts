/** In these tests, another request acts in the middle of an operation on a connection. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import pino from 'pino';
import { createCollections } from '../collections/service.ts';
import type { Ctx } from '../context.ts';
import { watchRefusal } from '../db/refused-writes.ts';
import type { Tx } from '../db/schema.ts';
import { createBuiltinEmbedder } from '../engines/embedder/builtin.ts';
import { createExactIndex } from '../engines/index/exact.ts';
import type { SyncStatus } from '../model/sync-status.ts';
import { createVault } from '../secrets.ts';
import { createSignInLinks } from '../sign-in/browser/links.ts';
import { catalog } from '../sources/catalog.ts';
import type { Source } from '../sources/define.ts';
import { createPushIntake } from '../syncs/pushes/intake.ts';
import { createSyncs, type Syncs } from '../syncs/service.ts';
import { insertConnection, insertOrganization, insertSyncJob } from '../test/api/rows.ts';
import { page, testWorld, whole } from '../test/app/source.ts';
import { DATABASES, type TestDatabase } from '../test/databases.ts';
import { anywhere, authProvidersOf, noModules, unlimited } from '../test/environment.ts';
import { contextOf } from '../test/identity.ts';
import { noTokens } from '../test/keeper.ts';
import { createTransformers } from '../transformers/service.ts';
import { newId } from '../util.ts';
import { createConnections } from './service.ts';

const embedder = createBuiltinEmbedder();

const vault = createVault('a secret of the tests, long enough');

for (const database of DATABASES) {
  describe(`operations on connections on ${database.name}`, () => {
    const { source, world } = testWorld();
    let test: TestDatabase;
    let real: Syncs;
    let ctx: Ctx;
    let collection: { id: string; organization_id: string };
    let readableId: string;

    before(async () => {
      test = await database.open();
      real = createSyncs({ db: test.db, wake: () => {}, whyRefused: watchRefusal(test.db) });
    });
    after(() => test.close());
    beforeEach(async () => {
      world.items = whole(page('a'));
      const organization = await insertOrganization(test.db);
      ctx = contextOf(organization, { account: { id: newId(), email: 'who@example.com' } });
      readableId = (await collections().create(ctx, { name: 'Any' })).readable_id;
      collection = await collections().resolve(ctx, readableId);
    });

    const collections = () =>
      createCollections({
        db: test.db,
        embedder,
        index: createExactIndex({ kind: test.kind, dimensions: embedder.dimensions }),
        syncs: real,
        sources: catalog,
      });
    /** Returns the service. `meanwhile` is the action of another request in the middle of an operation. */
    const connections = (meanwhile: Partial<Syncs> = {}, check?: Source['check']) =>
      createConnections({
        db: test.db,
        collections: collections(),
        syncs: { ...real, ...meanwhile },
        sources: new Map([...catalog, ['world', { ...source, ...(check && { check }) }] as const]),
        environment: anywhere,
        rateLimiter: unlimited,
        kind: test.kind,
        keeper: noTokens,
        authProviders: authProvidersOf({ db: test.db, vault }),
        links: createSignInLinks({ kind: test.kind, origin: () => 'http://localhost' }),
        transformers: createTransformers({ db: test.db, sources: catalog, runtime: noModules }),
        vault,
        log: pino({ level: 'silent' }),
        storePush: createPushIntake(test.db, test.kind),
      });
    const input = (over: object = {}) => ({
      name: 'The world',
      short_name: 'world',
      readable_collection_id: readableId,
      authentication: { credentials: { password: 'right' } },
      ...over,
    });
    const add = (over: Parameters<typeof insertConnection>[2] = {}) =>
      insertConnection(test.db, collection, { short_name: 'world', ...over });
    const addJob = (id: string, status: SyncStatus) =>
      insertSyncJob(test.db, { ...collection, id }, status);
    const rowOf = (id: string) =>
      test.db.selectFrom('connections').selectAll().where('id', '=', id).executeTakeFirst();
    const deleteRow = (tx: Tx, id: string) =>
      tx.updateTable('connections').set({ deleted_at: 1 }).where('id', '=', id).execute();
    const statuses = async (connectionId: string) =>
      (
        await test.db
          .selectFrom('sync_jobs')
          .select('status')
          .where('connection_id', '=', connectionId)
          .orderBy('id')
          .execute()
      ).map((job) => job.status);

    it('[CON-35] creates no connection in a collection that is deleted while the source is checked', async () => {
      const service = connections({}, async () => {
        await collections().remove(ctx, readableId);
      });
      await assert.rejects(service.create(ctx, input()), { status: 404, message: /collection/ });
      const { rows } = await connections().list(ctx, { skip: 0, limit: 10 });
      assert.deepEqual(rows, []);
      const stored = await test.db
        .selectFrom('connections')
        .select('id')
        .where('collection_id', '=', collection.id)
        .execute();
      assert.deepEqual(stored, []);
    });

    it('refuses transformers that are deleted while the source is checked', async () => {
      const id = newId();
      const put = () =>
        test.db
          .insertInto('transformers')
          .values({
            id,
            organization_id: collection.organization_id,
            name: 'Any',
            method_name: 'change',
            module_name: 'any.js',
            config_schema: '{}',
            input_definitions: '[]',
            output_definitions: '[]',
            created_at: 0,
            modified_at: 0,
            created_by_email: ctx.account.email,
            modified_by_email: ctx.account.email,
          })
          .execute();
      const connection = await connections().create(ctx, input());
      const service = connections({}, async () => {
        await test.db.deleteFrom('transformers').where('id', '=', id).execute();
      });
      const transformers = [{ transformer_id: id, config: {} }];
      const { authentication } = input();
      for (const save of [
        () => service.create(ctx, input({ transformers })),
        () => service.update(ctx, connection.id, { authentication, transformers }),
      ]) {
        await put();
        await assert.rejects(save(), { status: 409, message: /deleted in the meantime/ });
      }
      const { rows } = await connections().list(ctx, { skip: 0, limit: 10 });
      assert.deepEqual(
        rows.map((row) => [row.id, row.transformers]),
        [[connection.id, []]],
      );
    });

    it('stores no key id for a connection without credentials', async () => {
      const pushed = await connections().create(
        ctx,
        input({ short_name: 'push', authentication: undefined }),
      );
      const row = await rowOf(pushed.id);
      assert.deepEqual([row?.credentials, row?.credentials_key], [null, null]);
      assert.deepEqual(await statuses(pushed.id), []);
    });

    it('[COL-28] a refresh of all skips connections that were started or deleted in the meantime', async () => {
      const [first, started, deleted, last] = [await add(), await add(), await add(), await add()];
      const service = connections({
        async start(tx, row, options) {
          if (row.id === first) {
            const other = await tx
              .selectFrom('connections')
              .selectAll()
              .where('id', '=', started)
              .executeTakeFirstOrThrow();
            await real.start(tx, other, options);
            await deleteRow(tx, deleted);
          }
          return real.start(tx, row, options);
        },
      });
      const jobs = await service.refreshAll(ctx, readableId);
      assert.deepEqual(
        jobs.map((job) => job.source_connection_id),
        [first, last],
      );
      assert.deepEqual(await statuses(started), ['PENDING']);
      assert.deepEqual(await statuses(deleted), []);
    });

    it('[CON-21] a deletion waits until the worker has stopped', async () => {
      const id = await add();
      const job = await addJob(id, 'RUNNING');
      let looks = 0;
      const service = connections({
        async isBusy(at, connectionId) {
          if (++looks === 3) {
            assert.deepEqual(await statuses(id), ['CANCELLING']);
            assert.equal((await rowOf(id))?.deleted_at, null);
            assert.equal((await real.get(ctx, job)).modified_by_email, 'who@example.com');
            await test.db
              .updateTable('sync_jobs')
              .set({ status: 'CANCELLED' })
              .where('id', '=', job)
              .execute();
          }
          return real.isBusy(at, connectionId);
        },
      });
      await service.remove(ctx, id);
      assert.deepEqual([looks, await statuses(id)], [3, ['CANCELLED']]);
    });

    it('[CON-21] a job that starts during a deletion is cancelled with it', async () => {
      const id = await add();
      const service = connections({
        async isBusy(at, connectionId) {
          const busy = await real.isBusy(at, connectionId);
          await connections().run(ctx, id, false);
          return busy;
        },
      });
      await service.remove(ctx, id);
      assert.deepEqual(await statuses(id), ['CANCELLED']);
      assert.notEqual((await rowOf(id))?.deleted_at, null);
    });

    it('a deletion answers with the connection as it was', async () => {
      const id = await add();
      await addJob(id, 'FAILED');
      const before = await connections().get(ctx, id);
      assert.equal(before.status, 'ERROR');
      assert.deepEqual(await connections().remove(ctx, id), before);
    });

    it('[CON-30] a connection is SYNCING while one of its jobs has not ended', async () => {
      const id = await add();
      const status = async () => (await connections().get(ctx, id)).status;
      for (const live of ['PENDING', 'RUNNING', 'CANCELLING'] as const) {
        const job = await addJob(id, live);
        await addJob(id, 'CANCELLED');
        assert.equal(await status(), 'SYNCING', live);
        await test.db.deleteFrom('sync_jobs').where('id', '=', job).execute();
        assert.equal(await status(), 'ACTIVE', live);
      }
    });

    it('[KEY-13] another organization cannot see or change a job', async () => {
      const id = await add();
      const job = await addJob(id, 'RUNNING');
      const stranger = { ...ctx, organization: { ...ctx.organization, id: newId() } };
      const missing = { status: 404, message: new RegExp(id) };
      const service = connections();
      const page = { skip: 0, limit: 10 };
      await assert.rejects(service.cancelJob(stranger, id, job), missing);
      await assert.rejects(
        service.failures(stranger, { connectionId: id, jobId: job }, page),
        missing,
      );
      await assert.rejects(service.jobs(stranger, id, page), missing);
      assert.deepEqual(await statuses(id), ['RUNNING']);
    });

    it('[CON-17] lists connections newest first, and those of the same time by their ids', async () => {
      const [low, middle, high] = [newId(), newId(), newId()];
      // The rows are inserted neither in the order of their ids nor in the reverse order.
      for (const id of [middle, high, low]) await add({ id, created_at: 2 });
      const [oldest, newest] = [await add({ created_at: 1 }), await add({ created_at: 3 })];
      const { total, rows } = await connections().list(ctx, { skip: 0, limit: 10 });
      const order = [high, middle, low];
      const shown = rows.map((row) => row.id);
      assert.deepEqual([total, shown.slice(1, 4)], [5, order]);
      assert.deepEqual([shown[0], shown[4]], [newest, oldest]);
    });
  });
}
