import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Schema } from '../../db/schema.ts';
import { createExactIndex } from '../../engines/index/exact.ts';
import type { SearchIndex } from '../../engines/ports.ts';
import {
  insertCollection,
  insertConnection,
  insertEntity,
  insertOrganization,
  insertSyncJob,
} from '../../test/api/rows.ts';
import { DATABASES, type TestDatabase } from '../../test/databases.ts';
import { newId } from '../../util.ts';
import { createUpkeep } from '../pipeline/upkeep.ts';
import { cleanCollection, cleanConnection } from './cleanup.ts';

const TABLES = [
  'browser_sign_ins',
  'collections',
  'connection_tokens',
  'connections',
  'entities',
  'entity_counts',
  'entity_fields',
  'group_members',
  'indexes',
  'left_out_records',
  'pushes',
  'refused_records',
  'sync_jobs',
] as const satisfies (keyof Schema)[];

for (const database of DATABASES) {
  describe(`cleanup on ${database.name}`, () => {
    let test: TestDatabase;
    let index: SearchIndex;
    let organization_id: string;
    const signal = new AbortController().signal;
    const deps = () => ({ db: test.db, index, upkeep: createUpkeep({ db: test.db, index }, []) });

    before(async () => {
      test = await database.open();
      index = createExactIndex({ kind: test.kind, dimensions: 2 });
      organization_id = await insertOrganization(test.db);
    });
    after(async () => {
      await test.close();
    });

    async function addCollection(): Promise<string> {
      const id = newId();
      await insertCollection(test.db, { id, organization_id });
      await test.db.transaction().execute((tx) => index.create(tx, id));
      return id;
    }

    /**
     * Adds a connection with 51 entities, which is more than one commit of the cleanup, and all other rows that it
     * may have.
     */
    async function addConnection(collection_id: string): Promise<string> {
      const id = await insertConnection(test.db, { id: collection_id, organization_id });
      for (let i = 0; i < 51; i++)
        await insertEntity(test.db, { connection_id: id, collection_id, organization_id });
      const job_id = await insertSyncJob(test.db, { id, organization_id }, 'COMPLETED');
      await test.db
        .insertInto('left_out_records')
        .values({
          id: newId(),
          job_id,
          entity_id: 'a',
          entity_type: 'Page',
          stage: 'pull',
          kind: 'fail' as const,
          message: 'broken',
          hint: null,
          created_at: 0,
        })
        .execute();
      await test.db
        .insertInto('pushes')
        .values({ job_id, body: new Uint8Array([1]) })
        .execute();
      await test.db
        .insertInto('group_members')
        .values({ connection_id: id, group_name: 'group:a', member: 'user:ann' })
        .execute();
      const refused = { version: '1', read_by: 'pdf-1', kind: 'fail' as const, message: 'broken' };
      await test.db
        .insertInto('refused_records')
        .values({
          ...{ connection_id: id, entity_id: 'a', entity_type: 'File' },
          ...{ ...refused, detail: null, hint: null, created_at: 0 },
        })
        .execute();
      await test.db
        .insertInto('connection_tokens')
        .values({ connection_id: id, version: 1 })
        .execute();
      const link = { starts_sync: true, email: 'a@b.c', link_hash: id, link_expires_at: 0 };
      await test.db
        .insertInto('browser_sign_ins')
        .values({ connection_id: id, ...link })
        .execute();
      return id;
    }

    async function rows(): Promise<Record<string, number>> {
      const counts: Record<string, number> = {};
      for (const table of TABLES) {
        const { count } = await test.db
          .selectFrom(table)
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .executeTakeFirstOrThrow();
        counts[table] = Number(count);
      }
      return counts;
    }

    it('[COL-18] [CON-23] removes every row of a deleted connection or collection, and no other row', async () => {
      const kept = await addCollection();
      await addConnection(kept);
      const one = await rows();
      assert.ok(Object.values(one).every((count) => count > 0));

      const connectionId = await addConnection(kept);
      await cleanConnection(deps(), { connectionId, collectionId: kept }, signal);
      assert.deepEqual(await rows(), one);

      const gone = await addCollection();
      await addConnection(gone);
      await addConnection(gone);
      await cleanCollection(deps(), gone, signal);
      assert.deepEqual(await rows(), one);
    });

    it('stops where it is when the process drains', async () => {
      const collectionId = await addCollection();
      const connectionId = await addConnection(collectionId);
      const before = await rows();
      const drained = AbortSignal.abort(new Error('drained'));
      const scope = { connectionId, collectionId };
      await assert.rejects(cleanConnection(deps(), scope, drained), /drained/);
      assert.deepEqual(await rows(), before);
    });

    it('tidies the index of the collection between two steps', async () => {
      const collectionId = await addCollection();
      const owner = { id: collectionId, organization_id };
      const connectionId = await insertConnection(test.db, owner);
      const of = { connection_id: connectionId, collection_id: collectionId, organization_id };
      for (let i = 0; i < 250; i++) await insertEntity(test.db, of);
      const left: [string, number][] = [];
      const maintain: SearchIndex['maintain'] = async (db, tidied) => {
        const entities = db.selectFrom('entities').select('id');
        const rows = await entities.where('connection_id', '=', connectionId).execute();
        left.push([tidied, rows.length]);
        return false;
      };
      const upkeep = createUpkeep({ db: test.db, index: { ...index, maintain } }, []);
      await cleanConnection({ ...deps(), upkeep }, { connectionId, collectionId }, signal);
      assert.deepEqual(left, [[collectionId, 50]]);
    });

    it('stops between two steps, also among rows that depend on the connection', async () => {
      const collectionId = await addCollection();
      const connectionId = await addConnection(collectionId);
      const members = Array.from({ length: 500 }, (_, i) => ({
        connection_id: connectionId,
        group_name: 'group:a',
        member: `user:${i}`,
      }));
      await test.db.insertInto('group_members').values(members).execute();
      const drain = async () => {
        const process = new AbortController();
        const cleaning = cleanConnection(deps(), { connectionId, collectionId }, process.signal);
        // The cleanup has begun, and finds no entity when it looks again.
        process.abort(new Error('drained'));
        await assert.rejects(cleaning, /drained/);
      };
      const ofConnection = async (table: 'sync_jobs' | 'group_members') => {
        const left = test.db.selectFrom(table).select('connection_id');
        return (await left.where('connection_id', '=', connectionId).execute()).length;
      };

      await test.db.deleteFrom('entities').where('connection_id', '=', connectionId).execute();
      await drain();
      assert.deepEqual(
        [await ofConnection('sync_jobs'), await ofConnection('group_members')],
        [1, 501],
      );
      await test.db.deleteFrom('sync_jobs').where('connection_id', '=', connectionId).execute();
      await drain();
      assert.equal(await ofConnection('group_members'), 1);
    });
  });
}
