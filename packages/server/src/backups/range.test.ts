import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rangeOf } from './range.ts';

describe('the range of a download', () => {
  for (const [header, expected] of [
    [undefined, null],
    ['bytes=0-99', { start: 0, end: 99 }],
    ['bytes=40-', { start: 40, end: 99 }],
    ['bytes=40-49', { start: 40, end: 49 }],
    ['bytes=40-4000', { start: 40, end: 99 }],
    ['bytes=-10', { start: 90, end: 99 }],
    ['bytes=-1000', { start: 0, end: 99 }],
    ['bytes=99-', { start: 99, end: 99 }],
    ['bytes=50-40', null],
    ['bytes=-', null],
    ['bytes=0-1,4-5', null],
    ['lines=0-1', null],
  ] as const)
    it(`${header} of 100 bytes`, () => assert.deepEqual(rangeOf(header, 100), expected));

  it('is refused behind the end, and for the last no bytes', () => {
    for (const header of ['bytes=100-', 'bytes=200-300', 'bytes=-0'])
      assert.throws(() => rangeOf(header, 100), { status: 416, code: 'range_not_satisfiable' });
  });
});
