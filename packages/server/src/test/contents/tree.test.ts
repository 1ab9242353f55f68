/** Tests the tree of a collection: its connections, what is below a breadcrumb, and what a person sees of it. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openTestApi, type TestApi } from '../api/harness.ts';
import { DATABASES } from '../databases.ts';
import { type Connection, type Doc, libraryOn } from '../search/library.ts';

const crumb = (id: string) => ({ id, name: `The ${id}`, type: 'Folder' });
const at = (id: string, ...path: string[]): Doc => ({
  id,
  type: 'Note',
  text: `About ${id}.`,
  breadcrumbs: path.map(crumb),
});
const hidden = { viewers: ['user:ann@example.com'], isPublic: false };
const AS_BOB = { 'x-principals': 'user:bob@example.com' };

for (const database of DATABASES) {
  describe(`the tree of a collection on ${database.name}`, () => {
    let api: TestApi;
    let connection: Connection;
    let other: Connection;
    let secret: Connection;
    before(async () => {
      const opened = await database.open();
      api = await openTestApi(opened);
      const { organizationId } = await api.owner();
      const { body } = await api.call('POST', '/v1/collections', {
        body: { name: 'Books', readable_id: 'books' },
      });
      const library = libraryOn(opened, 'exact', organizationId);
      connection = await library.addConnection(body.id);
      other = await library.addConnection(body.id, 'files');
      secret = await library.addConnection(body.id, 'files');
      await library.put(body.id, connection, [
        at('a-root'),
        at('b-in-brand', 'brand'),
        at('c-in-old', 'brand', 'old'),
        at('d-in-old', 'brand', 'old'),
        { ...at('e-in-plans', 'plans'), access: hidden },
      ]);
      await library.put(body.id, other, [at('f-in-brand', 'brand')]);
      await library.put(body.id, secret, [{ ...at('g-root'), access: hidden }]);
      for (const one of [connection, other, secret]) await library.countTypes(one);
    });
    after(() => api.close());

    const get = async (path: string, query: Record<string, string> = {}, headers = {}) => {
      const search = new URLSearchParams(query);
      const url = `/v1/collections/books/contents${path}?${search}`;
      const { status, body } = await api.call('GET', url, { headers });
      assert.equal(status, 200, JSON.stringify(body));
      return body;
    };
    const shown = (answer: any) => ({
      path: answer.path.map(({ id }: { id: string }) => id),
      branches: answer.branches.map(({ id, records }: any) => [id, records]),
      items: answer.items.map(({ entity_id }: any) => entity_id),
    });
    const tree = async (below?: string, headers = {}) =>
      shown(
        await get(
          '/tree',
          { source_connection_id: connection.id, ...(below && { below }) },
          headers,
        ),
      );

    it('names the connections with records, and to a person those with a record that the person may see', async () => {
      const { source_connections } = await get('');
      assert.deepEqual(
        new Map(source_connections.map((one: any) => [one.id, [one.source_name, one.records]])),
        new Map([
          [connection.id, ['push', 5]],
          [other.id, ['files', 1]],
          [secret.id, ['files', 1]],
        ]),
      );
      const seen = (await get('', {}, AS_BOB)).source_connections;
      assert.deepEqual(
        new Map(seen.map((one: any) => [one.id, one.records])),
        new Map([
          [connection.id, null],
          [other.id, null],
        ]),
      );
    });

    it('lists the branches and records of each level, and the way to it', async () => {
      assert.deepEqual(await tree(), {
        path: [],
        branches: [
          ['brand', 3],
          ['plans', 1],
        ],
        items: ['a-root'],
      });
      assert.deepEqual(await tree('brand'), {
        path: ['brand'],
        branches: [['old', 2]],
        items: ['b-in-brand'],
      });
      assert.deepEqual(await tree('old'), {
        path: ['brand', 'old'],
        branches: [],
        items: ['c-in-old', 'd-in-old'],
      });
      assert.deepEqual(await tree('nothing'), { path: [], branches: [], items: [] });
    });

    it('shows a person no branch in which this person may see nothing', async () => {
      assert.deepEqual((await tree(undefined, AS_BOB)).branches, [['brand', 3]]);
      assert.deepEqual(await tree('plans', AS_BOB), { path: [], branches: [], items: [] });
    });

    it('comes in pages, which together have everything', async () => {
      const items: string[] = [];
      const branches = new Map<string, number>();
      for (let next: string | null = ''; next !== null; ) {
        const answer: any = await get('/tree', {
          ...{ source_connection_id: connection.id, limit: '1' },
          ...(next && { after: next }),
        });
        const page = shown(answer);
        items.push(...page.items);
        for (const [id, records] of page.branches)
          branches.set(id, (branches.get(id) ?? 0) + records);
        next = answer.next;
      }
      assert.deepEqual(items, ['a-root']);
      assert.deepEqual(
        branches,
        new Map([
          ['brand', 3],
          ['plans', 1],
        ]),
      );
    });

    it('lists only the records of a connection, and those below a breadcrumb', async () => {
      const listed = async (query: Record<string, string>) =>
        (await get('/list', query)).items.map(({ entity_id }: any) => entity_id).toSorted();
      assert.deepEqual(await listed({ source_connection_id: other.id }), ['f-in-brand']);
      assert.deepEqual(await listed({ below: 'brand' }), [
        ...['b-in-brand', 'c-in-old', 'd-in-old', 'f-in-brand'],
      ]);
      assert.deepEqual(await listed({ below: 'old', source_connection_id: other.id }), []);
    });

    it('answers 404 for a connection of another collection', async () => {
      const url = `/v1/collections/books/contents/tree?source_connection_id=${crypto.randomUUID()}`;
      const { status, body } = await api.call('GET', url);
      assert.deepEqual([status, body.code], [404, 'not_found']);
    });

    it('says of a record which job wrote it, from which connection it comes, and as of when it is true', async () => {
      const time = Date.parse('2026-01-02T03:04:05.000Z');
      await api.db
        .updateTable('connections')
        .set({ true_as_of: time })
        .where('id', '=', connection.id)
        .execute();
      const body = await get('/read', { id: `${connection.id}:a-root` });
      const row = await api.db
        .selectFrom('entities')
        .select(['id', 'sync_job_id', 'created_at', 'modified_at'])
        .where('entity_id', '=', 'a-root')
        .executeTakeFirstOrThrow();
      assert.equal(body.entity_record_id, row.id);
      assert.equal(body.sync_job_id, row.sync_job_id);
      assert.equal(body.source_connection_id, connection.id);
      assert.equal(Date.parse(body.first_written_at), row.created_at);
      assert.equal(Date.parse(body.last_written_at), row.modified_at);
      assert.equal(body.true_as_of, '2026-01-02T03:04:05.000Z');
      const never = await get('/read', { id: `${other.id}:f-in-brand` });
      assert.equal(never.true_as_of, null);
    });
  });
}
