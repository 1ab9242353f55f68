/** Tests a change of `config_schema` while connections have configurations for it. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ConfiguredConnection, createFit } from '../../transformers/fit.ts';
import { lock } from '../../transformers/store.ts';
import { page, whole } from '../app/source.ts';
import { DATABASES } from '../databases.ts';
import { isLeftToSqlite } from '../tier.ts';
import { until } from '../until.ts';
import { counts, openShop, type Shop } from './shop.ts';

const words = (...allowed: string[]) => ({ properties: { word: { enum: allowed } } });

for (const database of DATABASES) {
  describe(`a changed config_schema of a transformer on ${database.name}`, () => {
    let shop: Shop;
    let collection: string;
    let id: string;
    before(async () => {
      shop = await openShop(await database.open());
    });
    after(() => shop.close());
    beforeEach(async () => {
      shop.world.items = whole(page('a'));
      collection = await shop.collection();
      id = await shop.transformer('suffix', { config_schema: words('a', 'b') });
    });

    const connect = (word: string, more: object = {}) =>
      shop.connect(collection, [{ transformer_id: id, config: { word } }], more);
    const change = (config_schema: object) =>
      shop.call('PUT', `/v1/transformers/${id}`, { config_schema });
    const schemaNow = async () =>
      (await shop.ok('GET', `/v1/transformers/${id}`)).config_schema as object;
    async function refused(schema: object, message: RegExp): Promise<string> {
      const asItWas = await shop.ok('GET', `/v1/transformers/${id}`);
      const { status, body } = await change(schema);
      assert.equal(status, 409, JSON.stringify(body));
      assert.match(body.detail, message);
      assert.deepEqual(await shop.ok('GET', `/v1/transformers/${id}`), asItWas);
      return body.detail;
    }

    it('[TRF-11] is refused, and names the connection whose configuration does not conform', async () => {
      const connection = await connect('a', { name: 'Orders' });
      await connect('b', { name: 'Letters' });
      const detail = await refused(words('b'), /'Orders' \(word must be equal to one of/);
      assert.ok(!detail.includes('Letters'));
      const job = await shop.sync(connection);
      assert.deepEqual([job.status, counts(job)], ['completed', [1, 0, 0, 0, 0, 0]]);
    });

    it('[TRF-11] is refused because of one connection among many, and the message names at most ten', async () => {
      for (let i = 0; i < 24; i++) await connect('a');
      await connect('b', { name: 'The last' });
      await refused(words('a'), /have configured: 'The last' \([^']*\)\. Let/);
      assert.equal((await refused(words('b'), /and others\./)).split("'The world'").length - 1, 10);
    });

    it('[TRF-11] during the creation of a connection makes that creation a 409', async () => {
      shop.world.onCheck = async () => {
        assert.equal((await change(words('b'))).status, 200);
      };
      const { status, body } = await shop.call('POST', '/v1/source-connections', {
        name: 'Late',
        short_name: 'world',
        readable_collection_id: collection,
        authentication: { credentials: { password: 'right' } },
        transformers: [{ transformer_id: id, config: { word: 'a' } }],
      });
      assert.deepEqual(
        [status, body.detail],
        [409, 'a transformer was changed in the meantime; try again'],
      );
      const listed = await shop.ok('GET', `/v1/source-connections?collection=${collection}`);
      assert.deepEqual(listed, []);
    });

    it('[TRF-11] during the change of a connection makes that change a 409', async () => {
      const connection = await connect('b');
      shop.world.onCheck = async () => {
        assert.equal((await change(words('b'))).status, 200);
      };
      const { status } = await shop.call('PATCH', `/v1/source-connections/${connection}`, {
        authentication: { credentials: { password: 'right' } },
        transformers: [{ transformer_id: id, config: { word: 'a' } }],
      });
      assert.equal(status, 409);
      const { transformers } = await shop.ok('GET', `/v1/source-connections/${connection}`);
      assert.deepEqual(transformers[0].config, { word: 'b' });
    });

    it('[TRF-11] is refused because of a connection that was changed after the first check', async () => {
      const connection = await connect('b');
      const [{ id: organizationId }] = await shop.ok('GET', '/v1/organizations');
      const looks = () => process.getActiveResourcesInfo().includes('ProcessWrap') || undefined;
      let changed: ReturnType<typeof change> | undefined;
      await shop.db.transaction().execute(async (tx) => {
        await lock(tx, organizationId, [id]);
        const transformers = JSON.stringify([{ transformer_id: id, config: { word: 'a' } }]);
        const row = tx.updateTable('connections').set({ transformers });
        await row.where('id', '=', connection).execute();
        changed = change(words('b'));
        await until(async () => looks());
        await until(async () => !looks() || undefined);
        // The first check does not see this open transaction. The change then waits for it.
        await sleep(200);
      });
      assert.equal((await changed)?.status, 409);
      assert.deepEqual(await schemaNow(), words('a', 'b'));
    });

    if (isLeftToSqlite(database)) return;

    it('[TRF-11] is accepted when the configurations of all connections conform', async () => {
      const connection = await connect('a');
      assert.equal((await change(words('a'))).status, 200);
      assert.deepEqual(await schemaNow(), words('a'));
      assert.deepEqual(counts(await shop.sync(connection)), [1, 0, 0, 0, 0, 0]);
    });

    it('[TRF-11] ignores deleted connections and the configurations of other transformers', async () => {
      const deleted = await connect('a');
      await shop.ok('DELETE', `/v1/source-connections/${deleted}`);
      const other = await shop.transformer('suffix');
      await shop.connect(collection, [
        { transformer_id: other, config: { word: 'a' } },
        { transformer_id: id, config: { word: 'b' } },
      ]);
      assert.equal((await change(words('b'))).status, 200);
    });

    it('does not matter for a change of the name, even if a stored configuration does not conform', async () => {
      await connect('a');
      const config_schema = JSON.stringify(words('b'));
      const row = shop.db.updateTable('transformers').set({ config_schema }).where('id', '=', id);
      await row.execute();
      await shop.ok('PUT', `/v1/transformers/${id}`, {
        name: 'Renamed',
        config_schema: words('b'),
      });
      await refused(words('b', 'c'), /'The world'/);
    });
  });
}

describe('the check of configurations against a schema', () => {
  const using = (name: string, word: unknown): ConfiguredConnection => ({
    name,
    transformers: [{ transformer_id: 't', config: { word } }],
  });
  async function* pages(...users: ConfiguredConnection[]) {
    yield users;
  }

  it('is repeated for a configuration that has changed since the last check', async () => {
    const misfitsAmong = createFit('t', words('a'));
    const { signal } = new AbortController();
    assert.deepEqual(await misfitsAmong(pages(using('One', 'a')), signal), []);
    const found = await misfitsAmong(pages(using('One', 'b'), using('Two', 'a')), signal);
    assert.deepEqual(
      found.map(({ name }) => name),
      ['One'],
    );
  });

  it('stops when its signal aborts', async () => {
    const misfitsAmong = createFit('t', words('a'));
    await assert.rejects(misfitsAmong(pages(using('One', 'a')), AbortSignal.abort()), {
      name: 'AbortError',
    });
  });
});
