import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compile } from './lines.ts';

describe('lines that match an expression', () => {
  it('are whole up to 300 characters', () => {
    const line = `${'a'.repeat(299)}b`;
    assert.deepEqual(compile('b', false)(line), [line]);
  });

  for (const [where, before, behind, shown] of [
    ['at the start', 0, 1000, /^needlex{294}…$/],
    ['in the middle', 1000, 1000, /^…x{100}needlex{194}…$/],
    ['at the end', 1000, 0, /^…x{294}needle$/],
  ] as const)
    it(`are cut around a match ${where} when they are longer`, () => {
      const line = `${'x'.repeat(before)}needle${'x'.repeat(behind)}`;
      const [found = '', ...more] = compile('needle', false)(`first\n${line}\nlast`);
      assert.match(found, shown);
      assert.deepEqual(more, []);
    });

  it('are not cut within a character', () => {
    for (const needle of ['needle', '-needle', 'needle-', '-needle-']) {
      const line = `${'😀'.repeat(400)}${needle}${'😀'.repeat(400)}`;
      const [found = ''] = compile('needle', false)(line);
      assert.ok(found.isWellFormed() && found.includes('needle'));
    }
  });
});
