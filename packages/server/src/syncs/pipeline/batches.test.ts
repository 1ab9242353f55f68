import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SourceError } from '../../errors.ts';
import {
  checkpoint,
  fail,
  listed,
  lost,
  remove,
  type SourceItem,
  skip,
  stub,
  upsert,
} from '../../sources/items.ts';
import { batches, type ItemBatch } from './batches.ts';

const page = (id: string, text = '') => upsert({ id, type: 'Page', name: id, text, fields: {} });
const LIMIT = { records: 3, characters: 100 };

async function collect(items: SourceItem[], limit = LIMIT): Promise<ItemBatch[]> {
  const all: ItemBatch[] = [];
  async function* stream() {
    yield* items;
  }
  for await (const batch of batches(stream(), limit)) all.push(batch);
  return all;
}

const ids = (batch: ItemBatch | undefined) => batch?.upserts.map(({ entity }) => entity.id);

describe('batches', () => {
  it('closes a batch at a checkpoint, so a cursor never runs ahead of its records', async () => {
    const [first, second, ...rest] = await collect([
      page('a'),
      remove('b'),
      checkpoint(7),
      page('c'),
    ]);
    assert.deepEqual([ids(first), first?.removals, first?.cursor], [['a'], ['b'], 7]);
    assert.deepEqual([ids(second), second?.removals, second?.cursor], [['c'], [], undefined]);
    assert.equal(rest.length, 0);
  });

  it('makes a batch of a checkpoint that no record precedes', async () => {
    const all = await collect([checkpoint(1), checkpoint(2)]);
    assert.deepEqual(
      all.map((batch) => batch.cursor),
      [1, 2],
    );
  });

  it('keeps the later of two items with one id, whatever their kinds', async () => {
    const items = [
      page('a', 'old'),
      remove('b'),
      page('a', 'new'),
      page('b'),
      skip('c', 'Page', { reason: 'too large' }),
      page('c'),
    ];
    const [only] = await collect(items, { records: 10, characters: 100 });
    assert.deepEqual(
      only?.upserts.map(({ entity }) => [entity.id, entity.text]),
      [
        ['a', 'new'],
        ['b', ''],
        ['c', ''],
      ],
    );
    assert.deepEqual([only?.removals, only?.leftOut], [[], []]);
  });

  it('closes a batch at the number of records, counting every kind', async () => {
    const all = await collect([
      page('a'),
      stub('b', 'Page', { version: 'v1' }),
      skip('c', 'Page', { reason: 'binary' }),
      page('d'),
    ]);
    assert.deepEqual(all.map(ids), [['a'], ['d']]);
    assert.deepEqual(
      all[0]?.stubs.map(({ id }) => id),
      ['b'],
    );
  });

  it('closes a batch at the number of characters', async () => {
    const all = await collect([page('a', 'x'.repeat(99)), page('b', 'x'), page('c', 'x')]);
    assert.deepEqual(all.map(ids), [['a', 'b'], ['c']]);
  });

  it('passes on listed and lost partitions, even without records', async () => {
    const error = new SourceError('transient', 'no answer');
    const [only] = await collect([listed('a'), lost('b', error)]);
    assert.deepEqual(only?.listed, ['a']);
    assert.deepEqual(
      only?.lost.map((part) => [part.partition, part.error.message]),
      [['b', 'no answer']],
    );
  });

  it('keeps the reason for which a record was left out', async () => {
    const error = new SourceError('skip', 'broken', { hint: 'repair it' });
    const [only] = await collect([
      fail('a', 'Page', error),
      skip('b', 'Page', { reason: 'binary' }),
    ]);
    assert.deepEqual(
      only?.leftOut.map(({ kind, id, reason, hint }) => [kind, id, reason, hint]),
      [
        ['fail', 'a', 'broken', 'repair it'],
        ['skip', 'b', 'binary', null],
      ],
    );
  });

  it('makes no batch without items', async () => assert.deepEqual(await collect([]), []));
});
