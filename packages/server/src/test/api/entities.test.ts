import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { must } from '../../util.ts';
import { DATABASES } from '../databases.ts';
import { openTestApi, type TestApi } from './harness.ts';
import { insertConnection, insertEntity } from './rows.ts';

for (const database of DATABASES) {
  describe(`entity records on ${database.name}`, () => {
    let api: TestApi;
    /**
     * `a` and `b` belong to two connections in `docs`, `c` to one in `wiki`, and `gone` to a deleted connection.
     * `hidden` is not listed.
     */
    let ids: { a: string[]; b: string[]; c: string[]; hidden: string; gone: string };
    let connections: { a: string; b: string; c: string; gone: string };
    let foreign: { connection: string; entity: string; key: string };

    before(async () => {
      api = await openTestApi(await database.open());
      const collection = async (readable_id: string, key = api.adminKey) => {
        const body = { name: 'A collection', readable_id };
        return (await api.call('POST', '/v1/collections', { body, key })).body;
      };
      const docs = await collection('docs');
      const wiki = await collection('wiki');
      connections = {
        a: await insertConnection(api.db, docs),
        b: await insertConnection(api.db, docs),
        c: await insertConnection(api.db, wiki),
        gone: await insertConnection(api.db, docs, { deleted_at: 1 }),
      };
      const insert = (
        connection_id: string,
        of: { id: string; organization_id: string },
        changes = {},
      ) =>
        insertEntity(
          api.db,
          { connection_id, collection_id: of.id, organization_id: of.organization_id },
          changes,
        );
      ids = {
        a: [await insert(connections.a, docs), await insert(connections.a, docs)],
        b: [await insert(connections.b, docs)],
        c: [await insert(connections.c, wiki)],
        hidden: await insert(connections.a, docs, { is_listed: false }),
        gone: await insert(connections.gone, docs),
      };
      ids.a.sort();
      const { key } = await api.stranger();
      const theirs = await collection('docs', key);
      const connection = await insertConnection(api.db, theirs);
      foreign = { key, connection, entity: await insert(connection, theirs) };
    });
    after(() => api.close());

    const all = () => [...ids.a, ...ids.b, ...ids.c].toSorted();
    const list = async (query = '') => {
      const { status, body, headers } = await api.call('GET', `/v1/entities${query}`);
      assert.equal(status, 200);
      return {
        ids: body.map(({ id }: { id: string }) => id),
        total: Number(headers['x-total-count']),
      };
    };

    it('[ENT-05] [GEN-03] [KEY-13] the list has the listed entities of connections that are not deleted, in the order of their ids', async () => {
      assert.deepEqual(await list(), { ids: all(), total: 4 });
      const theirs = await api.call('GET', '/v1/entities', { key: foreign.key });
      assert.deepEqual(
        theirs.body.map(({ id }: { id: string }) => id),
        [foreign.entity],
      );
    });

    it('[ENT-05] `skip` and `limit` select a page', async () => {
      assert.deepEqual(await list('?limit=1'), { ids: all().slice(0, 1), total: 4 });
      assert.deepEqual(await list('?skip=1&limit=2'), { ids: all().slice(1, 3), total: 4 });
      assert.deepEqual(await list('?skip=4'), { ids: [], total: 4 });
    });

    it('[ENT-05] a page may begin in any connection', async () => {
      const everything = (await list()).ids;
      for (const [skip, limit] of [
        [2, 1],
        [2, 2],
        [3, 1],
        [1, 3],
      ] as const)
        assert.deepEqual(await list(`?skip=${skip}&limit=${limit}`), {
          ids: everything.slice(skip, skip + limit),
          total: 4,
        });
    });

    for (const query of ['skip=-1', 'limit=0', 'limit=1001', 'source_connection_id=no-uuid'])
      it(`[ENT-05] ${query} answers 422`, async () => {
        const { status, body } = await api.call('GET', `/v1/entities?${query}`);
        assert.equal(status, 422);
        assert.deepEqual(
          body.detail.map(({ loc }: { loc: string[] }) => loc),
          [['query', query.split('=')[0]]],
        );
      });

    it('[ENT-06] the list can be limited to a connection, a collection, or both', async () => {
      const { a, c } = connections;
      assert.deepEqual(await list(`?source_connection_id=${a}`), { ids: ids.a, total: 2 });
      assert.deepEqual(await list('?collection_readable_id=docs'), {
        ids: [...ids.a, ...ids.b].toSorted(),
        total: 3,
      });
      const both = `?source_connection_id=${c}&collection_readable_id=wiki`;
      assert.deepEqual(await list(both), { ids: ids.c, total: 1 });
      const neither = `?source_connection_id=${c}&collection_readable_id=docs`;
      assert.deepEqual(await list(neither), { ids: [], total: 0 });
    });

    it('[ENT-06] [KEY-13] a list for a collection or connection that does not exist answers 404', async () => {
      for (const [query, detail] of [
        [
          'collection_readable_id=nope',
          "collection 'nope' does not exist: GET /v1/collections lists them",
        ],
        [
          `source_connection_id=${connections.gone}`,
          `source connection '${connections.gone}' does not exist: GET /v1/source-connections lists them`,
        ],
        [
          `source_connection_id=${foreign.connection}`,
          `source connection '${foreign.connection}' does not exist: GET /v1/source-connections lists them`,
        ],
      ] as const) {
        const { status, body } = await api.call('GET', `/v1/entities?${query}`);
        assert.deepEqual([status, body.detail], [404, detail]);
      }
    });

    it('[ENT-01] [ENT-02] [ENT-07] [ENT-08] [GEN-02] GET answers with the record of an entity, without its content', async () => {
      const [id] = all();
      const { status, body } = await api.call('GET', `/v1/entities/${id}`);
      assert.equal(status, 200);
      const row = await api.db
        .selectFrom('entities')
        .selectAll()
        .where('id', '=', must(id))
        .executeTakeFirstOrThrow();
      assert.deepEqual(body, {
        id,
        entity_id: row.entity_id,
        sync_job_id: row.sync_job_id,
        sync_id: row.sync_id,
        entity_definition_id: row.definition_id,
        hash: row.hash,
        organization_id: row.organization_id,
        created_at: '2023-11-14T22:13:20.000Z',
        modified_at: '2023-11-14T22:13:21.000Z',
      });
      const everything = await api.call('GET', '/v1/entities');
      assert.doesNotMatch(JSON.stringify([body, everything.body]), /secret/);
      assert.deepEqual(everything.body[0], body);
    });

    it('[ENT-07] [COL-11] [KEY-13] [GEN-42] GET answers 404 for an entity that is unknown, hidden, deleted or of another organization', async () => {
      const strange = ['nope', '%00', '00000000-0000-7000-8000-000000000000'];
      for (const id of [...strange, ids.hidden, ids.gone, foreign.entity]) {
        const { status, body } = await api.call('GET', `/v1/entities/${id}`);
        assert.deepEqual([status, body.code], [404, 'not_found']);
      }
    });
  });
}
