import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Entity } from './entity.ts';
import { excessOf, fitsAsId, isNestedDeeper } from './entity-limits.ts';

const nested = (depth: number): unknown =>
  JSON.parse(`${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`);
const entity = (parts: Partial<Entity>): Entity => ({
  id: 'a',
  type: 'Page',
  name: 'A',
  text: '',
  fields: {},
  ...parts,
});

describe('the limits of an entity', () => {
  it('allow ids of 2,048 bytes, however many characters these are', () => {
    assert.deepEqual(
      ['x', 'é', '鷺'].map((one) => fitsAsId(one.repeat(1024))),
      [true, true, false],
    );
    assert.ok(fitsAsId('x'.repeat(2048)));
    assert.ok(!fitsAsId('x'.repeat(2049)));
  });

  it('count nested objects and arrays, at any depth', () => {
    for (const value of [1, 'a', null, undefined]) assert.ok(!isNestedDeeper(value, 0));
    assert.deepEqual([isNestedDeeper([], 0), isNestedDeeper({}, 1)], [true, false]);
    assert.deepEqual([isNestedDeeper(nested(6), 6), isNestedDeeper(nested(6), 5)], [false, true]);
    assert.ok(isNestedDeeper(nested(400_000), 100));
  });

  it('are checked with a message that says which limit is exceeded', () => {
    assert.equal(excessOf(entity({ fields: { a: nested(98) } })), null);
    assert.match(excessOf(entity({ fields: { a: nested(100) } }))?.message ?? '', /nested/);
    assert.match(excessOf(entity({ id: '鷺'.repeat(1024) }))?.message ?? '', /2048 bytes/);
  });
});
