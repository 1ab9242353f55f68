import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { jsonIn } from './json.ts';

describe('the JSON in what a model says', () => {
  for (const [what, text] of [
    ['a quotation mark that nobody closes', 'It is 5" wide: {"a": "}"}'],
    ['a brace that nobody has opened', 'As asked :-} {"a": "}"} so far'],
  ] as const)
    it(`is found behind ${what}`, () => assert.deepEqual(jsonIn(text), { a: '}' }));
});
