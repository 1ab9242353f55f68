/** A deleted organization leaves nothing in any table, and nothing of other organizations is missing. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Kysely, sql } from 'kysely';
import pino from 'pino';
import type { Schema } from '../../db/schema.ts';
import { SourceError } from '../../errors.ts';
import { enqueue } from '../../jobs/queue.ts';
import { createAdmissions } from '../../rate-limits/admissions.ts';
import { bookmark, fail, listed, type SourceItem } from '../../sources/items.ts';
import { createJanitor } from '../../syncs/housekeeping/janitor.ts';
import { forgetGone } from '../../syncs/housekeeping/janitor-store.ts';
import { must, newId } from '../../util.ts';
import { insertAuthProvider } from '../api/rows.ts';
import { DATABASES } from '../databases.ts';
import { sealedText } from '../sealed.ts';
import { until } from '../until.ts';
import { type Receiver, startReceiver } from '../webhooks/receiver.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';
import { page, testWorld, type World, whole } from './source.ts';

/** These tables hold nothing of an organization, for the reason beside each. */
const NOT_OF_AN_ORGANIZATION: Readonly<Record<string, string>> = {
  sessions: 'an account has sessions, and may belong to other organizations',
  start_links: 'a link belongs to an account',
  sign_in_failures: 'failures belong to an e-mail and an address',
  users: 'accounts belong to the installation',
  kysely_migration: 'the schema',
  kysely_migration_lock: 'the schema',
  refused_writes: 'one row for the whole database',
  backups: 'a backup holds all organizations',
  processes: 'a row for each process of the service',
  additive_migrations: 'the schema',
};
/** These columns change by themselves. */
const RESTLESS = new Set(['last_used_at']);

type Snapshot = ReadonlyMap<string, readonly string[]>;

const tableNames = async (db: Kysely<Schema>): Promise<string[]> =>
  (await db.introspection.getTables()).map(({ name }) => name).toSorted();

/** Returns all rows of these tables. */
async function snapshot(db: Kysely<Schema>, tables: readonly string[]): Promise<Snapshot> {
  const found = new Map<string, readonly string[]>();
  for (const table of tables) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(
      db,
    );
    const texts = rows.map((row) =>
      JSON.stringify(Object.entries(row).filter(([name]) => !RESTLESS.has(name))),
    );
    found.set(table, texts.toSorted());
  }
  return found;
}

