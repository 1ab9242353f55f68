import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openTestApi, type TestApi } from '../api/harness.ts';
import { DATABASES } from '../databases.ts';
import { type Connection, type Doc, libraryOn } from '../search/library.ts';

const TEAM = { viewers: ['group:team'], isPublic: false };
const MATE = { 'x-principals': 'user:mate@example.com' };

/** The records are more than one batch, so that pages and statements end at different places. */
const PAGES: readonly Doc[] = Array.from({ length: 230 }, (_, i) => ({
  id: `page/${String(i).padStart(3, '0')}`,
  name: `Page ${i}`,
  type: 'Page',
  text: `Line one of page ${i}.\nThe code is A-${i * 7}.`,
  fields: { chapter: Math.floor(i / 100) },
}));

for (const database of DATABASES) {
  describe(`contents on ${database.name}`, () => {
    let api: TestApi;
    let connection: Connection;
    let other: Connection;

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
      await library.put(body.id, connection, PAGES);
      await library.put(body.id, other, [
        {
          id: 'twin',
          type: 'Note',
          name: 'A twin',
          text: 'The code is B-1, among files.',
          url: 'https://files.example.com/twin',
          breadcrumbs: [{ id: 'f', name: 'Folder', type: 'Folder' }],
          createdAt: '2025-01-01T00:00:00.000Z',
          updatedAt: '2025-02-03T04:05:06.000Z',
        },
        {
          id: 'team',
          type: 'Plan',
          text: 'The code is SECRET-1.',
          access: TEAM,
          fields: { plan: 1 },
        },
        {
          id: 'long',
          type: 'Note',
          text: Array(400).fill('A paragraph of a long note.').join('\n\n'),
        },
        { id: 'odd__chunk_1', type: 'Note', text: 'Its name looks like that of a chunk.' },
      ]);
      await library.put(body.id, connection, [{ id: 'twin', text: 'The other twin.' }]);
      for (const one of [connection, other]) {
        await library.countTypes(one);
        await library.countFields(one);
      }
    });
    after(() => api.close());

    const get = (path: string, query: Record<string, string> = {}, headers = {}) =>
      api.call('GET', `/v1/collections/books/contents${path}?${new URLSearchParams(query)}`, {
        headers,
      });
    const grep = (body: object, headers = {}) =>
      api.call('POST', '/v1/collections/books/contents/grep', { body, headers });

    it('says what is there, and to a person nothing of what that person may not see', async () => {
      const { body } = await get('');
      assert.deepEqual(body.source_names, ['files', 'push']);
      assert.deepEqual(body.metadata_fields, ['metadata.chapter', 'metadata.plan']);
      const seen = await get('', {}, MATE);
      const types = seen.body.entity_types.map((type: { entity_type: string }) => type.entity_type);
      assert.deepEqual(types, ['Note', 'Page']);
      assert.deepEqual(seen.body.source_names, ['files', 'push']);
      assert.ok(seen.body.entity_types.every(({ count }: { count: unknown }) => count === null));
      assert.ok(!seen.body.metadata_fields.includes('metadata.plan'));
    });

    it('lists every record once, whatever the pages', async () => {
      for (const limit of ['37', '200', '1000']) {
        const names: string[] = [];
        for (let next: string | null = ''; next !== null; ) {
          const { body } = await get('/list', { limit, ...(next && { after: next }) });
          assert.ok(body.items.length <= Number(limit));
          names.push(...body.items.map(({ id }: { id: string }) => id));
          next = body.next;
        }
        assert.equal(names.length, PAGES.length + 5);
        assert.equal(new Set(names).size, names.length);
      }
    });

    it('lists what a name, a type or a source narrows it to, and what a person may see', async () => {
      const names = async (query: Record<string, string>, headers = {}) =>
        (await get('/list', query, headers)).body.items.map(({ name }: { name: string }) => name);
      assert.deepEqual(await names({ name: 'PAGE 22' }), ['Page 22', ...ten('Page 22')]);
      assert.deepEqual(await names({ entity_type: 'Plan' }), ['team']);
      assert.equal((await names({ source_name: 'files' })).length, 4);
      assert.deepEqual(await names({ entity_type: 'Plan' }, MATE), []);
      assert.deepEqual(await names({ entity_type: 'Plan' }, { 'x-principals': 'group:team' }), [
        'team',
      ]);
    });

    it('shows of a record what a search shows of it', async () => {
      const twin = {
        id: `${other.id}:twin`,
        entity_id: 'twin',
        name: 'A twin',
        entity_type: 'Note',
        source_name: 'files',
        breadcrumbs: ['Folder'],
        url: 'https://files.example.com/twin',
        updated_at: '2025-02-03T04:05:06.000Z',
        true_as_of: null,
      };
      assert.deepEqual((await get('/list', { name: 'a twin' })).body.items, [twin]);
      const { body } = await grep({ pattern: 'B-1', source_name: 'files', entity_type: 'Note' });
      const line = 'The code is B-1, among files.';
      assert.deepEqual(body.records, [{ ...twin, lines: [{ position: 0, line }] }]);
      const notes = await Promise.all(
        ['twin', 'long', 'odd__chunk_1'].map((id) => get('/read', { id: `${other.id}:${id}` })),
      );
      const chunks = notes.map((note) => note.body.total_chunks);
      assert.equal(
        body.searched,
        chunks.reduce((sum, count) => sum + count, 0),
      );
    });

    it('reads by every id that is shown', async () => {
      const id = `${connection.id}:page/007`;
      for (const one of [id, 'page/007', 'page/007__chunk_0', `${id}__chunk_0`]) {
        const { status, body } = await get('/read', { id: one });
        assert.equal(status, 200, one);
        assert.equal(body.id, id);
        assert.match(body.chunks[0].text, /The code is A-49/);
        assert.equal(body.total_chunks, 1);
        assert.deepEqual(body.metadata, { chapter: 0 });
      }
      const odd = await get('/read', { id: 'odd__chunk_1' });
      assert.equal(odd.body.entity_id, 'odd__chunk_1');
    });

    it('reads a part of a long one', async () => {
      const whole = (await get('/read', { id: 'long' })).body;
      assert.ok(whole.total_chunks > 3);
      assert.equal(whole.chunks.length, whole.total_chunks);
      const { body } = await get('/read', { id: 'long', from: '1', limit: '2' });
      assert.deepEqual(body.chunks, whole.chunks.slice(1, 3));
      assert.equal(body.total_chunks, whole.total_chunks);
    });

    it('reads nothing that may not be seen or is not there', async () => {
      for (const id of ['team', `${other.id}:team`, 'team__chunk_0']) {
        assert.equal((await get('/read', { id })).status, 200);
        assert.equal((await get('/read', { id }, MATE)).status, 404);
      }
      for (const id of ['never', `${connection.id}:team`])
        assert.equal((await get('/read', { id })).status, 404);
      const { status, body } = await get('/read', { id: 'twin' });
      assert.equal(status, 409);
      assert.match(body.detail, new RegExp(`${connection.id}:twin`));
      assert.equal((await get('/read', { id: `${other.id}:twin` })).body.name, 'A twin');
    });

    it('greps lines, in pages, under the filter and the access of the asker', async () => {
      const found: string[] = [];
      for (let next: string | undefined; found.length < 1000; ) {
        const { body } = await grep({
          pattern: String.raw`^The code is [A-Z]+-\d+`,
          limit: 50,
          after: next,
        });
        found.push(...linesIn(body));
        if (body.next === null) break;
        next = body.next;
      }
      assert.equal(new Set(found).size, PAGES.length + 2);
      const lines = async (body: object, headers = {}) => linesIn((await grep(body, headers)).body);
      assert.deepEqual(await lines({ pattern: 'secret' }), []);
      assert.deepEqual(await lines({ pattern: 'secret', ignore_case: true }), [
        'The code is SECRET-1.',
      ]);
      assert.deepEqual(await lines({ pattern: 'SECRET' }, MATE), []);
      const filter = { must: [{ key: 'metadata.chapter', match: { value: 2 } }] };
      assert.equal((await lines({ pattern: 'code', filter })).length, 30);
      assert.equal((await lines({ pattern: 'code', source_name: 'files' })).length, 2);
      assert.deepEqual(await lines({ pattern: 'code', entity_type: 'Note' }), [
        'The code is B-1, among files.',
      ]);
    });

    it('goes on within a record that has more lines than a page', async () => {
      const positions: number[] = [];
      for (let next: string | undefined; positions.length < 1000; ) {
        const { body } = await grep({ pattern: 'paragraph', limit: 1, after: next });
        for (const { lines } of body.records)
          positions.push(
            ...new Set<number>(lines.map((line: { position: number }) => line.position)),
          );
        if (body.next === null) break;
        next = body.next;
      }
      const { total_chunks } = (await get('/read', { id: 'long' })).body;
      assert.deepEqual(positions, [...Array(total_chunks).keys()]);
    });

    it('refuses what is no expression, no cursor and no filter', async () => {
      for (const body of [
        { pattern: '(' },
        { pattern: '' },
        { pattern: String.raw`(a)\1` },
        { pattern: '((a{1000}){1000}){1000}' },
        // Each passage would take seconds with this pattern, during which no other caller gets an answer.
        { pattern: `${'[a-z]{0,1000}'.repeat(35)}[0-9]` },
        { pattern: 'a', after: 'x' },
        { pattern: 'a', filter: { must: [{ key: 'nothing', match: { value: 1 } }] } },
      ])
        assert.equal((await grep(body)).status, 422, JSON.stringify(body));
      assert.equal((await get('/list', { after: 'bm90aGluZw' })).status, 422);
    });

    it('[GEN-14] [ENT-25] a cursor says nothing, and is taken from nobody else', async () => {
      const { body } = await get('/list', { limit: '1' });
      const cursor: string = body.next;
      for (const name of ['page/000', connection.id, other.id]) {
        assert.ok(!cursor.includes(name));
        assert.ok(!Buffer.from(cursor.split('.').at(-1)!, 'base64url').includes(name));
      }
      await api.call('POST', '/v1/collections', {
        body: { name: 'Elsewhere', readable_id: 'elsewhere' },
      });
      const foreign = `/v1/collections/elsewhere/contents/list?after=${cursor}`;
      assert.equal((await api.call('GET', foreign)).status, 422);
      const plain = Buffer.from(JSON.stringify([connection.id, 'a', 0])).toString('base64url');
      for (const forged of [
        plain,
        `v1.${plain}`,
        `${cursor.slice(0, -3)}AAA`,
        cursor.slice(0, 40),
      ]) {
        assert.equal((await get('/list', { after: forged })).status, 422, forged);
        assert.equal((await grep({ pattern: 'a', after: forged })).status, 422, forged);
      }
    });

    it('[GEN-14] numbers and names that no record has are no fault of ours', async () => {
      for (const from of [2 ** 31 - 1, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
        const { status, body } = await get('/read', { id: 'long', from: String(from) });
        assert.deepEqual([status, body.chunks], [200, []], `${from}`);
      }
    });

    it('an expression that others take for ever for is soon done', async () => {
      const { status, body } = await grep({ pattern: '^(([A-Za-z]+ ?)+)+$', entity_type: 'Note' });
      assert.equal(status, 200);
      assert.equal(body.next, null);
    });

    it('shows nothing of a hidden record, and lists none that is not listed', async () => {
      const twin = { id: `${other.id}:twin` };
      const found = async () => [
        (await get('/list', { name: 'a twin' })).body.items.length,
        (await get('/read', twin)).status,
        (await grep({ pattern: 'B-1' })).body.records.length,
      ];
      const entity = api.db
        .updateTable('entities')
        .where('connection_id', '=', other.id)
        .where('entity_id', '=', 'twin');
      try {
        await entity.set({ is_listed: false }).execute();
        assert.deepEqual(await found(), [0, 200, 1]);
        await entity.set({ is_listed: true, is_hidden: true }).execute();
        assert.deepEqual(await found(), [0, 404, 0]);
      } finally {
        await entity.set({ is_listed: true, is_hidden: false }).execute();
      }
    });

    it('shows nothing of a connection that was deleted', async () => {
      const now = { deleted_at: Date.now() };
      const connections = api.db.updateTable('connections').where('id', '=', other.id);
      await connections.set(now).execute();
      try {
        assert.deepEqual((await grep({ pattern: 'B-1' })).body.records, []);
        assert.equal((await get('/read', { id: 'long' })).status, 404);
        assert.deepEqual((await get('/list', { source_name: 'files' })).body.items, []);
        assert.deepEqual((await get('')).body.source_names, ['push']);
      } finally {
        await connections.set({ deleted_at: null }).execute();
      }
    });
  });
}

const ten = (name: string) => Array.from({ length: 10 }, (_, i) => `${name}${i}`);

const linesIn = ({ records }: { records: { lines: { line: string }[] }[] }) =>
  records.flatMap(({ lines }) => lines.map(({ line }) => line));
