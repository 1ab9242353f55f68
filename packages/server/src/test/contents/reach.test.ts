/**
 * Tests which records of which connections are read: those of the collection that the asker may see, and no
 * others.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { newId } from '../../util.ts';
import { openTestApi, type TestApi } from '../api/harness.ts';
import { DATABASES } from '../databases.ts';
import { type Connection, type Library, libraryOn } from '../search/library.ts';

const ANN = { 'x-principals': 'user:ann@example.com' };
const TEAM = { viewers: ['group:team'], isPublic: false };

for (const database of DATABASES)
  describe(`the reach of contents on ${database.name}`, () => {
    let api: TestApi;
    let library: Library;
    let [shelf, drawer]: Connection[] = [];
    let books: string;

    before(async () => {
      const opened = await database.open();
      api = await openTestApi(opened);
      const { organizationId } = await api.owner();
      library = libraryOn(opened, 'exact', organizationId);
      books = await collection('books');
      [shelf, drawer] = [await library.addConnection(books), await library.addConnection(books)];
      const others = await collection('others');
      const elsewhere = await library.addConnection(others);
      await library.put(books, shelf!, [
        { id: 'page', type: 'Page', text: 'A page.' },
        { id: 'odd', type: 'Page', text: 'The odd one.' },
        { id: 'odd__chunk_1', type: 'Page', text: 'Named like its chunk.' },
        { id: 'twin', type: 'Page', text: 'The twin of the shelf.' },
        { id: 'even', type: 'Page', text: 'The even one.' },
        { id: 'even__chunk_1', type: 'Page', text: 'Named like its chunk.', access: TEAM },
      ]);
      await library.put(books, drawer!, [
        { id: 'twin', type: 'Page', text: 'The twin of the drawer.', access: TEAM },
      ]);
      await library.put(others, elsewhere, [
        { id: 'plan', type: 'Plan', text: 'A plan.', fields: { budget: 1 } },
      ]);
      const count = (connection: Connection, entity_type: string, count: number) => ({
        connection_id: connection.id,
        entity_type,
        count,
        listed: count,
      });
      await api.db
        .insertInto('entity_counts')
        .values([
          count(shelf!, 'Page', 6),
          count(drawer!, 'Page', 1),
          count(shelf!, 'Gone', 0),
          count(elsewhere, 'Plan', 1),
        ])
        .execute();
    });
    after(() => api.close());

    async function collection(readable_id: string): Promise<string> {
      const given = { body: { name: readable_id, readable_id } };
      return (await api.call('POST', '/v1/collections', given)).body.id;
    }

    const get = (path: string, headers = {}, of = 'books') =>
      api.call('GET', `/v1/collections/${of}/contents${path}`, { headers });
    const grep = (body: object, of = 'books') =>
      api.call('POST', `/v1/collections/${of}/contents/grep`, { body });
    const textOf = async (id: string, headers = {}) => {
      const { status, body } = await get(`/read?id=${id}`, headers);
      return status === 200 ? body.chunks[0].text : status;
    };

    it('says what the collection holds now, and nothing of another one', async () => {
      const { body } = await get('');
      assert.deepEqual(body.entity_types, [{ entity_type: 'Page', count: 7 }]);
      assert.deepEqual(body.metadata_fields, []);
      const { body: seen } = await get('', ANN);
      assert.deepEqual(seen.entity_types, [{ entity_type: 'Page', count: null }]);
      assert.deepEqual(seen.metadata_fields, []);
    });

    it('[ENT-25] names to a person no source, type or field of what that person may not see, however much of it there is', async () => {
      const files = await collection('files');
      const seen = await library.addConnection(files, 'files');
      const hidden = await library.addConnection(files, 'vault');
      const access = (user: string) => ({ viewers: [`user:${user}@example.com`], isPublic: false });
      const secret = { type: 'Ledger', text: 'A secret.', access: access('bob') };
      await library.put(files, seen, [
        { id: 'open', type: 'Page', text: 'A page.', fields: { open: 1 } },
        {
          id: 'hers',
          type: 'Letter',
          text: 'A letter.',
          access: access('ann'),
          fields: { hers: 1 },
        },
      ]);
      await library.put(files, hidden, [{ id: 'vault', ...secret }]);
      // Hidden records must not take the places of visible ones.
      const many = Array.from({ length: 60 }, (_, i) => ({
        id: `h${i}`,
        ...secret,
        fields: { his: 1 },
      }));
      await library.put(files, seen, many);
      for (const one of [seen, hidden]) {
        await library.countTypes(one);
        await library.countFields(one);
      }
      const told = async (headers = {}) => {
        const { body } = await get('', headers, 'files');
        const types = body.entity_types.map(
          ({ entity_type }: { entity_type: string }) => entity_type,
        );
        return [body.source_names, types, body.metadata_fields];
      };
      const named = (...fields: string[]) => fields.map((field) => `metadata.${field}`);
      assert.deepEqual(await told(), [
        ['files', 'vault'],
        ['Ledger', 'Letter', 'Page'],
        named('hers', 'his', 'open'),
      ]);
      assert.deepEqual(await told(ANN), [['files'], ['Letter', 'Page'], named('hers', 'open')]);
      assert.deepEqual(await told({ 'x-principals': 'user:nobody' }), [
        ['files'],
        ['Page'],
        named('open'),
      ]);
    });

    it('of a collection without connections there is nothing', async () => {
      await collection('empty');
      const { body } = await get('', {}, 'empty');
      assert.deepEqual([body.source_names, body.entity_types, body.metadata_fields], [[], [], []]);
      assert.deepEqual((await get('/list', {}, 'empty')).body, { items: [], next: null });
      assert.equal((await get('/read?id=page', {}, 'empty')).status, 404);
      const { body: found } = await grep({ pattern: '.' }, 'empty');
      assert.deepEqual(found, { records: [], searched: 0, looked_at: 1, next: null });
    });

    it('a connection that is not there has no records', async () => {
      assert.equal(await textOf(`${newId()}:page`), 404);
    });

    it('an id means the record that has it, and only else the chunk of another one', async () => {
      assert.equal(await textOf('odd__chunk_1'), 'Named like its chunk.');
      assert.equal(await textOf('odd__chunk_0'), 'The odd one.');
    });

    it('an id means what is seen: it tells nobody of a record that is not', async () => {
      assert.equal(await textOf('twin'), 409);
      assert.equal(await textOf('twin', ANN), 'The twin of the shelf.');
      assert.equal(await textOf('even__chunk_1'), 'Named like its chunk.');
      assert.equal(await textOf('even__chunk_1', ANN), 'The even one.');
    });

    it('a page of lines ends with the chunk that has the last one', async () => {
      const { body } = await grep({ pattern: 'twin', limit: 1 });
      assert.equal(body.records.length, 1);
      const { body: rest } = await grep({ pattern: 'twin', limit: 1, after: body.next });
      assert.equal(rest.records.length, 1);
      assert.notEqual(rest.records[0].id, body.records[0].id);
    });

    it('chunks come in their order, not in that in which they were stored', async () => {
      const text = Array(100).fill('A paragraph of a long note.').join('\n\n');
      await library.put(books, shelf!, [{ id: 'long', text }]);
      const { id } = await api.db
        .selectFrom('entities')
        .select('id')
        .where('entity_id', '=', 'long')
        .executeTakeFirstOrThrow();
      const { body: before } = await get('/read?id=long');
      assert.ok(before.total_chunks > 1);
      await api.db
        .updateTable('chunks')
        .set({ position: sql`${before.total_chunks - 1} - position` })
        .where('entity', '=', id)
        .execute();
      const { body } = await get('/read?id=long');
      const texts = before.chunks.map(({ text }: { text: string }) => text).reverse();
      assert.deepEqual(
        body.chunks.map(({ position, text }: { position: number; text: string }) => [
          position,
          text,
        ]),
        texts.map((text: string, position: number) => [position, text]),
      );
      const positions: number[] = [];
      for (let next: string | undefined; positions.length <= texts.length; ) {
        const { body: page } = await grep({ pattern: '^A paragraph', limit: 1, after: next });
        for (const { lines } of page.records) positions.push(lines[0].position);
        if (page.next === null) break;
        next = page.next;
      }
      assert.deepEqual(positions, [...texts.keys()]);
    });
  });
