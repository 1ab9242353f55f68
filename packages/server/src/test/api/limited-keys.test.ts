/** Asks every route of the OpenAPI document with keys that are limited to collections. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DATABASES } from '../databases.ts';
import {
  BODIES,
  belongings,
  collectionThings,
  OF_EVERYBODY,
  OF_SESSIONS,
  type Things,
} from './belongings.ts';
import { type Operation, readDocument } from './document.ts';
import { openTestApi, type TestApi } from './harness.ts';

/** A limited key may read these things, because they contain no collection. */
const SHARED = ['GET /v1/organizations/{id}', 'GET /v1/transformers/{id}'];
/** These routes concern more than one collection, or are for admins. A limited key is never an admin key. */
const REFUSED =
  /^\/v1\/(webhooks|api-keys|audit-events|auth-providers|members|auth\/sessions|organizations|transformers|backups|system)\b|\/(access|doctor|reindex|maintenance)\b/;

for (const database of DATABASES) {
  describe(`a key that is limited to a collection on ${database.name}`, () => {
    let api: TestApi;
    let operations: readonly Operation[];
    let mine: Things;
    let theirs: Things;
    let key: string;
    before(async () => {
      api = await openTestApi(await database.open());
      operations = (await readDocument(api)).operations.filter(({ needsKey }) => needsKey);
      const owner = await api.owner();
      mine = await collectionThings(api, owner, 'mine');
      theirs = await belongings(api, owner, 'theirs');
      key = await api.keyOf('member', { collections: ['mine'], search_as: true });
    });
    after(() => api.close());

    const withParams = () =>
      operations.filter(
        ({ path }) => path.includes('{') && !OF_EVERYBODY.includes(path) && !OF_SESSIONS.test(path),
      );
    const call = (method: Operation['method'], url: string, body?: unknown) =>
      api.call(method, url, { key, body });

    it('[KEY-33] every route refuses the key for another collection', async () => {
      assert.ok(withParams().length >= 40);
      for (const { method, path } of withParams()) {
        const name = `${method} ${path}`;
        const answer = await call(method, theirs.fill(path), BODIES[name]);
        const expected = SHARED.includes(name) ? 200 : REFUSED.test(path) ? 403 : 404;
        assert.equal(answer.status, expected, `${name}: ${JSON.stringify(answer.body)}`);
      }
      // The refused calls have deleted, changed, started and cancelled nothing.
      for (const { path } of withParams().filter(({ method }) => method === 'GET')) {
        const url = theirs.fill(path);
        assert.equal(
          (await api.call('GET', url)).status,
          200,
          `${url}: an admin cannot read it either`,
        );
      }
    });

    it('[KEY-33] the key reads its own collection on every route with an id', async () => {
      const own = withParams().filter(
        ({ method, path }) => method === 'GET' && !REFUSED.test(path),
      );
      assert.ok(own.length >= 10);
      for (const { path } of own) {
        const { status, body } = await call('GET', mine.fill(path));
        assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`);
      }
    });

    it('[KEY-33] lists show the key only its collection, and their totals count nothing else', async () => {
      const lists = operations.filter(
        ({ method, path }) => method === 'GET' && path.startsWith('/v1/') && !path.includes('{'),
      );
      assert.ok(lists.length >= 10);
      const { organizationId } = await api.owner();
      const outside = theirs.ids.filter((id) => id !== organizationId);
      for (const { path } of lists) {
        const { status, headers, body } = await call('GET', path);
        if (REFUSED.test(path) && !SHARED.includes(`GET ${path}/{id}`)) {
          assert.equal(status, 403, path);
          continue;
        }
        assert.equal(status, 200, path);
        const total = headers['x-total-count'];
        if (total !== undefined) assert.equal(Number(total), body.length, path);
        if (SHARED.includes(`GET ${path}/{id}`)) continue;
        for (const id of outside)
          assert.ok(!JSON.stringify(body).includes(id), `${path} shows ${id}`);
      }
      assert.equal((await call('GET', '/v1/collections/count')).body, 1);
      for (const path of ['collections', 'source-connections', 'sync/jobs', 'entities']) {
        const { body } = await call('GET', `/v1/${path}`);
        assert.ok(mine.ids.includes(body[0].id), path);
      }
      for (const status of ['completed', 'pending']) {
        const jobs = await call('GET', `/v1/sync/jobs?status=${status}&status=failed`);
        const expected = status === 'completed' ? 1 : 0;
        assert.deepEqual(
          [Number(jobs.headers['x-total-count']), jobs.body.length],
          [expected, expected],
        );
      }
    });

    it('[KEY-33] the key cannot name another collection in a filter or a body', async () => {
      for (const query of [
        'source-connections?collection=theirs',
        'entities?collection_readable_id=theirs',
        `entities?source_connection_id=${theirs.connection}`,
        `entities?collection_readable_id=mine&source_connection_id=${theirs.connection}`,
      ]) {
        const { status, body } = await call('GET', `/v1/${query}`);
        assert.deepEqual([status, body.code], [404, 'not_found'], query);
      }
      const connection = { name: 'Mine', short_name: 'push', readable_collection_id: 'theirs' };
      assert.equal((await call('POST', '/v1/source-connections', connection)).status, 404);
      const inside = { ...connection, readable_collection_id: 'mine' };
      const made = await call('POST', '/v1/source-connections', inside);
      assert.equal(made.status, 200);
      assert.equal((await call('DELETE', `/v1/source-connections/${made.body.id}`)).status, 200);
    });

    it('[KEY-33] the key can make no collection, and can change nothing that collections share', async () => {
      const refused =
        'this concerns the whole organization, and your key is limited to collections';
      const made = await call('POST', '/v1/collections', { name: 'More' });
      assert.deepEqual([made.status, made.body.detail], [403, refused]);
      const hook = { url: 'https://mine.example.com', event_types: ['sync.completed'] };
      const subscribed = await call('POST', '/v1/webhooks/subscriptions', hook);
      assert.deepEqual([subscribed.status, subscribed.body.detail], [403, refused]);
      for (const { method, path, description } of operations) {
        const isOpen = SHARED.includes(`${method} ${path}`) || !REFUSED.test(path);
        if (isOpen || description.endsWith('`admin`.')) continue;
        if (SHARED.includes(`${method} ${path}/{id}`)) continue;
        assert.match(description, /Refuses keys that are limited to collections\./, path);
      }
    });
  });

  describe(`the limit of a key on ${database.name}`, () => {
    let api: TestApi;
    before(async () => {
      api = await openTestApi(await database.open());
    });
    after(() => api.close());

    const collection = async (readable_id: string) => {
      const body = { name: 'Notes', readable_id };
      assert.equal((await api.call('POST', '/v1/collections', { body })).status, 200);
    };
    const namesAs = async (key: string): Promise<string[]> =>
      (await api.call('GET', '/v1/collections', { key })).body
        .map(({ readable_id }: { readable_id: string }) => readable_id)
        .toSorted();
    const shown = async (name: string) =>
      (await api.call('GET', '/v1/api-keys')).body.find(
        (one: { name: string }) => one.name === name,
      ).collections;

    it('[KEY-33] the limit may have several collections, is shown by their names, and stays after a rotation', async () => {
      for (const name of ['b', 'a', 'c']) await collection(name);
      const body = { name: 'two', role: 'read', collections: ['b', 'a', 'b'] };
      const { key, ...made } = (await api.call('POST', '/v1/api-keys', { body })).body;
      assert.deepEqual(
        [made.collections, await shown('two')],
        [
          ['a', 'b'],
          ['a', 'b'],
        ],
      );
      assert.deepEqual(await namesAs(key), ['a', 'b']);
      const { body: turned } = await api.call('POST', `/v1/api-keys/${made.id}/rotate`);
      assert.deepEqual(turned.collections, ['a', 'b']);
      assert.deepEqual(await namesAs(turned.key), ['a', 'b']);
      const { body: removed } = await api.call('DELETE', `/v1/api-keys/${made.id}`);
      assert.deepEqual(removed.collections, ['a', 'b']);
    });

    it('[KEY-33] the limit does not admit a new collection with the id of a deleted one', async () => {
      await collection('brief');
      const key = await api.keyOf('member', { name: 'brief', collections: ['brief'] });
      assert.equal((await api.call('DELETE', '/v1/collections/brief', { key })).status, 200);
      await collection('brief');
      assert.equal((await api.call('GET', '/v1/collections/brief', { key })).status, 404);
      assert.deepEqual([await namesAs(key), await shown('brief')], [[], []]);
      const { body } = await api.call('GET', '/v1/collections/count', { key });
      assert.equal(body, 0);
      for (const path of ['entities', 'sync/jobs', 'source-connections']) {
        const { status, headers } = await api.call('GET', `/v1/${path}`, { key });
        assert.deepEqual([status, headers['x-total-count']], [200, '0'], path);
      }
    });

    it('[KEY-33] a limit without collections admits no collection, instead of all', async () => {
      await collection('open');
      const key = await api.keyOf('read', { name: 'empty', collections: ['open'] });
      const set = { collection_ids: '[]' };
      await api.db.updateTable('api_keys').set(set).where('name', '=', 'empty').execute();
      assert.deepEqual([await namesAs(key), await shown('empty')], [[], []]);
      assert.equal((await api.call('GET', '/v1/collections/open', { key })).status, 404);
    });

    it('[KEY-33] the limit needs at least one collection of the organization, and an admin key cannot have a limit', async () => {
      await collection('there');
      const create = async (input: object) =>
        api.call('POST', '/v1/api-keys', { body: { name: 'limited', ...input } });
      const unknown = await create({ collections: ['there', 'nowhere'] });
      assert.deepEqual(
        [unknown.status, unknown.body.detail],
        [404, `collection 'nowhere' does not exist: GET /v1/collections lists them`],
      );
      const { key } = await api.stranger();
      const body = { name: 'Theirs', readable_id: 'abroad' };
      await api.call('POST', '/v1/collections', { body, key });
      assert.equal((await create({ collections: ['abroad'] })).status, 404);
      for (const input of [
        { collections: ['there'], role: 'admin' },
        { collections: [] },
        { collections: Array(101).fill('there') },
      ]) {
        const { status, body: answer } = await create(input);
        assert.deepEqual([status, answer.detail[0].loc], [422, ['body', 'collections']]);
      }
      const free = (await create({ collections: null })).body;
      assert.equal(free.collections, null);
      assert.ok((await namesAs(free.key)).includes('there'));
    });
  });
}
