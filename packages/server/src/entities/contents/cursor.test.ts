import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createVault } from '../../secrets.ts';
import { cursorsOf } from './cursor.ts';

const vault = createVault('a secret of the tests, long enough');

describe('a cursor', () => {
  const cursors = cursorsOf(vault, ['books']);
  const cursor = { connection: 'c', entity: 'plan "x" \ud83d\udc1f', position: 7 };

  it('is read as it was written, and only for the same collection and key', () => {
    const text = cursors.write(cursor);
    assert.deepEqual(cursors.read(text, 'query'), cursor);
    assert.equal(cursors.read(undefined, 'query'), undefined);
    assert.throws(() => cursorsOf(vault, ['others']).read(text, 'query'), /begin again without it/);
    const another = createVault('another secret of the tests, long');
    assert.throws(() => cursorsOf(another, ['books']).read(text, 'body'), /begin again without it/);
  });

  it('[ENT-25] has the same length for ids of different lengths', () => {
    const lengths = ['', 'a', 'ü'.repeat(10), 'c'.repeat(40)].map(
      (entity) => cursors.write({ ...cursor, entity }).length,
    );
    assert.deepEqual(new Set(lengths).size, 1);
  });
});
