/** Tests federated connections over the API: what they accept and refuse, and their status. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { SourceError } from '../../errors.ts';
import { push } from '../../sources/catalog/push.ts';
import { newId } from '../../util.ts';
import { DATABASES } from '../databases.ts';
import { book, federatedSource } from './federated-source.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';
import { testWorld, whole } from './source.ts';

for (const database of DATABASES)
  describe(`federated connections on ${database.name}`, () => {
    const { source, shelf } = federatedSource();
    const pulled = testWorld();
    let quarry: TestQuarry;
    let collection: string;
    before(async () => {
      const sources = [source, push, pulled.source].map((one) => [one.shortName, one] as const);
      quarry = await openTestQuarry(await database.open(), { sources: new Map(sources) });
    });
    after(() => quarry.close());
    beforeEach(async () => {
      Object.assign(shelf, { find: () => [], password: 'right', asked: [] });
      collection = (await quarry.ok('POST', '/v1/collections', { name: 'Anything' })).readable_id;
    });

    const credentials = (password = 'right') => ({ authentication: { credentials: { password } } });
    const create = (over: object = {}) =>
      quarry.call('POST', '/v1/source-connections', {
        name: 'A shelf',
        short_name: 'shelf',
        readable_collection_id: collection,
        ...credentials(),
        ...over,
      });
    const statusOf = async (path: string) => (await quarry.ok('GET', path)).status;
    const search = (query: string) =>
      quarry.ok('POST', `/v1/collections/${collection}/search`, { query });

    it('[FED-01] [FED-02] [CON-07] [SRC-12] [CON-37] a federated connection has no schedule and no jobs, and is ACTIVE', async () => {
      const { body, status } = await create();
      assert.equal(status, 200);
      assert.deepEqual(
        [body.federated_search, body.status, body.schedule.cron, body.schedule.next_run],
        [true, 'ACTIVE', null, null],
      );
      assert.deepEqual(await quarry.ok('GET', `/v1/source-connections/${body.id}/jobs`), []);
      shelf.find = () => [book('a')];
      await search('a');
      const later = await quarry.ok('GET', `/v1/source-connections/${body.id}`);
      assert.deepEqual(later.entities, { total_entities: 0, by_type: {} });
      const run = await quarry.call('POST', `/v1/source-connections/${body.id}/run`);
      assert.deepEqual([run.status, run.body.code], [422, 'not_pullable']);
      assert.match(run.body.detail[0].msg, /each search asks the source itself/);
      assert.deepEqual(await quarry.ok('POST', `/v1/collections/${collection}/refresh_all`), []);
      const type = await quarry.ok('GET', '/v1/sources/shelf');
      assert.deepEqual([type.federated_search, type.supports_continuous], [true, false]);
    });

    it('a federated connection refuses transformers and reprocessing, because it stores no records', async () => {
      const transformers = [{ transformer_id: newId(), config: {} }];
      const path = `/v1/source-connections/${(await create()).body.id}`;
      for (const { status, body } of [
        await create({ transformers }),
        await quarry.call('PATCH', path, { transformers }),
        await quarry.call('POST', `${path}/reprocess`),
      ])
        assert.deepEqual([status, body.code], [422, 'not_stored']);
    });

    it('[FED-01] [CON-36] a federated connection refuses every schedule, even one with `cron` null, and every push', async () => {
      for (const schedule of [{ cron: '0 3 * * *' }, { cron: null }]) {
        const refused = await create({ schedule });
        assert.equal(refused.status, 422);
        assert.equal(
          refused.body.detail[0].msg,
          'each search asks shelf itself, so this connection takes no schedule: leave schedule out',
        );
      }
      const { body } = await create();
      const url = `/v1/source-connections/${body.id}`;
      const patched = await quarry.call('PATCH', url, { schedule: { cron: '0 3 * * *' } });
      assert.equal(patched.status, 422);
      const pushed = await quarry.call('POST', `${url}/entities`, {
        entities: [{ entity_id: 'a', name: 'a', text: 'a' }],
      });
      assert.deepEqual([pushed.status, pushed.body.code], [422, 'not_pushable']);
      assert.match(pushed.body.detail[0].msg, /is searched live/);
    });

    it('[COL-22] [FED-02] a collection is ACTIVE while the credentials of its federated connection work', async () => {
      const place = `/v1/collections/${collection}`;
      assert.equal(await statusOf(place), 'NEEDS_SOURCE');
      const { id } = (await create()).body;
      assert.equal(await statusOf(place), 'ACTIVE');
      const [listed] = await quarry.ok('GET', `/v1/collections?search=${collection}`);
      assert.equal(listed.status, 'ACTIVE');

      shelf.password = 'another';
      const { metadata } = await search('anything');
      assert.deepEqual(metadata.federated, [
        {
          source_connection_id: id,
          source_name: 'shelf',
          status: 'failed',
          results: 0,
          message: 'the shelf answered: wrong password',
        },
      ]);
      assert.equal(await statusOf(`/v1/source-connections/${id}`), 'NEEDS_REAUTH');
      assert.equal(await statusOf(place), 'NEEDS_SOURCE');

      // The source is not asked again until new credentials are set.
      shelf.asked = [];
      const again = await search('anything');
      assert.match(again.metadata.federated[0].message, /set new ones/);
      assert.deepEqual(shelf.asked, []);
      await quarry.ok('PATCH', `/v1/source-connections/${id}`, credentials('another'));
      assert.equal(await statusOf(`/v1/source-connections/${id}`), 'ACTIVE');
      assert.equal(await statusOf(place), 'ACTIVE');
      assert.equal((await search('anything')).metadata.federated[0].status, 'answered');
    });

    it('[COL-22] a collection with a federated connection is ACTIVE although the sync of another connection failed', async () => {
      pulled.world.items = [
        () => {
          throw new Error('broken');
        },
      ];
      const { id } = (await create({ short_name: 'world' })).body;
      await quarry.settled(id);
      assert.equal(await statusOf(`/v1/collections/${collection}`), 'ERROR');
      await create();
      assert.equal(await statusOf(`/v1/collections/${collection}`), 'ACTIVE');
      pulled.world.items = whole();
    });

    it('a request with refused credentials or invalid settings answers 422 and saves nothing', async () => {
      const refused = await create(credentials('wrong'));
      assert.deepEqual([refused.status, refused.body.code], [422, 'credentials_refused']);
      assert.equal((await create({ config: { part: 1 } })).status, 422);
      const list = await quarry.ok('GET', `/v1/source-connections?collection=${collection}`);
      assert.deepEqual(list, []);
    });

    it('a search shows nothing of a connection that is deleted while the search waits for its answer', async () => {
      const { id } = (await create()).body;
      shelf.find = async () => {
        await quarry.ok('DELETE', `/v1/source-connections/${id}`);
        return [book('a')];
      };
      const { results, metadata } = await search('a');
      assert.deepEqual([results, metadata.federated], [[], undefined]);
    });

    it('a refusal of the old credentials does not count against new ones that arrived meanwhile', async () => {
      const { id } = (await create()).body;
      const asked = Promise.withResolvers<void>();
      const renewed = Promise.withResolvers<void>();
      shelf.find = async () => {
        asked.resolve();
        await renewed.promise;
        throw new SourceError('auth', 'the shelf answered: the old password');
      };
      const searching = search('a');
      await asked.promise;
      await quarry.ok('PATCH', `/v1/source-connections/${id}`, credentials('right'));
      renewed.resolve();
      assert.equal((await searching).metadata.federated[0].status, 'failed');
      assert.equal(await statusOf(`/v1/source-connections/${id}`), 'ACTIVE');
    });
  });
