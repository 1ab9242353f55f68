/** Tests which of the pushes that come at once are stored first. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { must } from '../../util.ts';
import { DATABASES } from '../databases.ts';
import { until } from '../until.ts';
import { openTestApi, type TestApi } from './harness.ts';

const [sqlite] = DATABASES;

describe('pushes that come at once', () => {
  let api: TestApi;
  /** These are the connections of the pushes that are being stored or were. */
  let begun: string[];
  let gate: PromiseWithResolvers<void>;

  before(async () => {
    api = await openTestApi(await must(sqlite).open(), {
      storing: (store) => async (order) => {
        begun.push(order.connection.id);
        await gate.promise;
        return store(order);
      },
    });
  });
  after(() => api.close());
  beforeEach(() => {
    begun = [];
    gate = Promise.withResolvers();
  });

  async function collect(readable_id: string): Promise<string> {
    await api.call('POST', '/v1/collections', { body: { name: 'Pushes', readable_id } });
    return connect(readable_id);
  }
  async function connect(readable_collection_id: string): Promise<string> {
    const body = { name: 'Pushed', short_name: 'push', readable_collection_id };
    return (await api.call('POST', '/v1/source-connections', { body })).body.id;
  }
  const push = (to: string, key: string, count: number) =>
    Array.from({ length: count }, async (_, i) => {
      const url = `/v1/source-connections/${to}/entities`;
      const { status } = await api.call('POST', url, { key, body: { delete: [`${i}`] } });
      return status;
    });
  const isBegun = (count: number) => until(() => begun.length === count);

  it('one key has 32 of them being stored, and others do not wait for the rest', async () => {
    const connection = await collect('of-all');
    const [ann, ben] = [await api.keyOf('member'), await api.keyOf('member')];
    const answers = push(connection, ann, 40);
    await isBegun(32);
    answers.push(...push(connection, ben, 1));
    await isBegun(33);
    gate.resolve();
    assert.deepEqual(new Set(await Promise.all(answers)), new Set([202]));
    assert.equal(begun.length, 41);
  });

  it('one connection and one collection have three of four places', async () => {
    const [first, other] = [await collect('one'), await collect('two')];
    const second = await connect('one');
    const keys = await Promise.all(Array.from({ length: 4 }, () => api.keyOf('member')));
    const answers = keys.flatMap((key) => push(first, key, 15));
    await isBegun(48);
    answers.push(...push(second, must(keys[0]), 1), ...push(other, must(keys[0]), 1));
    await isBegun(49);
    assert.deepEqual(begun.at(-1), other);
    gate.resolve();
    assert.deepEqual(new Set(await Promise.all(answers)), new Set([202]));
  });
});
