import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shapeOf } from './shards.ts';
import { faultOf, type OpenTransaction } from './watch.ts';

const COMMIT = 'syncs/pipeline/store.ts';
const ONE = 'select n from chunks where collection_id = $1';
const BOTH =
  'select n from chunks as c join gone as g on g.n = c.n where c.collection_id = $1 and g.collection_id = $2';

describe('a statement on the contents of collections', () => {
  const fault = (sql: string, values: unknown[], sender = COMMIT, open?: OpenTransaction) =>
    faultOf({ shape: shapeOf(sql), values, sender }, open);

  it('is right when it is about one collection', () => {
    assert.equal(fault(ONE, ['a']), undefined);
    assert.equal(fault(BOTH, ['a', 'a']), undefined);
    assert.equal(fault('select id from connections', []), undefined);
  });

  it('is wrong when it names none or two, except in the files of which this is known', () => {
    const all = 'select id from entities';
    assert.equal(fault(all, []), 'does not name the collection of entities');
    assert.equal(fault(all, [], 'system/store.ts'), undefined);
    assert.equal(fault(all, [], 'backup/read-store.ts'), undefined);
    assert.equal(
      fault('select n from chunks', [], 'system/store.ts'),
      'does not name the collection of chunks',
    );
    assert.equal(fault(BOTH, ['a', 'b']), 'is about several collections');
  });

  it('is wrong in a transaction that writes and is about another collection, too', () => {
    const open = (writes: boolean) => ({ collections: new Set(['a', 'b']), writes });
    assert.equal(fault(ONE, ['a'], COMMIT, open(false)), undefined);
    assert.equal(
      fault(ONE, ['a'], COMMIT, open(true)),
      'belongs to a transaction that is about several collections and writes',
    );
  });

  it('is wrong when a change asks the clock', () => {
    const old = 'delete from gone where collection_id = $1 and at < (select clock_timestamp())';
    assert.equal(fault(old, ['a']), 'calls a function that Citus does not allow in a change');
  });
});
