/** Tests data of the first version after all later migrations. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import pino from 'pino';
import { nextRun } from '../../connections/schedule.ts';
import { list as listConnections } from '../../connections/store.ts';
import { migrate } from '../../db/migrate.ts';
import { prepareIndex } from '../../engines/choose.ts';
import { createBuiltinEmbedder } from '../../engines/embedder/builtin.ts';
import { groupsOf } from '../../search/groups-store.ts';
import { definitionId } from '../../sources/definitions.ts';
import { storedFields } from '../../syncs/pipeline/field-store.ts';
import { must, newId } from '../../util.ts';
import { insertConnection, insertOrganization } from '../api/rows.ts';
import { DATABASES, type TestDatabase } from '../databases.ts';
import { openBefore } from '../older-database.ts';
import { type Connection, libraryOn } from '../search/library.ts';

for (const database of DATABASES) {
  describe(`data of the first version on ${database.name}`, () => {
    let old: TestDatabase;
    let connection: Connection;
    let collection: string;
    const organization = newId();
    const postgresql: string[] = [];

    before(async () => {
      old = await openBefore(database, '0002');
      await insertOrganization(old.db, organization);
      // On PostgreSQL, the first version stored only rows, and had its index in memory (the index `exact`).
      const library = libraryOn(old, old.kind === 'sqlite' ? 'sqlite' : 'exact', organization);
      collection = newId();
      const made = {
        id: collection,
        organization_id: organization,
        readable_id: 'old',
        name: 'Ältere Notizen',
        vector_size: 256,
        embedding_model_name: 'quarry-static-256-v1',
        created_at: 0,
        modified_at: 0,
        created_by_email: 'owner@localhost',
        modified_by_email: 'owner@localhost',
      };
      const columns = Object.keys(made).map((name) => sql.id(name));
      await sql`insert into collections (${sql.join(columns)})
        values (${sql.join(Object.values(made))})`.execute(old.db);
      await old.db.transaction().execute((tx) => library.index.create(tx, collection));
      connection = await library.addConnection(collection);
      await old.db
        .updateTable('connections')
        .set({ name: 'Älteste Ablage' })
        .where('id', '=', connection.id)
        .execute();
      // The code of today writes columns that the first version did not have.
      const bytes = sql.raw(old.kind === 'sqlite' ? 'blob' : 'bytea');
      const added = [
        ['chunks', 'line', sql`integer`],
        ['chunks', 'place', sql`text`],
        ['chunks', 'collection_id', sql`text`],
        ['chunk_bodies', 'collection_id', sql`text`],
        ['chunk_bodies', 'terms', bytes],
        ['chunk_bodies', 'is_titled', sql`boolean`],
        ['indexes', 'cosine_mean', sql`real`],
        ['indexes', 'cosine_spread', sql`real`],
        ['indexes', 'cosine_chunks', sql`integer not null default 0`],
      ] as const;
      for (const [table, column, type] of added)
        await sql`alter table ${sql.table(table)} add column ${sql.id(column)} ${type}`.execute(
          old.db,
        );
      // The code of today does not write the column `recipe`, which was required then, so the column gets a default.
      await sql`alter table entities drop column recipe`.execute(old.db);
      await sql`alter table entities add column recipe text not null
        default 'extract-1 split-1 terms-1 quarry-static-256-v1 vectors listed'`.execute(old.db);
      await library.put(collection, connection, [
        { id: 'heron', text: 'The heron waits at the weir.', fields: { wings: 2, 'a.b': 1 } },
        {
          id: 'otter',
          text: 'The otter sleeps.',
          fields: { wings: 0, river: null },
          access: { viewers: ['user:ann'], isPublic: false },
        },
      ]);
      for (const [table, column] of added)
        await sql`alter table ${sql.table(table)} drop column ${sql.id(column)}`.execute(old.db);
      await sql`update entities set definition_id = 'of Note'`.execute(old.db);
      await old.db
        .insertInto('sync_jobs')
        .values({
          id: newId(),
          organization_id: organization,
          connection_id: connection.id,
          sync_id: connection.syncId,
          status: 'COMPLETED',
          trigger: 'manual',
          full: true,
          accept_deletions: false,
          attempt: 1,
          generation: 1,
          entities_inserted: 2,
          entities_updated: 0,
          entities_deleted: 0,
          entities_kept: 0,
          entities_skipped: 0,
          entities_failed: 0,
          encountered: '{}',
          left_out: '{}',
          chunks_written: 2,
          bytes_fetched: 0,
          requests: 0,
          created_at: 0,
          modified_at: 0,
        })
        .execute();
      await old.db
        .insertInto('group_members')
        .values({ connection_id: connection.id, group_name: 'group:a', member: 'user:ann' })
        .execute();
      await addPostgresql({ cron: '*/5 * * * *', continuous: false });
      await addPostgresql({ cron: '*/5 * * * *', continuous: true });
      await addPostgresql({ cron: '*/10 * * * *', continuous: false });
      await migrate(old.db, old.kind);
      await prepareIndex(old, createBuiltinEmbedder(), pino({ level: 'silent' }));
    });
    after(() => old.close());

    it('old records are found by every strategy, and can be changed', async () => {
      const library = libraryOn(old, old.kind, organization);
      for (const retrieval_strategy of ['hybrid', 'neural', 'keyword'])
        assert.deepEqual(
          (await library.find(collection, 'heron weir', { retrieval_strategy, limit: 1 }))[0],
          'heron__chunk_0',
        );
      await library.put(collection, connection, [{ id: 'heron', text: 'The bird flew.' }]);
      const keyword = { retrieval_strategy: 'keyword' };
      assert.deepEqual(await library.find(collection, 'weir', keyword), []);
      assert.deepEqual(await library.find(collection, 'otter', keyword), ['otter__chunk_0']);
    });

    it('[COL-26] the names of old collections are also stored in lower case', async () => {
      const row = await old.db
        .selectFrom('collections')
        .select('folded_name')
        .where('id', '=', collection)
        .executeTakeFirstOrThrow();
      assert.equal(row.folded_name, 'ältere notizen');
    });

    it('[CON-17] old connections are found by a part of the name', async () => {
      const reach = { organizationId: organization, collections: null };
      const page = { collectionId: undefined, skip: 0, limit: 10 };
      const { rows } = await listConnections(old.db, reach, { ...page, search: 'ALTE' });
      assert.deepEqual(
        rows.map(({ name }) => name),
        ['Älteste Ablage'],
      );
    });

    it('[ENT-18] old memberships of groups are kept', async () => {
      assert.deepEqual(await groupsOf(old.db, organization, ['user:ann']), ['group:a']);
    });

    it('the fields of old entities are counted, and each old entity has an existing definition', async () => {
      const fields = await storedFields(old.db, connection.id);
      assert.deepEqual(
        fields.map(({ type, field, count, open }) => [type, field, count, open]).toSorted(),
        [
          ['Note', 'river', 1, 0],
          ['Note', 'wings', 2, 1],
        ],
      );
      const rows = await old.db.selectFrom('entities').select('definition_id').execute();
      const definition = definitionId('push', 'PushedEntity');
      for (const { definition_id } of rows) assert.equal(definition_id, definition);
    });

    /** Adds a connection that was made at 05:06:07. */
    async function addPostgresql(schedule: { cron: string; continuous: boolean }) {
      const made = Date.parse('2026-03-04T05:06:07.890Z');
      const id = await insertConnection(
        old.db,
        { id: collection, organization_id: organization },
        { short_name: 'postgresql', ...schedule, next_run_at: 1, created_at: made },
      );
      postgresql.push(id);
    }

    it('[JOB-45] [JOB-46] a PostgreSQL connection with the old default schedule (every 5 minutes, not continuous) becomes daily, others keep their schedules, and all get `full_every` 24', async () => {
      const rows = await old.db
        .selectFrom('connections')
        .select(['id', 'cron', 'next_run_at', 'full_every'])
        .where('id', 'in', postgresql)
        .execute();
      const [changed, ...others] = postgresql.map((id) => must(rows.find((row) => row.id === id)));
      assert.equal(changed?.cron, '6 5 * * *');
      const next = Number(changed?.next_run_at);
      assert.equal(next, nextRun('6 5 * * *', new Date()));
      assert.deepEqual(
        others.map(({ cron, next_run_at }) => [cron, next_run_at]),
        [
          ['*/5 * * * *', 1],
          ['*/10 * * * *', 1],
        ],
      );
      assert.deepEqual(
        rows.map(({ full_every }) => full_every),
        [24, 24, 24],
      );
    });

    it('a job that has ended is counted in `job_counts`', async () => {
      const rows = await old.db.selectFrom('job_counts').selectAll().execute();
      assert.deepEqual(
        rows.map(({ connection_id, status, count }) => [connection_id, status, count]),
        [[connection.id, 'COMPLETED', 1]],
      );
    });
  });
}
