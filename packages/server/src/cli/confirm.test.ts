import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { confirmed } from './confirm.ts';

describe('a question on a terminal', () => {
  const answer = (text: string, isTTY = true) => {
    const input = Object.assign(new PassThrough(), { isTTY });
    input.end(text);
    return confirmed('Write it?', { input, output: new PassThrough() });
  };

  for (const [text, wanted] of [
    ['y\n', true],
    [' YES \n', true],
    ['n\n', false],
    ['\n', false],
    ['yesterday\n', false],
    ['', false],
  ] as const)
    it(`treats ${JSON.stringify(text)} as ${wanted ? 'a' : 'no'} yes`, async () =>
      assert.equal(await answer(text), wanted));

  it('is an error without a terminal', () =>
    assert.rejects(answer('y\n', false), /cannot be confirmed without a terminal: give --yes/));
});
