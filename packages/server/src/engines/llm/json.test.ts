import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { jsonIn } from './json.ts';

describe('the JSON in the answer of a model', () => {
  for (const [what, text] of [
    ['a quotation mark without its pair', 'It is 5" wide: {"a": "}"}'],
    ['a closing brace without an opening one', 'As asked :-} {"a": "}"} so far'],
  ] as const)
    it(`is found after ${what}`, () => assert.deepEqual(jsonIn(text), { a: '}' }));
});