for (const database of DATABASES)
  describe(`a deleted organization on ${database.name}`, () => {
    let quarry: TestQuarry;
    let world: World;
    let receiver: Receiver;
    const errors: string[] = [];
    /** These tables may hold rows of an organization. */
    let tables: readonly string[];
    before(async () => {
      receiver = await startReceiver();
      const test = testWorld();
      world = test.world;
      quarry = await openTestQuarry(await database.open(), {
        sources: new Map([['world', test.source]]),
        env: { QUARRY_ALLOW_LOOPBACK: 'true' },
        log: pino({ level: 'error' }, { write: (line: string) => void errors.push(line) }),
      });
      tables = (await tableNames(quarry.db)).filter((name) => !(name in NOT_OF_AN_ORGANIZATION));
    });
    after(async () => {
      await quarry.close();
      await receiver.close();
    });

    const create = async (name: string): Promise<string> =>
      (await quarry.ok('POST', '/v1/organizations', { name })).id;
    const remove = (id: string, headers?: Record<string, string>) =>
      quarry.call('DELETE', `/v1/organizations/${id}`, undefined, headers);
    const isGone = (id: string) =>
      until(async () => {
        const organizations = quarry.db.selectFrom('organizations').select('id');
        const left = await organizations.where('id', '=', id).execute();
        return left.length === 0 || undefined;
      });

    /** Puts something of the organization into every table. */
    async function fill(organizationId: string): Promise<void> {
      const headers = { 'x-organization-id': organizationId };
      const ok = (method: 'GET' | 'POST' | 'PUT' | 'PATCH', url: string, body?: unknown) =>
        quarry.ok(method, url, body, headers);
      await ok('PATCH', `/v1/organizations/${organizationId}`, {
        feature_flags: ['AGENTIC_SEARCH', 'SOURCE_RATE_LIMITING'],
      });
      await ok('POST', '/v1/api-keys', { name: 'further', role: 'admin' });
      const subscription = await ok('POST', '/v1/webhooks/subscriptions', {
        url: `${receiver.url}/${organizationId}`,
        event_types: ['sync.completed', 'collection.created'],
      });
      await ok('POST', '/v1/collections', { name: 'Notes', readable_id: 'notes' });
      const connect = async (name: string): Promise<string> => {
        const connection = await ok('POST', '/v1/source-connections', {
          name,
          short_name: 'world',
          readable_collection_id: 'notes',
          authentication: { credentials: { password: 'right' } },
          sync_immediately: false,
          schedule: { cron: null },
        });
        return connection.id;
      };
      const jobsOf = (id: string) => ok('GET', `/v1/source-connections/${id}/jobs`);
      const ended = (id: string) =>
        until(async () => ((await jobsOf(id))[0].status === 'COMPLETED' ? true : undefined));
      const steady = await connect('Steady');
      const green = page('a', { fields: { colour: 'green' } });
      world.members = [{ group: 'group:crew', member: 'user:ann' }];
      for (const pages of [[green, page('b')], [green]]) {
        world.items = [...whole(...pages), fail('c', 'Page', new SourceError('skip', 'broken'))];
        await ok('POST', `/v1/source-connections/${steady}/run?force_full_sync=true`);
        await ended(steady);
      }
      await ok('POST', '/v1/collections/notes/reindex');
      await until(async () => {
        const [run] = await ok('GET', '/v1/collections/notes/maintenance');
        return run.status === 'COMPLETED' || undefined;
      });
      const waiting = await connect('Waiting');
      world.items = [
        { ...page('d'), partition: 'one' } as SourceItem,
        listed('one'),
        bookmark(1),
        () => {
          throw new SourceError('rate_limited', 'not so fast', { retryAfter: 3600 });
        },
      ];
      const { id: job } = await ok('POST', `/v1/source-connections/${waiting}/run`);
      await until(async () => {
        const jobs = quarry.db.selectFrom('sync_jobs').select('waits_until').where('id', '=', job);
        return (await jobs.executeTakeFirst())?.waits_until ?? undefined;
      });
      const body = new TextEncoder().encode('a body');
      await quarry.db.insertInto('pushes').values({ job_id: job, body }).execute();
      const held = { job_id: job, entity: newId() };
      await quarry.db.insertInto('held_back_deletions').values(held).execute();
      await ok('POST', '/v1/collections/notes/agentic-search', { query: 'text', mode: 'fast' });
      await createJanitor({ ...quarry, historyDays: 90, goneKeptMs: 3_600_000 }).work(() => true);
      await quarry.db
        .insertInto('transformers')
        .values({
          id: newId(),
          organization_id: organizationId,
          name: 'Copy',
          method_name: 'copy',
          module_name: 'copy.js',
          config_schema: '{}',
          input_definitions: '[]',
          output_definitions: '[]',
          created_at: 0,
          modified_at: 0,
          created_by_email: 'a@b.c',
          modified_by_email: 'a@b.c',
        })
        .execute();
      await quarry.db
        .insertInto('connection_tokens')
        .values({ connection_id: steady, version: 1 })
        .execute();
      await quarry.db
        .insertInto('browser_sign_ins')
        .values({
          connection_id: steady,
          starts_sync: true,
          email: 'a@b.c',
          link_hash: `link of ${organizationId}`,
          link_expires_at: 0,
        })
        .execute();
      await quarry.db
        .insertInto('folder_watches')
        .values({ connection_id: steady, worker: newId(), lease_until: 0 })
        .execute();
      await quarry.db
        .insertInto('push_keys')
        .values({
          ...{ connection_id: steady, key: 'k', digest: 'd', job_id: newId() },
          created_at: Date.now(),
        })
        .execute();
      await quarry.db
        .insertInto('refused_records')
        .values({
          ...{ connection_id: steady, entity_id: 'a', entity_type: 'File', version: '1' },
          ...{ read_by: 'pdf-1', kind: 'fail', message: 'broken', detail: null, hint: null },
          created_at: Date.now(),
        })
        .execute();
      const sealed = { id: newId(), credentials: sealedText('x'), credentials_key: 'k' };
      await insertAuthProvider(quarry.db, { organization_id: organizationId }, sealed);
      await ok('PUT', '/v1/source-rate-limits/provider_proxy', { limit: 5 });
      await ok('POST', '/v1/members', { email: 'ann@example.com', role: 'read' });
      const admissions = createAdmissions({ ...quarry, now: () => performance.now() });
      const window = { organizationId, shortName: 'world', connectionId: '' };
      for (let i = 0; i < 2; i++)
        await admissions.admit([{ window, limit: 1, windowSeconds: 3600 }], {
          connectionId: steady,
          waits: true,
        });
      const task = await ok('POST', `/v1/webhooks/subscriptions/${subscription.id}/recover`, {
        since: '2020-01-01T00:00:00Z',
      });
      await until(async () => {
        const url = `/v1/webhooks/subscriptions/${subscription.id}`;
        const [recovery, { delivery_attempts }] = [
          await ok('GET', `${url}/recover/${task.id}`),
          await ok('GET', url),
        ];
        const isQuiet = delivery_attempts.every(
          ({ status }: { status: string }) => status === 'success',
        );
        return (recovery.status === 'completed' && isQuiet) || undefined;
      });
    }

    /** Removes the numbers of deleted chunks, which stay for readers of the index for an hour. */
    const forget = async () => {
      while (await forgetGone(quarry.db, Date.now() + 1));
    };

    it('[KEY-37] a deleted organization leaves no row in any table, and no row of another organization is removed', async () => {
      const [first] = await quarry.ok('GET', '/v1/organizations');
      await fill(first.id);
      await forget();
      // Searches are counted after they are answered.
      await until(async () => {
        const usage = quarry.db.selectFrom('usage_days').select('agentic_searches');
        return (await usage.executeTakeFirst())?.agentic_searches === 1;
      });
      const namesBefore = await tableNames(quarry.db);
      const before = await snapshot(quarry.db, tables);
      const second = await create('Second');
      await fill(second);
      const full = await snapshot(quarry.db, tables);
      const untouched = tables.filter(
        (table) => must(full.get(table)).length <= must(before.get(table)).length,
      );
      assert.deepEqual(untouched, [], 'the test puts nothing into these tables');

      const asItWas = await quarry.ok('GET', `/v1/organizations/${second}`);
      const { status, body } = await remove(second);
      assert.deepEqual([status, body], [200, asItWas]);
      await isGone(second);
      const jobs = must(before.get('jobs')).length;
      await until(async () => {
        const queued = await quarry.db.selectFrom('jobs').select('id').execute();
        return queued.length === jobs || undefined;
      });
      await forget();
      // The first organization keeps the record of the deletion, which was done with its key.
      const { numDeletedRows } = await quarry.db
        .deleteFrom('audit_events')
        .where('organization_id', '=', first.id)
        .where('action', '=', 'organization.deleted')
        .where('target_id', '=', second)
        .executeTakeFirst();
      assert.equal(numDeletedRows, 1n);
      const after = await snapshot(quarry.db, tables);
      for (const table of tables) assert.deepEqual(after.get(table), before.get(table), table);
      assert.deepEqual(await tableNames(quarry.db), namesBefore);
      const found = await quarry.find('notes', 'text');
      assert.deepEqual(found.toSorted(), ['a__chunk_0', 'd__chunk_0']);
    });

    it('[KEY-37] the clean-up of an organization waits for the clean-up of a collection that was deleted before', async () => {
      const id = await create('Waits');
      const headers = { 'x-organization-id': id };
      const body = { name: 'Slow', readable_id: 'slow' };
      const { id: lane } = await quarry.ok('POST', '/v1/collections', body, headers);
      // An entry in the same lane, before the cleanup, keeps the cleanup from running.
      await quarry.db.transaction().execute(async (tx) => {
        await enqueue(tx, 'webhook.cleanup', { data: { subscriptionId: newId() }, lane });
        const later = { run_at: Date.now() + 3_600_000 };
        await tx.updateTable('jobs').set(later).where('lane', '=', lane).execute();
      });
      await quarry.ok('DELETE', '/v1/collections/slow', undefined, headers);
      assert.equal((await remove(id)).status, 200);
      await until(async () => {
        const jobs = quarry.db.selectFrom('jobs').select('attempts').where('lane', '=', id);
        return ((await jobs.executeTakeFirst())?.attempts ?? 0) > 1 || undefined;
      });
      const organizations = quarry.db.selectFrom('organizations').select('id').where('id', '=', id);
      assert.equal((await organizations.execute()).length, 1);
      await quarry.db.updateTable('jobs').set({ run_at: 0 }).where('lane', '=', lane).execute();
      await isGone(id);
      assert.deepEqual(errors, []);
    });

    it('[KEY-37] a running sync of a deleted organization stores nothing more, and no webhook is sent', async () => {
      const id = await create('Busy');
      const headers = { 'x-organization-id': id };
      const collection = { name: 'Busy', readable_id: 'busy' };
      const { id: collectionId } = await quarry.ok('POST', '/v1/collections', collection, headers);
      await quarry.ok(
        'POST',
        '/v1/webhooks/subscriptions',
        {
          url: `${receiver.url}/busy`,
          event_types: ['sync.completed', 'sync.cancelled', 'collection.deleted'],
        },
        headers,
      );
      const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      let isAborted = false;
      world.items = [
        page('before'),
        async () => {
          begun.resolve();
          await goOn.promise;
          isAborted = true;
        },
        page('after'),
        listed(''),
      ];
      const { id: connection } = await quarry.ok(
        'POST',
        '/v1/source-connections',
        {
          name: 'Busy',
          short_name: 'world',
          readable_collection_id: 'busy',
          authentication: { credentials: { password: 'right' } },
          schedule: { cron: null },
        },
        headers,
      );
      await begun.promise;
      assert.equal((await remove(id)).status, 200);
      const job = await quarry.db
        .selectFrom('sync_jobs')
        .select('status')
        .where('connection_id', '=', connection)
        .executeTakeFirst();
      assert.ok(job === undefined || job.status === 'CANCELLED');
      const living = quarry.db.selectFrom('connections').where('deleted_at', 'is', null);
      assert.deepEqual(await living.select('id').where('organization_id', '=', id).execute(), []);
      goOn.resolve();
      await isGone(id);
      await until(async () => {
        const queued = await quarry.db
          .selectFrom('jobs')
          .select('id')
          .where('lane', 'in', [connection, collectionId, id])
          .execute();
        return queued.length === 0 || undefined;
      });
      const left = await quarry.db
        .selectFrom('entities')
        .select('id')
        .where('organization_id', '=', id)
        .execute();
      assert.deepEqual([isAborted, left], [true, []]);
      assert.deepEqual(receiver.at('/busy'), []);
    });
  });
