import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { inflateRawSync } from 'node:zlib';
import { createExactIndex } from '../../engines/index/exact.ts';
import type { SearchIndex } from '../../engines/ports.ts';
import type { Chunk } from '../../model/chunk.ts';
import type { Entity } from '../../model/entity.ts';
import type { SyncStatus } from '../../model/sync-status.ts';
import { quantize } from '../../model/vector.ts';
import { insertConnection, insertOrganization, insertSyncJob } from '../../test/api/rows.ts';
import { claimJob, stealJob } from '../../test/claimed-job.ts';
import { DATABASES, type TestDatabase } from '../../test/databases.ts';
import { recipe } from '../../test/stored-entity.ts';
import { must, newId } from '../../util.ts';
import { Fenced } from '../jobs/fence.ts';
import { noTally } from '../jobs/tally.ts';
import { type Changes, noChanges } from './changes.ts';
import { type CommitTarget, createCommitter } from './commit.ts';
import { compare } from './compare.ts';
import {
  damage,
  deletes,
  droppedRecord,
  type PreparedHide,
  type PreparedWrite,
  type Touch,
} from './decision.ts';
import { storedFields } from './field-store.ts';
import type { Recipe } from './recipe.ts';
import { entityHash } from './record.ts';
import { toRow } from './row.ts';
import * as store from './store.ts';
import * as sweepStore from './sweep-store.ts';
import { asGiven } from './transform.ts';

const DIMENSIONS = 2;
const SECRET = `ghp_${'a1B2'.repeat(9)}`;
const page = (id: string, over: Partial<Entity> = {}): Entity => ({
  id,
  type: 'Page',
  name: id,
  text: `text of ${id}`,
  fields: {},
  ...over,
});

