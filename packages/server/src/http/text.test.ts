import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { characters } from './text.ts';

const messages = (text: string, min = 1, max = 10) =>
  characters(min, max)
    .safeParse(text)
    .error?.issues.map(({ message }) => message) ?? [];
const UNSEEN = ['use at least one character that can be seen: letters, digits, signs'];

describe('the characters of a name', () => {
  for (const [what, text] of Object.entries({
    blanks: '   ',
    'blanks of all widths': '\u00a0\u2003\u3000\u1680\t\n',
    'zero-width characters': '\u200b\u200c\u200d\u2060\ufeff',
    'marks of direction': '\u200e\u200f\u202a\u202e\u2066\u2069',
    'a soft hyphen': '\u00ad',
    controls: '\u0007\u001b\u0085',
    'letters that are never drawn': '\u115f\u1160\u3164\uffa0',
    'a blank of Braille': '\u2800',
    'marks without a letter': '\u0301\u0308',
    'selectors and tags': '\ufe0f\u{e0041}\u{e0100}',
    'halves of characters': '\ud83d',
    'all of them': '\u200b \u3164\u2800\u0301',
  }))
    it(`are not only ${what}`, () => assert.deepEqual(messages(text), UNSEEN));

  for (const text of [
    'a',
    ' a ',
    '\u200ba',
    '日',
    'é',
    'e\u0301',
    '🪶',
    '👩‍👩‍👧',
    '-',
    '…',
    '\ufe0fa',
  ])
    it(`may be ${JSON.stringify(text)}`, () => assert.deepEqual(messages(text), []));

  it('are counted in code points: an emoji is one character', () => {
    assert.deepEqual(messages('🪶'.repeat(10)), []);
    assert.deepEqual(messages('🪶'.repeat(11)), ['use at most 10 characters']);
    assert.deepEqual(messages('🪶🪶🪶', 4), ['use at least 4 characters']);
    assert.deepEqual(messages(''), ['use at least one character']);
  });

  it('may be missing in a description, but one that is not empty has a visible character', () => {
    assert.deepEqual(messages('', 0), []);
    assert.deepEqual(messages('\u200b', 0), UNSEEN);
  });
});
