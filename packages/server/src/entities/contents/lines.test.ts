import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compile } from './lines.ts';

describe('lines that an expression matches', () => {
  it('a line of 300 characters is whole', () => {
    const line = `${'a'.repeat(299)}b`;
    assert.deepEqual(compile('b', false)(line), [line]);
  });

  for (const [where, before, behind, shown] of [
    ['at the start', 0, 1000, /^needlex{294}…$/],
    ['in the middle', 1000, 1000, /^…x{100}needlex{194}…$/],
    ['at the end', 1000, 0, /^…x{294}needle$/],
  ] as const)
    it(`a longer one is cut around a match ${where}`, () => {
      const line = `${'x'.repeat(before)}needle${'x'.repeat(behind)}`;
      const [found = '', ...more] = compile('needle', false)(`first\n${line}\nlast`);
      assert.match(found, shown);
      assert.deepEqual(more, []);
    });

  it('is cut into no half of a character', () => {
    for (const needle of ['needle', '-needle', 'needle-', '-needle-']) {
      const line = `${'😀'.repeat(400)}${needle}${'😀'.repeat(400)}`;
      const [found = ''] = compile('needle', false)(line);
      assert.ok(found.isWellFormed() && found.includes('needle'));
    }
  });
});
