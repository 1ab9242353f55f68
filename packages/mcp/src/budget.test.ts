import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { briefFields, cut, howManyFit } from './budget.ts';

describe('cut', () => {
  it('leaves a text that fits, and cuts a longer one between characters', () => {
    assert.equal(cut('abc', 1), 'abc');
    assert.equal(cut('abcdef', 1, '…'), 'abc…');
    assert.equal(cut('aé海', 1, '…'), 'aé…');
    assert.equal(cut('😀😀', 2, ''), '😀');
  });
});

describe('howManyFit', () => {
  it('counts the parts that fit, and at least one', () => {
    assert.equal(howManyFit(['abc', 'abc', 'abc'], 2), 2);
    assert.equal(howManyFit(['abc', 'abc'], 2), 2);
    assert.equal(howManyFit(['abcdefghi', 'a'], 1), 1);
    assert.equal(howManyFit([], 1), 0);
  });
});

describe('briefFields', () => {
  it('leaves out long fields, and keeps the others as long as there is room', () => {
    const fields = { long: 'x'.repeat(1000), a: 1, b: 'two' };
    assert.deepEqual(briefFields(fields, 100), { a: 1, b: 'two' });
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`field${i}`, i]));
    const kept = Object.keys(briefFields(many, 50));
    assert.ok(kept.length > 5 && kept.length < 20);
  });
});
