import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { takesAtMost } from '../test/processor-time.ts';
import { compileExpression, ExpressionTooLarge } from './expression.ts';

describe('regular expressions of users', () => {
  for (const pattern of [
    '(?i)timeout|timed out',
    '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
    '.{0,500}[0-9]',
    '[]a]{1000}',
    String.raw`\Q{1000}\E{100}`,
    String.raw`\{1000}\p{Greek}{900}`,
    '(?:one|two|three|four|five){50}',
  ])
    it(`may have the form ${pattern}`, () => assert.ok(compileExpression(pattern)));

  for (const pattern of [
    'a{1000}'.repeat(9_000),
    '[a-z]{0,1000}'.repeat(3),
    '((ab{10}cd{10}){10}){10}',
    '(?:[]{]{10}abcdefghijklmn){1,100}',
    String.raw`(\Q(((\E\){99}){99}`,
  ])
    it(`are refused quickly when they expand too far: ${pattern.slice(0, 30)}`, () =>
      takesAtMost(500, () => assert.throws(() => compileExpression(pattern), ExpressionTooLarge)));
});
