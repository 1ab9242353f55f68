/** Tests the rows of a shop through the whole service: what a search finds, and how the rows are counted. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { definitionId } from '../../sources/definitions.ts';
import { must } from '../../util.ts';
import { openTestQuarry, type TestQuarry } from '../app/quarry.ts';
import { DATABASES } from '../databases.ts';
import { type Credentials, openPeer, type PostgresPeer } from './postgres-peer.ts';

const SHOP = `
      create table customers (id int primary key, name text, city text);
      create table products (id int primary key, sku text unique, name text, price numeric(10, 2));
      create table orders (id int primary key, number text, customer_id int references customers, placed date,
        status text);
      create table order_lines (id int primary key, order_id int references orders,
        product_id int references products, quantity int, price numeric(10, 2));
      insert into customers select i, (array['Ann Miller', 'Bob Stone', 'Cy Young'])[i], 'Bergen'
        from generate_series(1, 3) i;
      insert into products select i, 'SKU-' || lpad(i::text, 5, '0'),
        (array['blue', 'red', 'green', 'white'])[1 + i % 4] || ' ' ||
        (array['lamp', 'chair', 'table', 'shelf', 'rug'])[1 + i % 5], i * 1.25 from generate_series(1, 60) i;
      insert into orders select 1000 + i, 'SO-' || 7000 + i, 1 + i % 3, date '2026-01-01' + i,
        (array['open', 'shipped', 'returned'])[1 + i % 3] from generate_series(1, 40) i;
      insert into order_lines select i, 1000 + 1 + i % 40, 1 + i % 60, 1 + i % 5, (1 + i % 60) * 1.25
        from generate_series(1, 160) i;`;
const COUNTS = { customers: 3, order_lines: 160, orders: 40, products: 60 };

describe('the rows of a shop', () => {
  let peer: PostgresPeer;
  let quarry: TestQuarry;
  let credentials: Credentials;
  let connection: string;
  before(async () => {
    peer = await openPeer();
    quarry = await openTestQuarry(await must(DATABASES[0]).open());
    credentials = await peer.schema(SHOP);
    await quarry.ok('POST', '/v1/collections', { name: 'Shop', readable_id: 'shop' });
    ({ id: connection } = await connect());
    await quarry.settled(connection);
  });
  after(async () => {
    await quarry?.close();
    await peer.close();
  });

  const connect = () =>
    quarry.ok('POST', '/v1/source-connections', {
      name: 'Shop',
      short_name: 'postgresql',
      readable_collection_id: 'shop',
      authentication: { credentials },
      schedule: { cron: null },
    });
  const search = async (query: string, more: object = {}) =>
    (await quarry.ok('POST', '/v1/collections/shop/search', { query, limit: 20, ...more })).results;

  it('a question about a row finds that row first, before rows that only refer to it', async () => {
    for (const retrieval_strategy of ['hybrid', 'keyword']) {
      const [price] = await search('the price of SKU-00042', { retrieval_strategy });
      assert.equal(price.entity_id, 'products:42__chunk_0', retrieval_strategy);
      assert.match(price.md_content, /\*\*price\*\*: 52\.50/);
      for (const query of [
        'order SO-7017',
        'status of order SO-7017',
        'SO-7017 order of Cy Young',
      ]) {
        const [order, ...others] = await search(query, { retrieval_strategy });
        assert.equal(order.entity_id, 'orders:1017__chunk_0', `${retrieval_strategy}: ${query}`);
        assert.match(order.md_content, /\*\*status\*\*: /);
        // The search also finds the lines of the order, because their text names the order.
        const ids = others.map(
          ({ metadata }: { metadata: { order_id: number } }) => metadata.order_id,
        );
        assert.ok(ids.includes(1017), query);
      }
    }
  });

  it('a filter accepts the type and the fields of a row, and the text of the row names the rows it refers to', async () => {
    const filter = {
      must: [
        { key: 'entity_type', match: { value: 'order_lines' } },
        { key: 'metadata.order_id', match: { value: 1017 } },
        { key: 'metadata.quantity', range: { gte: 1 } },
      ],
    };
    const lines = await search('what was ordered', { filter });
    assert.equal(lines.length, 4);
    for (const { metadata, md_content } of lines) {
      assert.equal(metadata.entity_type, 'order_lines');
      assert.match(md_content, /- \*\*order\*\*: SO-7017 \(order_id 1017\)/);
      assert.match(md_content, /- \*\*product\*\*: \w+ \w+ \(product_id \d+\)/);
    }
  });

  it('[ENT-14] the type of a row is its table, and all rows share one entity definition', async () => {
    const [job] = await quarry.ok('GET', `/v1/source-connections/${connection}/jobs`);
    const { sync_id } = await quarry.ok('GET', `/v1/source-connections/${connection}`);
    const detail = await quarry.ok('GET', `/v1/sync/jobs/${job.id}`);
    assert.deepEqual([detail.sync_id, detail.entities_encountered], [sync_id, COUNTS]);
    const { entities } = await quarry.ok('GET', `/v1/source-connections/${connection}`);
    assert.deepEqual(
      entities.by_type,
      Object.fromEntries(Object.entries(COUNTS).map(([type, count]) => [type, { count }])),
    );
    const rows = await quarry.ok('GET', `/v1/entities?source_connection_id=${connection}`);
    const definition = definitionId('postgresql', 'PostgresRow');
    assert.equal(rows.length, 100);
    for (const row of rows) assert.equal(row.entity_definition_id, definition);
    const { name } = await quarry.ok('GET', `/v1/entity-definitions/${definition}`);
    assert.equal(name, 'PostgresRow');
  });

  it('[JOB-24] rows that an older version stored get the types of their tables in the next full sync', async () => {
    const { id } = await connect();
    await quarry.settled(id);
    const rows = quarry.db.updateTable('entities').where('connection_id', '=', id);
    await rows.set({ entity_type: 'PostgresRow', hash: 'sha256:of-then' }).execute();
    const counts = quarry.db.deleteFrom('entity_counts').where('connection_id', '=', id);
    await counts.execute();
    const count = Object.values(COUNTS).reduce((sum, one) => sum + one);
    const of = { connection_id: id, entity_type: 'PostgresRow', count, listed: count };
    await quarry.db.insertInto('entity_counts').values(of).execute();
    const { entities_updated, entities_inserted, entities_deleted } = await quarry.sync(id);
    assert.deepEqual([entities_updated, entities_inserted, entities_deleted], [count, 0, 0]);
    const { entities } = await quarry.ok('GET', `/v1/source-connections/${id}`);
    assert.deepEqual(entities.by_type.orders, { count: 40 });
    assert.equal(entities.by_type.PostgresRow?.count ?? 0, 0);
    assert.equal(entities.total_entities, count);
    await quarry.ok('DELETE', `/v1/source-connections/${id}`);
  });
});