for (const database of DATABASES) {
  describe(`commit on ${database.name}`, () => {
    let test: TestDatabase;
    let index: SearchIndex;
    let organizationId: string;
    let target: CommitTarget;

    before(async () => {
      test = await database.open();
      index = createExactIndex({ kind: test.kind, dimensions: DIMENSIONS });
      organizationId = await insertOrganization(test.db);
    });
    after(async () => {
      await test.close();
    });
    beforeEach(async () => {
      const collectionId = newId();
      await test.db.transaction().execute((tx) => index.create(tx, collectionId));
      const owner = { id: collectionId, organization_id: organizationId };
      const connectionId = await insertConnection(test.db, owner);
      const jobId = await job(connectionId, 'RUNNING');
      target = {
        organizationId,
        collectionId,
        connectionId,
        configuredAt: await configuredAt(connectionId),
        cursorField: null,
        syncId: newId(),
        jobId,
        claim: await claimJob(test.db, test.kind, { jobId, connectionId }),
        generation: 1,
        firstGeneration: 1,
        recipe: () => recipe(),
        attempt: 'this',
        definitionId: (type) => `definition of ${type}`,
      };
    });

    const configuredAt = async (id: string) => {
      const row = await test.db
        .selectFrom('connections')
        .select('configured_at')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      return row.configured_at;
    };
    const job = (connectionId: string, status: SyncStatus) =>
      insertSyncJob(test.db, { id: connectionId, organization_id: organizationId }, status);
    const committer = (over: Partial<CommitTarget> = {}) =>
      createCommitter(
        { ...test, index },
        { ...target, ...over },
        { meter: { requests: 0, bytes: 0 }, start: noTally },
      );
    const known = (...ids: string[]) => store.stored(test.db, target, ids);

    async function write(
      entity: Entity,
      place: { version?: string; partition?: string; recipe?: Recipe } = {},
    ): Promise<PreparedWrite> {
      const { version = null, partition = '', recipe } = place;
      const by = { ...target, ...(recipe !== undefined && { recipe: () => recipe }) };
      const stored = (await known(entity.id)).get(entity.id);
      const extractVersion = (recipe ?? target.recipe(entity.type)).extract_version;
      const upsert = {
        kind: 'upsert',
        entity,
        version,
        partition,
        extractVersion,
        contentHash: null,
      } as const;
      const result = compare(upsert, { hash: entityHash(entity), stored }, by);
      assert.ok(!('kind' in result), 'the record is unchanged');
      const change = asGiven(result, target.generation);
      const row = stored?.id ?? newId();
      const chunk: Chunk = {
        entity: row,
        index: 0,
        text: entity.text,
        heading: null,
        page: null,
        place: null,
        line: 1,
        textHash: entity.text,
        isTitled: true,
        terms: ['word'],
        vector: quantize(new Float32Array([1, 0])),
      };
      return { ...change, row, columns: toRow({ ...change, row }, target), chunks: [chunk] };
    }

    async function hide(entity: Entity): Promise<PreparedHide> {
      const { row, columns: _, chunks: __, contentChanged: ___, ...written } = await write(entity);
      const source = { entity, hash: written.hash };
      const leftOut = droppedRecord(entity.id, entity.type);
      const hidden = { ...written, kind: 'hide', source, failedAttempt: null, leftOut } as const;
      return { ...hidden, row, columns: toRow({ ...hidden, row }, target) };
    }

    const all = async () => {
      const of = target.connectionId;
      const [entities, chunks, counts, failures, jobRow, connection] = await Promise.all([
        test.db.selectFrom('entities').selectAll().where('connection_id', '=', of).execute(),
        test.db.selectFrom('chunks').selectAll().where('connection_id', '=', of).execute(),
        test.db.selectFrom('entity_counts').selectAll().where('connection_id', '=', of).execute(),
        test.db
          .selectFrom('left_out_records')
          .selectAll()
          .where('job_id', '=', target.jobId)
          .execute(),
        test.db.selectFrom('sync_jobs').selectAll().where('id', '=', target.jobId).execute(),
        test.db.selectFrom('connections').select('cursor').where('id', '=', of).execute(),
      ]);
      return { entities, chunks, counts, failures, job: jobRow, connection };
    };
    const entityRow = async (id: string) =>
      must(
        (await all()).entities.find((row) => row.entity_id === id),
        `${id} is not stored`,
      );
    const counts = async () =>
      Object.fromEntries(
        (await all()).counts.map((row) => [row.entity_type, [row.count, row.listed]]),
      );
    const indexVersion = async () =>
      (
        await test.db
          .selectFrom('indexes')
          .select('version')
          .where('collection_id', '=', target.collectionId)
          .executeTakeFirstOrThrow()
      ).version;

    async function isFenced(reason: RegExp): Promise<void> {
      const before = await all();
      const late = committer();
      const changes: Changes = {
        ...noChanges,
        decisions: [await write(page('late'))],
        leftOut: [
          {
            kind: 'fail',
            id: 'x',
            type: 'Page',
            reason: 'no',
            detail: null,
            hint: null,
            stage: 'pull',
          },
        ],
        tally: { ...noTally, inserted: 1 },
        cursor: 7,
      };
      await assert.rejects(late.commit(changes), (error) => {
        assert.ok(error instanceof Fenced, String(error));
        assert.match(error.message, reason);
        return true;
      });
      assert.deepEqual(late.total(), noTally);
      assert.deepEqual(await all(), before);
    }

    it('[JOB-43] changes nothing without the lease of the job', async () => {
      await stealJob(test.db, target.claim);
      await isFenced(/^the job is no longer ours$/);
    });

    it('[JOB-43] renews the lease of the job', async () => {
      const { id } = target.claim;
      const entry = test.db.updateTable('jobs').where('id', '=', id);
      await entry.set({ lease_until: 1 }).execute();
      await committer().commit(noChanges);
      const { lease_until } = await test.db
        .selectFrom('jobs')
        .select('lease_until')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      assert.ok(Number(lease_until) > 1);
    });

    it('[JOB-15] changes nothing after the job has ended', async () => {
      for (const status of ['PENDING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const) {
        await test.db
          .updateTable('sync_jobs')
          .set({ status })
          .where('id', '=', target.jobId)
          .execute();
        await isFenced(/^the job has ended$/);
      }
    });

    it('[CON-22] changes nothing after the connection is deleted', async () => {
      await test.db
        .updateTable('connections')
        .set({ deleted_at: 1 })
        .where('id', '=', target.connectionId)
        .execute();
      await isFenced(/^the connection has been deleted$/);
    });

    it('[JOB-17] still writes while the job is asked to stop, and returns that status', async () => {
      const running = committer();
      const first = {
        ...noChanges,
        decisions: [await write(page('a'))],
        tally: { ...noTally, inserted: 1 },
      };
      assert.equal(await running.commit(first), 'RUNNING');
      await test.db
        .updateTable('sync_jobs')
        .set({ status: 'CANCELLING' })
        .where('id', '=', target.jobId)
        .execute();
      const second = { ...first, decisions: [await write(page('b'))] };
      assert.equal(await running.commit(second), 'CANCELLING');
      const { entities, chunks, job } = await all();
      assert.deepEqual([entities.length, chunks.length, job[0]?.entities_inserted], [2, 2, 2]);
      assert.equal(running.total().inserted, 2);
    });

    it('[JOB-10] stores the number of requests and the counts of the sync', async () => {
      const meter = { requests: 3, bytes: 4000 };
      const one = createCommitter({ ...test, index }, target, { meter, start: noTally });
      const written = async () => {
        const [row] = (await all()).job;
        return [row?.requests, row?.bytes_fetched];
      };
      await one.commit(noChanges);
      assert.deepEqual(await written(), [3, 4000]);
      Object.assign(meter, { requests: 4, bytes: 5000 });
      await one.commit(noChanges);
      assert.deepEqual(await written(), [4, 5000]);
    });

    it('keeps the stored cursor unless it gets another one', async () => {
      const cursor = async () => (await all()).connection[0]?.cursor;
      await committer().commit({ ...noChanges, cursor: { at: 1 } });
      assert.deepEqual(await cursor(), { at: 1 });
      await committer().commit(noChanges);
      assert.deepEqual(await cursor(), { at: 1 });
      await committer().commit({ ...noChanges, cursor: 0 });
      assert.equal(await cursor(), 0);
    });

    it('[CON-14] counts records by type, even when the type of a record changes', async () => {
      await committer().commit({
        ...noChanges,
        decisions: [await write(page('a')), await write(page('b')), await write(page('c'))],
      });
      assert.deepEqual(await counts(), { Page: [3, 3] });
      await committer().commit({
        ...noChanges,
        decisions: [await write(page('a', { type: 'Post' }))],
      });
      assert.deepEqual(await counts(), { Page: [2, 2], Post: [1, 1] });
      const decisions = deletes([...(await known('a', 'b')).values()]);
      await committer().commit({ ...noChanges, decisions });
      assert.deepEqual(await counts(), { Page: [1, 1], Post: [0, 0] });
      const { entities, chunks } = await all();
      assert.deepEqual([entities.map((row) => row.entity_id), chunks.length], [['c'], 1]);
    });

    it('[FIL-07] counts the fields of shown records, when they appear and disappear', async () => {
      const fields = async () => {
        const rows = await storedFields(test.db, target.connectionId);
        return Object.fromEntries(
          rows.map(({ type, field, count, open }) => [`${type}.${field}`, [count, open]]),
        );
      };
      const put = async (...entities: Entity[]) =>
        committer().commit({
          ...noChanges,
          decisions: await Promise.all(entities.map((one) => write(one))),
        });
      const TEAM = { viewers: ['group:team'], isPublic: false };
      // A field that no filter can name is not counted, and toString is a name like any other.
      const odd = { 'a.b': 1, '': 2, toString: 3, ['x'.repeat(501)]: 4 };
      await put(
        page('a', { fields: { size: 1, colour: null } }),
        page('b', { fields: { size: 2 }, access: TEAM }),
        page('c', { fields: odd, access: { ...TEAM, isPublic: true } }),
      );
      assert.deepEqual(await fields(), {
        'Page.size': [2, 1],
        'Page.colour': [1, 1],
        'Page.toString': [1, 1],
      });
      await put(
        page('a', { fields: { size: 1, age: 2 }, text: 'changed' }),
        page('b', { fields: { size: 2 }, type: 'Post' }),
        page('c', { fields: {}, text: 'changed' }),
      );
      assert.deepEqual(await fields(), {
        'Page.age': [1, 1],
        'Page.size': [1, 1],
        'Post.size': [1, 1],
      });
      const hidden = await hide(page('a', { text: 'again', fields: { size: 1 } }));
      await committer().commit({ ...noChanges, decisions: [hidden] });
      assert.deepEqual(await fields(), { 'Post.size': [1, 1] });
      const decisions = deletes([...(await known('a', 'b', 'c')).values()]);
      await committer().commit({ ...noChanges, decisions });
      assert.deepEqual(await fields(), {});
    });

    it('[COL-12] counts listed records separately, when they become listed or not listed', async () => {
      const unlisted = recipe({ is_listable: false });
      await committer().commit({
        ...noChanges,
        decisions: [
          await write(page('a'), { recipe: unlisted }),
          await write(page('b'), { recipe: unlisted }),
        ],
      });
      assert.deepEqual(await counts(), { Page: [2, 0] });
      await committer().commit({
        ...noChanges,
        decisions: [await write(page('a'))],
      });
      assert.deepEqual(await counts(), { Page: [2, 1] });
      const a = [...(await known('a')).values()];
      const b = [...(await known('b')).values()];
      await committer().commit({ ...noChanges, decisions: deletes(b) });
      assert.deepEqual(await counts(), { Page: [1, 1] });
      await committer().commit({ ...noChanges, decisions: deletes(a) });
      assert.deepEqual(await counts(), { Page: [0, 0] });
    });

    it('[ENT-03] [ENT-04] keeps the job and the time of the last change when only the recipe changes', async () => {
      await committer().commit({ ...noChanges, decisions: [await write(page('a'))] });
      const { connectionId } = target;
      const past = { created_at: 1000, modified_at: 1000 };
      await test.db
        .updateTable('entities')
        .set(past)
        .where('connection_id', '=', connectionId)
        .execute();
      const first = await entityRow('a');
      await test.db
        .updateTable('sync_jobs')
        .set({ status: 'COMPLETED' })
        .where('id', '=', target.jobId)
        .execute();
      const jobId = await job(connectionId, 'RUNNING');
      target = {
        ...target,
        jobId,
        claim: await claimJob(test.db, test.kind, { jobId, connectionId }),
        recipe: () => recipe({ chunk_version: 'newer' }),
        generation: 2,
      };
      await committer().commit({ ...noChanges, decisions: [await write(page('a'))] });
      const { raw, ...same } = first;
      const { raw: _, ...second } = await entityRow('a');
      assert.deepEqual(second, { ...same, chunk_version: 'newer', generation: 2 });

      await committer().commit({
        ...noChanges,
        decisions: [await write(page('a', { text: 'new' }))],
      });
      const third = await entityRow('a');
      assert.deepEqual(
        [third.sync_job_id, third.created_at, third.id],
        [target.jobId, 1000, first.id],
      );
      assert.ok(third.modified_at > 1000);
      assert.notEqual(third.hash, first.hash);
    });

    it('[ENT-11] replaces everything that is stored of a changed record', async () => {
      await committer().commit({ ...noChanges, decisions: [await write(page('a'))] });
      const entity = page('a', {
        type: 'Post',
        name: 'Renamed',
        text: 'other',
        url: 'https://example.org/a',
        breadcrumbs: [{ id: 'r', name: 'Root', type: 'folder' }],
        createdAt: new Date(5),
        updatedAt: new Date(6),
        access: { viewers: ['user:ann'], isPublic: true },
        fields: { team: 'blue', key: SECRET },
      });
      await committer().commit({
        ...noChanges,
        decisions: [await write(entity, { version: 'v2', partition: 'p' })],
      });
      const { raw, ...row } = await entityRow('a');
      assert.deepEqual(
        JSON.parse(inflateRawSync(raw).toString()),
        JSON.parse(JSON.stringify(entity)),
      );
      const { id, created_at, modified_at, ...rest } = row;
      assert.deepEqual(rest, {
        organization_id: organizationId,
        collection_id: target.collectionId,
        connection_id: target.connectionId,
        entity_id: 'a',
        entity_type: 'Post',
        definition_id: 'definition of Post',
        sync_id: target.syncId,
        sync_job_id: target.jobId,
        hash: entityHash(entity),
        source_hash: null,
        origin: null,
        is_hidden: false,
        has_secret: true,
        shown: null,
        ...recipe(),
        content_hash: null,
        failed_attempt: null,
        is_damaged: false,
        version: 'v2',
        partition: 'p',
        parent: null,
        below_version: null,
        spared: 0,
        generation: 1,
        is_listed: true,
        name: 'Renamed',
        url: 'https://example.org/a',
        breadcrumbs: [{ id: 'r', name: 'Root', type: 'folder' }],
        source_created_at: 5,
        source_updated_at: 6,
        viewers: ['user:ann'],
        is_public: true,
        metadata: { team: 'blue', key: SECRET },
      });
    });

    it('[JOB-42] updates version, partition and times of an unchanged record, and the times in the index', async () => {
      await committer().commit({
        ...noChanges,
        decisions: [
          await write(page('a'), { version: 'v1', partition: 'p' }),
          await write(page('b')),
        ],
      });
      const see = async (over: Partial<Touch>) => {
        const stored = must((await known('a')).get('a'));
        const { version, partition, parent, source_created_at, source_updated_at } = stored;
        const times = { createdAt: source_created_at, updatedAt: source_updated_at };
        const place = { version, partition, parent, contentHash: stored.content_hash };
        const touch: Touch = {
          ...{ kind: 'touch', stored, generation: 2, ...place, ...times },
          ...over,
        };
        const before = await indexVersion();
        await committer().commit({ ...noChanges, decisions: [touch] });
        const row = await entityRow('a');
        return {
          row: [row.version, row.partition, row.source_created_at, row.source_updated_at],
          told: (await indexVersion()) > before,
        };
      };
      assert.deepEqual(await see({}), { row: ['v1', 'p', null, null], told: false });
      assert.equal((await entityRow('a')).generation, 2);
      assert.equal((await entityRow('b')).generation, 1);
      assert.deepEqual(await see({ version: 'v2' }), { row: ['v2', 'p', null, null], told: false });
      assert.deepEqual(await see({ partition: 'q' }), {
        row: ['v2', 'q', null, null],
        told: false,
      });
      assert.deepEqual(await see({ createdAt: 7 }), { row: ['v2', 'q', 7, null], told: true });
      assert.deepEqual(await see({ updatedAt: 8 }), { row: ['v2', 'q', 7, 8], told: true });
      const b = await entityRow('b');
      assert.deepEqual([b.version, b.partition], [null, '']);
    });

    it('[JOB-47] counts as progress of the job, but work that every attempt repeats does not', async () => {
      const progress = async () => must((await all()).job[0]).progressed_at;
      await test.db
        .updateTable('sync_jobs')
        .set({ progressed_at: 5 })
        .where('id', '=', target.jobId)
        .execute();
      await committer().commitWork(async () => {});
      assert.equal(await progress(), 5);
      const before = Date.now();
      await committer().commit(noChanges);
      assert.ok(Number(await progress()) >= before);
    });

    it('[JOB-21] [JOB-26] lists failed records, and protects their stored rows from the sweep', async () => {
      await committer().commit({
        ...noChanges,
        decisions: [await write(page('a')), await write(page('b'))],
      });
      const failure = {
        kind: 'fail',
        type: 'Page',
        reason: 'broken',
        detail: null,
        stage: 'extract',
      } as const;
      await committer({ generation: 2 }).commit({
        ...noChanges,
        leftOut: [
          { ...failure, id: 'a', hint: 'repair it' },
          { ...failure, id: 'never stored', hint: null },
        ],
        spared: ['a', 'never stored'],
      });
      const { failures } = await all();
      assert.deepEqual(
        failures
          .map((row) => [row.entity_id, row.entity_type, row.stage, row.message, row.hint])
          .toSorted(),
        [
          ['a', 'Page', 'extract', 'broken', 'repair it'],
          ['never stored', 'Page', 'extract', 'broken', null],
        ],
      );
      const unseen = (generation: number) =>
        sweepStore.unseen(test.db, { ...target, generation, partition: '', limit: 10 });
      assert.deepEqual(
        (await unseen(2)).map((row) => row.entity_id),
        ['b'],
      );
      assert.deepEqual(await unseen(1), []);
      assert.deepEqual(await sweepStore.unseenPartitions(test.db, { ...target, generation: 2 }), [
        { partition: '', count: 1 },
      ]);
      assert.deepEqual(
        await sweepStore.unseenPartitions(test.db, { ...target, generation: 1 }),
        [],
      );
    });

    it('[TRF-18] keeps a hidden record without anything of its content', async () => {
      const entity = page('a', {
        url: 'https://example.org/a',
        breadcrumbs: [{ id: 'r', name: 'Root', type: 'folder' }],
        access: { viewers: ['user:ann'], isPublic: true },
        fields: { colour: 'red', key: SECRET },
      });
      await committer().commit({ ...noChanges, decisions: [await write(entity)] });
      await committer().commit({
        ...noChanges,
        decisions: [await hide({ ...entity, text: 'new' })],
      });
      const row = await entityRow('a');
      assert.deepEqual(
        [row.is_hidden, row.is_listed, row.has_secret, row.is_public, row.shown],
        [true, false, false, false, null],
      );
      assert.deepEqual(
        [row.hash, row.name, row.url, row.breadcrumbs, row.viewers, row.metadata],
        ['', '', null, [], null, {}],
      );
      assert.equal(JSON.parse(inflateRawSync(row.raw).toString()).text, 'new');
      assert.equal((await all()).chunks.length, 0);
      assert.deepEqual(await counts(), { Page: [0, 0] });
    });

    it('marks only the row whose record cannot be read', async () => {
      await committer().commit({
        ...noChanges,
        decisions: [await write(page('a')), await write(page('b'))],
      });
      const before = await all();
      const [stored] = (await known('a')).values();
      await committer().commit({ ...noChanges, decisions: [damage(must(stored))] });
      assert.deepEqual(
        (await all()).entities.map((row) => ({ ...row })),
        before.entities.map((row) => ({ ...row, is_damaged: row.entity_id === 'a' })),
      );
      assert.deepEqual((await all()).chunks, before.chunks);
    });

    it('gives the sweep at most the requested number of rows', async () => {
      const writes = await Promise.all(['a', 'b', 'c'].map((id) => write(page(id))));
      await committer().commit({ ...noChanges, decisions: writes });
      const unseen = (partition: string) =>
        sweepStore.unseen(test.db, { ...target, generation: 2, partition, limit: 2 });
      assert.equal((await unseen('')).length, 2);
      assert.deepEqual(await unseen('p'), []);
      assert.equal(await sweepStore.totalEntities(test.db, target.connectionId), 3);
    });
  });
}
