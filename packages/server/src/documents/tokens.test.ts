import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { getEncoding } from 'js-tiktoken';
import { takesAtMost } from '../test/processor-time.ts';
import { exceedsTokens } from './tokens.ts';

const encoding = getEncoding('cl100k_base');

/** Finds the smallest limit that the text does not exceed. */
function count(text: string): number {
  let [low, high] = [0, Buffer.byteLength(text)];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (exceedsTokens(text, middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

describe('exceedsTokens', () => {
  it('[SRH-02] is false for 2,048 tokens and true for 2,049', () => {
    for (const unit of [' search', ' 漢', ' Straße?', '\n\n}', ' 😀']) {
      const start = unit.repeat(400);
      const text = start + ' a'.repeat(2_048 - encoding.encode(start).length);
      assert.equal(encoding.encode(text).length, 2_048);
      assert.equal(exceedsTokens(text, 2_048), false, unit);
      assert.equal(exceedsTokens(`${text} a`, 2_048), true, unit);
    }
  });

  it('counts tokens like the encoder, for any text', () => {
    const texts = [
      'a',
      "I'll say we've DON'T they'RE",
      'The quick brown fox, jumped over 1234567890 lazy dogs!?',
      'const x = (a) => {\n\t\treturn a?.b ?? "c";\n}\n\n\n',
      'Übergrößenträger naïveté ÀÉÎÕÜ čšž',
      '北京大学の学生は毎日図書館で勉強します。',
      '👩‍👩‍👧 😀😀 🇩🇪',
      '   \r\n \t x    ',
      'x'.repeat(600),
      'abab'.repeat(150),
      '='.repeat(333),
      `${' '.repeat(300)}x`,
      'lone \ud800 half',
      '0123456789abcdef'.repeat(20),
    ];
    for (const text of texts)
      assert.equal(count(text), encoding.encode(text, [], []).length, JSON.stringify(text));
  });

  it('counts the name of a special token as ordinary text', () => {
    const text = 'a <|endoftext|> b';
    assert.equal(count(text), encoding.encode(text, [], []).length);
    assert.ok(count(text) > 4);
  });

  it('is false for a text with no more bytes than allowed tokens', () => {
    assert.equal(exceedsTokens('', 0), false);
    assert.equal(exceedsTokens('z1z2', 4), false);
    assert.equal(exceedsTokens('a', 0), true);
  });

  it('handles the longest token, which is 128 spaces', () => {
    assert.equal(exceedsTokens(' '.repeat(128 * 4), 4), false);
    assert.equal(exceedsTokens(' '.repeat(128 * 4 + 1), 4), true);
    const longest = Array.from({ length: 100_256 }, (_, token) => encoding.decode([token])).reduce(
      (most, token) => Math.max(most, Buffer.byteLength(token)),
      0,
    );
    assert.equal(longest, 128);
  });

  it('is fast for texts of every length', () => {
    const units = ['a', ' ', 'ab ', '漢', '=', '\n ', 'th'];
    for (const unit of units)
      for (const length of [60_000, 262_144, 1_000_000]) {
        const text = unit.repeat(length / unit.length);
        const what = `${length} times ${JSON.stringify(unit)}`;
        takesAtMost(1_500, () => exceedsTokens(text, 2_048), what);
      }
  });
});
