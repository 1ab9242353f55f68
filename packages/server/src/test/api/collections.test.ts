import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DATABASES } from '../databases.ts';
import { openTestApi, type TestApi } from './harness.ts';

for (const database of DATABASES) {
  describe(`collections on ${database.name}`, () => {
    let api: TestApi;
    before(async () => {
      api = await openTestApi(await database.open());
    });
    after(() => api.close());

    const create = (body: unknown, key?: string) =>
      api.call('POST', '/v1/collections', { body, ...(key !== undefined && { key }) });
    const get = (path: string) => api.call('GET', `/v1/collections${path}`);
    const where = (answer: { body: { detail: { loc: unknown }[] } }) =>
      answer.body.detail.map(({ loc }) => loc);

    it('[COL-01] [COL-02] [COL-20] [GEN-02] [GEN-21] [KEY-19] [KEY-20] POST creates an empty collection', async () => {
      const { status, body } = await create({ name: 'Our Docs' });
      assert.equal(status, 200);
      const { id, readable_id, created_at, modified_at, organization_id, ...rest } = body;
      assert.deepEqual(rest, {
        name: 'Our Docs',
        vector_size: 256,
        embedding_model_name: 'quarry-static-256-v1',
        sync_config: null,
        status: 'NEEDS_SOURCE',
        true_as_of: null,
        source_connections: 0,
        entities: { total_entities: 0, by_type: {}, by_source: {} },
        created_by_email: 'owner@localhost',
        modified_by_email: 'owner@localhost',
      });
      assert.match(id, /^[0-9a-f-]{36}$/);
      assert.match(readable_id, /^our-docs-[a-z0-9]{6}$/);
      assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.equal(modified_at, created_at);
      assert.equal(organization_id, (await api.owner()).organizationId);
      const index = await api.db
        .selectFrom('indexes')
        .select('chunks')
        .where('collection_id', '=', id)
        .execute();
      assert.deepEqual(
        index.map(({ chunks }) => chunks),
        [0],
      );
      assert.deepEqual((await get(`/${readable_id}`)).body, body);
    });

    for (const [why, name, accepted] of [
      ['3 characters', 'abc', false],
      ['4 characters', 'abcd', true],
      ['64 characters', 'x'.repeat(64), true],
      ['65 characters', 'x'.repeat(65), false],
      ['2 emoji (4 code units)', '🙂🙂', false],
      ['64 emoji (128 code units)', '🙂'.repeat(64), true],
      ['no text', 1234, false],
      ['nothing', undefined, false],
    ] as const) {
      it(`[COL-03] a name of ${why} is ${accepted ? 'accepted' : 'refused'}, also by PATCH`, async () => {
        const created = await create({ name });
        assert.equal(created.status, accepted ? 200 : 422);
        if (!accepted) assert.deepEqual(where(created), [['body', 'name']]);
        const { body } = await create({ name: 'before' });
        const url = `/v1/collections/${body.readable_id}`;
        const patched = await api.call('PATCH', url, { body: { name: name ?? null } });
        assert.equal(patched.status, accepted ? 200 : 422);
        const now = await api.call('GET', url);
        assert.equal(now.body.name, accepted ? name : 'before');
      });
    }

    for (const [readableId, accepted] of [
      ['a', true],
      ['0-9-z', true],
      [`a-${'x'.repeat(62)}`, true],
      ['x'.repeat(65), false],
      ['', false],
      ['Docs', false],
      ['do_cs', false],
      ['do--cs', false],
      ['-docs', false],
      ['docs-', false],
      ['döcs', false],
      ['docs\n', false],
      ['count', false],
      ['internal', false],
      ['counts', true],
    ] as const) {
      it(`[COL-04] [COL-06] readable_id ${JSON.stringify(readableId)} is ${accepted ? 'kept' : 'refused'}`, async () => {
        const answer = await create({ name: 'Some name', readable_id: readableId });
        assert.equal(answer.status, accepted ? 200 : 422);
        if (accepted) assert.equal(answer.body.readable_id, readableId);
        else assert.ok(where(answer).every((loc) => String(loc) === 'body,readable_id'));
      });
    }

    it('[COL-05] [COL-31] a readable_id that is made from the name has at most 64 characters', async () => {
      const long = await create({ name: 'Ä very  long–name '.repeat(4).slice(0, 64) });
      assert.match(long.body.readable_id, /^a-very-long-name-[a-z0-9-]*-[a-z0-9]{6}$/);
      assert.ok(long.body.readable_id.length <= 64);
      const none = await create({ name: '日本語の' });
      assert.match(none.body.readable_id, /^collection-[a-z0-9]{6}$/);
    });

    it('[COL-07] a readable_id that is in use answers 409 and creates nothing', async () => {
      await create({ name: 'First', readable_id: 'taken' });
      const count = await get('/count');
      const { status, body } = await create({ name: 'Second', readable_id: 'taken' });
      assert.deepEqual(
        [status, body.code, body.detail],
        [409, 'conflict', "collection 'taken' already exists; choose another readable_id"],
      );
      assert.equal((await get('/taken')).body.name, 'First');
      assert.deepEqual((await get('/count')).body, count.body);
    });

    it('[KEY-14] two organizations may use the same readable_id', async () => {
      const other = await api.stranger();
      const mine = await create({ name: 'Mine', readable_id: 'shared' });
      const theirs = await create({ name: 'Theirs', readable_id: 'shared' }, other.key);
      assert.deepEqual([mine.status, theirs.status], [200, 200]);
      assert.equal(theirs.body.created_by_email, other.email);
      const seen = await api.call('GET', '/v1/collections/shared', { key: other.key });
      assert.equal(seen.body.name, 'Theirs');
      assert.equal((await get('/shared')).body.name, 'Mine');
    });

    it('[COL-08] a PATCH with readable_id answers 422 and changes nothing', async () => {
      const { body } = await create({ name: 'Fixed', readable_id: 'fixed' });
      const patch = { readable_id: 'other', name: 'Changed' };
      const answer = await api.call('PATCH', '/v1/collections/fixed', { body: patch });
      assert.equal(answer.status, 422);
      assert.deepEqual(answer.body.detail, [
        {
          loc: ['body', 'readable_id'],
          msg: "the field 'readable_id' is not known: use name, sync_config",
          type: 'unrecognized_key',
        },
      ]);
      assert.deepEqual((await get('/fixed')).body, body);
    });

    it('[COL-09] sync_config holds both switches or is null', async () => {
      const off = { handlers: { enable_vector_handlers: false, enable_metadata_handlers: true } };
      const { body } = await create({ name: 'Config', sync_config: off });
      assert.deepEqual(body.sync_config, off);
      for (const sync_config of [
        {},
        { handlers: {} },
        { handlers: { enable_vector_handlers: true } },
        { handlers: { ...off.handlers, enable_metadata_handlers: 'yes' } },
        { handlers: { ...off.handlers, other: true } },
        { handlers: off.handlers, other: 1 },
        'on',
      ])
        assert.equal((await create({ name: 'Config', sync_config })).status, 422);
      const url = `/v1/collections/${body.readable_id}`;
      const cleared = await api.call('PATCH', url, { body: { sync_config: null } });
      assert.equal(cleared.body.sync_config, null);
      assert.equal((await create({ name: 'Config', sync_config: null })).body.sync_config, null);
    });

    it('[COL-14] [KEY-19] PATCH changes only the fields that are sent, and stores when and by whom', async () => {
      const off = { handlers: { enable_vector_handlers: false, enable_metadata_handlers: false } };
      const { body } = await create({ name: 'Old name', readable_id: 'patched', sync_config: off });
      const email = 'second@example.com';
      const { userId, organizationId } = await api.owner();
      await api.db.updateTable('users').set({ email }).where('id', '=', userId).execute();
      const renamed = await api.call('PATCH', '/v1/collections/patched', {
        body: { name: 'New name' },
      });
      await api.db
        .updateTable('users')
        .set({ email: 'owner@localhost' })
        .where('id', '=', userId)
        .execute();
      assert.equal(renamed.status, 200);
      assert.ok(renamed.body.modified_at > body.modified_at);
      assert.deepEqual(renamed.body, {
        ...body,
        name: 'New name',
        modified_at: renamed.body.modified_at,
        modified_by_email: email,
        organization_id: organizationId,
      });
      const on = { handlers: { enable_vector_handlers: true, enable_metadata_handlers: true } };
      const changed = await api.call('PATCH', '/v1/collections/patched', {
        body: { sync_config: on },
      });
      assert.deepEqual([changed.body.name, changed.body.sync_config], ['New name', on]);
      assert.ok(changed.body.modified_at > renamed.body.modified_at);
    });

    it('[COL-14] `modified_at` grows with each change, even within one millisecond', async () => {
      await create({ name: 'Quick', readable_id: 'quick' });
      const ahead = Date.now() + 60_000;
      await api.db
        .updateTable('collections')
        .set({ modified_at: ahead })
        .where('readable_id', '=', 'quick')
        .execute();
      const { body } = await api.call('PATCH', '/v1/collections/quick', { body: {} });
      assert.equal(body.modified_at, new Date(ahead + 1).toISOString());
    });

    for (const [method, body] of [
      ['GET', undefined],
      ['PATCH', { name: 'Nobody' }],
      ['DELETE', undefined],
    ] as const) {
      for (const id of ['nope', 'Not%20An%20Id', '%00', 'a'.repeat(64)]) {
        it(`[COL-15] [GEN-16] [GEN-42] ${method} of '${id}', which does not exist, answers 404`, async () => {
          const answer = await api.call(method, `/v1/collections/${id}`, { body });
          assert.deepEqual([answer.status, answer.body.code], [404, 'not_found']);
          if (id === 'nope')
            assert.equal(
              answer.body.detail,
              "collection 'nope' does not exist: GET /v1/collections lists them",
            );
        });
      }
    }

    it('[COL-15] [COL-16] of two deletions at the same time one answers 404, and a change beside them answers 200 or 404', async () => {
      const { body } = await create({ name: 'Raced', readable_id: 'raced' });
      const one = '/v1/collections/raced';
      const answers = await Promise.all([
        api.call('DELETE', one),
        api.call('DELETE', one),
        api.call('PATCH', one, { body: { name: 'Too late' } }),
        api.call('PATCH', one, { body: { name: 'Later still' } }),
      ]);
      const statuses = answers.map(({ status }) => status);
      assert.deepEqual(statuses.slice(0, 2).toSorted(), [200, 404]);
      assert.ok(
        statuses.every((status) => [200, 404].includes(status)),
        `${statuses}`,
      );
      const events = await api.db
        .selectFrom('events')
        .select('id')
        .where('collection_id', '=', body.id)
        .where('event_type', '=', 'collection.deleted')
        .execute();
      assert.equal(events.length, 1);
    });

    it('[COL-16] [COL-33] [GEN-22] DELETE answers with the collection, which then does not exist, and its readable_id is free again', async () => {
      const { body } = await create({ name: 'Doomed', readable_id: 'doomed' });
      const answer = await api.call('DELETE', '/v1/collections/doomed');
      assert.deepEqual([answer.status, answer.body], [200, body]);
      assert.equal((await get('/doomed')).status, 404);
      assert.equal((await api.call('DELETE', '/v1/collections/doomed')).status, 404);
      const again = await create({ name: 'Risen', readable_id: 'doomed' });
      assert.equal(again.status, 200);
      assert.notEqual(again.body.id, body.id);
      const cleanups = await api.db
        .selectFrom('jobs')
        .select('data')
        .where('name', '=', 'collection.cleanup')
        .where('lane', '=', body.id)
        .execute();
      assert.deepEqual(
        cleanups.map(({ data }) => data),
        [{ collectionId: body.id }],
      );
    });
  });
}
