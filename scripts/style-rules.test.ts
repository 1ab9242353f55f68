import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inCode, inProse } from './style-rules.ts';

const rules = (comment: string) => inCode(comment).map(({ rule }) => rule);

describe('comments', () => {
  for (const [comment, rule] of [
    ['/** Of a job. */', 'begins without a subject'],
    ['/**\n * What is held.\n */', 'begins without a subject'],
    ['  // In order.', 'is a fragment'],
    ['/** It is no CIDR. */', '“is no X” is “is not an X”'],
    ['/** Everything is written anew. */', '“anew” is “again”'],
  ] as const)
    it(`${comment.replaceAll('\n', ' ')} is found`, () => assert.deepEqual(rules(comment), [rule]));

  for (const comment of [
    '/** The lease belongs to the job. */',
    '// In a transaction, nobody else sees it.',
    '/** It is no longer there. */',
    "const url = 'https://example.com'; // Of what stands behind code.",
    '// biome-ignore lint: What it is.',
  ])
    it(`${comment} is fine`, () => assert.deepEqual(rules(comment), []));

  it('have the line on which they begin, and end with the next line of code', () => {
    const text =
      'const a = 1;\n\n  // What it is,\n  // in two lines.\nconst b = 2;\n/** Of b. */\n';
    assert.deepEqual(
      inCode(text).map(({ line, text: found }) => [line, found]),
      [
        [3, 'What it is, in two lines.'],
        [6, 'Of b.'],
      ],
    );
  });
});

describe('prose', () => {
  it('is looked at outside of code', () => {
    const text = 'It is no JSON.\n\n```sh\n# is no JSON\n```\n\nThe value `is no JSON` is fine.\n';
    assert.deepEqual(
      inProse(text).map(({ line }) => line),
      [1],
    );
  });
});
