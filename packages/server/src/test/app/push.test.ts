import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import { DATABASES } from '../databases.ts';
import { isSmokeEnough } from '../tier.ts';
import { until } from '../until.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';

for (const database of DATABASES) {
  describe(`push on ${database.name}`, () => {
    let quarry: TestQuarry;
    let collection: string;
    let connection: string;
    let made = 0;

    before(async () => {
      quarry = await openTestQuarry(await database.open());
    });
    after(() => quarry.close());
    beforeEach(async () => {
      collection = `pushes-${made++}`;
      await quarry.ok('POST', '/v1/collections', { name: 'Pushes', readable_id: collection });
      const created = await quarry.ok('POST', '/v1/source-connections', {
        name: 'Pushed',
        short_name: 'push',
        readable_collection_id: collection,
      });
      connection = created.id;
      assert.deepEqual([created.status, created.sync.total_runs], ['ACTIVE', 0]);
    });

    const push = (body: unknown) =>
      quarry.call('POST', `/v1/source-connections/${connection}/entities`, body);
    const entity = (id: string, text = `the text of ${id}`) => ({ entity_id: id, name: id, text });
    const find = (query: string, body?: object) => quarry.find(collection, query, { ...body });

    it('[PSH-01] [PSH-06] a push answers 202 with a job, and its records are found when the job is COMPLETED', async () => {
      const { status, body } = await push({ entities: [entity('a'), entity('b')] });
      assert.equal(status, 202);
      assert.deepEqual([body.status, body.source_connection_id], ['PENDING', connection]);
      const job = await quarry.settled(connection);
      assert.deepEqual([job.id, job.status, job.entities_inserted], [body.id, 'completed', 2]);
      for (const strategy of ['hybrid', 'neural', 'keyword'])
        assert.deepEqual((await find('a text', { retrieval_strategy: strategy })).toSorted(), [
          'a__chunk_0',
          'b__chunk_0',
        ]);
    });

    if (isSmokeEnough(database)) return;

    it('[PSH-02] a push with an entity that lacks a required field is refused', async () => {
      for (const field of ['entity_id', 'name', 'text'] as const) {
        const { [field]: _, ...rest } = entity('a');
        const { status, body } = await push({ entities: [rest] });
        assert.equal(status, 422);
        assert.deepEqual(body.detail[0].loc, ['body', 'entities', 0, field]);
      }
      assert.deepEqual(await quarry.ok('GET', `/v1/source-connections/${connection}/jobs`), []);
    });

    it('[PSH-03] a search shows every field that a pushed entity may have, and its access data apply', async () => {
      await push({
        entities: [
          {
            ...entity('a'),
            entity_type: 'Note',
            url: 'https://example.org/a',
            breadcrumbs: [{ entity_id: 'r', name: 'Root', entity_type: 'folder' }],
            created_at: '2026-01-02T03:04:05+01:00',
            updated_at: '2026-02-02T03:04:05Z',
            metadata: { team: 'blue', nested: { n: 1 } },
            access: { viewers: ['user:a@b.c'], is_public: false },
          },
        ],
      });
      await quarry.settled(connection);
      const { results } = await quarry.ok('POST', `/v1/collections/${collection}/search`, {
        query: 'text',
        generate_answer: false,
      });
      const [{ score, true_as_of, ...result }] = results;
      assert.ok(score > 0);
      const shown = await quarry.ok('GET', `/v1/source-connections/${connection}`);
      assert.equal(true_as_of, shown.true_as_of);
      assert.deepEqual(result, {
        entity_id: 'a__chunk_0',
        source_name: 'push',
        md_content: 'the text of a',
        metadata: {
          name: 'a',
          entity_type: 'Note',
          source_connection_id: connection,
          created_at: '2026-01-02T02:04:05.000Z',
          updated_at: '2026-02-02T03:04:05.000Z',
          heading: null,
          page: null,
          place: null,
          line: 1,
          team: 'blue',
          nested: { n: 1 },
        },
        breadcrumbs: ['Root'],
        url: 'https://example.org/a',
      });
      const as = (who: string) => quarry.find(collection, 'text', {}, { 'x-principals': who });
      assert.deepEqual(await as('user:a@b.c'), ['a__chunk_0']);
      assert.deepEqual(await as('user:x@b.c'), []);
    });

    it('[PSH-04] [PSH-11] a push deletes the records that `delete` lists, and no others', async () => {
      await push({ entities: [entity('a'), entity('b'), entity('c')] });
      await push({ entities: [entity('b', 'changed')], delete: ['a', 'never there'] });
      const job = await quarry.settled(connection);
      assert.deepEqual(
        [job.entities_inserted, job.entities_updated, job.entities_deleted],
        [0, 1, 1],
      );
      assert.deepEqual(await find('text', { retrieval_strategy: 'keyword' }), ['c__chunk_0']);
      assert.deepEqual(await find('changed', { retrieval_strategy: 'keyword' }), ['b__chunk_0']);
      const { entities } = await quarry.ok('GET', `/v1/source-connections/${connection}`);
      assert.deepEqual(entities, { total_entities: 2, by_type: { PushedEntity: { count: 2 } } });
    });

    it('[PSH-07] a push may have 1,000 records but not 1,001, and records to delete count too', async () => {
      const many = Array.from({ length: 999 }, (_, i) => entity(`e${i}`, ''));
      const over = await push({ entities: many, delete: ['x', 'y'] });
      assert.deepEqual([over.status, over.body.code], [413, 'too_large']);
      assert.deepEqual(await quarry.ok('GET', `/v1/source-connections/${connection}/jobs`), []);
      assert.equal((await push({ entities: many, delete: ['x'] })).status, 202);
      assert.equal((await quarry.settled(connection)).entities_inserted, 999);
    });

    it('[PSH-07] a push with millions of deletes or entities is refused before its elements are checked', async () => {
      // Each body has about ten megabytes, and every element has the wrong type. A list of all
      // these faults would take gigabytes.
      const ones = Array.from({ length: 4_500_000 }, () => 1);
      for (const body of [{ delete: ones }, { entities: ones }]) {
        const { status, body: error } = await push(body);
        assert.deepEqual([status, error.code], [413, 'too_large']);
      }
    });

    it('[PSH-07] a push with a body above 10 MiB is refused', async () => {
      const text = 'x'.repeat(10 * 1024 * 1024);
      assert.equal((await push({ entities: [entity('a', text)] })).status, 413);
      const fits = text.slice(0, -200);
      assert.equal((await push({ entities: [entity('a', fits)] })).status, 202);
      assert.equal((await quarry.settled(connection)).status, 'completed');
    });

    it('[PSH-09] pushes are applied in the order in which they arrived', async () => {
      const answers = [];
      for (let i = 0; i < 5; i++)
        answers.push(await push({ entities: [entity('a', `turn ${i}`)] }));
      assert.ok(answers.every(({ status }) => status === 202));
      await quarry.settled(connection);
      const { results } = await quarry.ok('POST', `/v1/collections/${collection}/search`, {
        query: 'turn',
        generate_answer: false,
      });
      assert.deepEqual(
        results.map((result: { md_content: string }) => result.md_content),
        ['turn 4'],
      );
      const jobs = await quarry.ok('GET', `/v1/source-connections/${connection}/jobs`);
      assert.deepEqual(
        jobs.map((job: { id: string }) => job.id),
        answers.map(({ body }) => body.id).reverse(),
      );
    });

    it('[PSH-10] [COL-29] [CON-36] a push connection has no schedule and cannot be pulled', async () => {
      const run = await quarry.call('POST', `/v1/source-connections/${connection}/run`);
      assert.deepEqual([run.status, run.body.code], [422, 'not_pullable']);
      const { schedule } = await quarry.ok('GET', `/v1/source-connections/${connection}`);
      assert.deepEqual([schedule.cron, schedule.next_run], [null, null]);
      assert.deepEqual(await quarry.ok('POST', `/v1/collections/${collection}/refresh_all`), []);
    });

    it('[PSH-12] [ENT-22] the later of two entities with one id is stored, an id in both lists is refused, and an empty text is accepted', async () => {
      const both = await push({ entities: [entity('a')], delete: ['a'] });
      assert.equal(both.status, 422);
      assert.deepEqual(both.body.detail[0].loc, ['body', 'delete', 0]);
      await push({ entities: [entity('a', 'first'), entity('a', 'second'), entity('zebra', '')] });
      const job = await quarry.settled(connection);
      assert.equal(job.entities_inserted, 2);
      assert.deepEqual(await find('first', { retrieval_strategy: 'keyword' }), []);
      assert.deepEqual(await find('second', { retrieval_strategy: 'keyword' }), ['a__chunk_0']);
      for (const strategy of ['hybrid', 'neural', 'keyword'])
        assert.equal((await find('zebra', { retrieval_strategy: strategy }))[0], 'zebra__chunk_0');
    });

    it('[PSH-05] a push that fails changes nothing', async () => {
      await push({ entities: [entity('good', 'first words')] });
      await quarry.settled(connection);
      await refuseEntity(quarry.db, database.name, 'poison');
      await push({
        entities: [entity('good', 'other words'), entity('new'), entity('poison')],
        delete: ['gone'],
      });
      const job = await quarry.settled(connection);
      assert.equal(job.status, 'failed');
      assert.deepEqual(
        [job.entities_inserted, job.entities_updated, job.sync_metadata.chunks_written],
        [0, 0, 0],
      );
      assert.deepEqual(await find('first', { retrieval_strategy: 'keyword' }), ['good__chunk_0']);
      assert.deepEqual(await find('other', { retrieval_strategy: 'keyword' }), []);
      const { entities } = await quarry.ok('GET', `/v1/source-connections/${connection}`);
      assert.equal(entities.total_entities, 1);

      // The push has more chunks than a commit of a pull holds, but it is one commit all the same.
      const many = Array.from({ length: 250 }, (_, i) => entity(`many${i}`));
      await push({ entities: [...many, entity('poison')] });
      assert.equal((await quarry.settled(connection)).status, 'failed');
      assert.deepEqual(await find('many', { retrieval_strategy: 'keyword' }), []);
      const after = await quarry.ok('GET', `/v1/source-connections/${connection}`);
      assert.equal(after.entities.total_entities, 1);
    });

    it('[ENT-09] [ENT-10] an entity is listed as one record, however many chunks it has', async () => {
      const text = Array.from({ length: 40 }, (_, i) => `## Part ${i}\n\n${'word '.repeat(150)}`);
      await push({ entities: [entity('long', text.join('\n\n'))] });
      const job = await quarry.settled(connection);
      const chunks = (await find('word')).toSorted();
      assert.ok(chunks.length > 20);
      assert.equal(job.sync_metadata.chunks_written, chunks.length);
      assert.deepEqual(chunks, chunks.map((_, i) => `long__chunk_${i}`).toSorted());
      const records = await quarry.ok('GET', `/v1/entities?source_connection_id=${connection}`);
      assert.deepEqual(
        records.map((record: { entity_id: string }) => record.entity_id),
        ['long'],
      );
    });

    it('[CON-23] [CON-25] DELETE answers before the clean-up, and the clean-up removes all rows of the connection', async () => {
      await push({ entities: Array.from({ length: 1000 }, (_, i) => entity(`e${i}`)) });
      await quarry.settled(connection);
      const count = async (table: 'entities' | 'chunks') => {
        const { rows } = await quarry.db
          .selectFrom(table)
          .select((eb) => eb.fn.countAll<number>().as('rows'))
          .where('connection_id', '=', connection)
          .executeTakeFirstOrThrow();
        return Number(rows);
      };
      const deleted = await quarry.ok('DELETE', `/v1/source-connections/${connection}`);
      assert.equal(deleted.entities.total_entities, 1000);
      assert.ok((await count('entities')) > 0);
      assert.deepEqual(await find('text'), []);
      await until(async () =>
        (await count('entities')) + (await count('chunks')) === 0 ? true : undefined,
      );
    });

    it('[FIL-06] [FIL-18] an entity without access data has no access.is_public', async () => {
      const access = { viewers: ['user:a@b.c'], is_public: false };
      await push({
        entities: [
          entity('none'),
          { ...entity('some'), access },
          { ...entity('all'), access: { viewers: null, is_public: true } },
        ],
      });
      await quarry.settled(connection);
      const where = async (filter: object) => (await find('text', { filter })).toSorted();
      const isPublic = (value: boolean) => ({ key: 'access.is_public', match: { value } });
      assert.deepEqual(await where({ must: [isPublic(false)] }), ['some__chunk_0']);
      assert.deepEqual(await where({ must: [isPublic(true)] }), ['all__chunk_0']);
      assert.deepEqual(await where({ must_not: [isPublic(false)] }), [
        'all__chunk_0',
        'none__chunk_0',
      ]);
      assert.deepEqual(await where({ must: [{ is_null: { key: 'access.is_public' } }] }), [
        'none__chunk_0',
      ]);
    });

    it('[PSH-13] a push into a connection of another source is refused', async () => {
      const files = await quarry.ok('POST', '/v1/source-connections', {
        name: 'Folder',
        short_name: 'files',
        readable_collection_id: collection,
        config: { path: import.meta.dirname },
        sync_immediately: false,
      });
      const { status, body } = await quarry.call(
        'POST',
        `/v1/source-connections/${files.id}/entities`,
        { entities: [entity('a')] },
      );
      assert.deepEqual([status, body.code], [422, 'not_pushable']);
    });
  });
}

/** Makes the database refuse this entity from now on, in the middle of a transaction. */
async function refuseEntity(db: Kysely<Schema>, name: string, entityId: string): Promise<void> {
  if (name === 'sqlite') {
    await sql`create trigger refuse before insert on entities when new.entity_id = ${sql.lit(entityId)}
      begin select raise(abort, 'refused'); end`.execute(db);
    return;
  }
  await sql`create function refuse() returns trigger language plpgsql as
    'begin if new.entity_id = ''${sql.raw(entityId)}'' then raise exception ''refused''; end if; return new; end'`.execute(
    db,
  );
  await sql`create trigger refuse before insert on entities for each row execute function refuse()`.execute(
    db,
  );
}
