import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { terms } from './terms.ts';
import { Vocabulary } from './vocabulary.ts';

const TEXTS = [
  'Herons nest; a heron nested.',
  'camelCaseNames and Ünïcödé, 2024-01-02',
  '日本語のテキスト in a sentence',
  `${'long'.repeat(30)} internationalization`,
];

describe('a vocabulary', () => {
  it('numbers what terms() gives, equal terms alike, whatever other vocabularies do meanwhile', () => {
    const [one, other] = [new Vocabulary(), new Vocabulary()];
    const names = new Map<number, string>();
    for (const text of [...TEXTS, ...TEXTS.toReversed()]) {
      other.number(`another ${text}`, []);
      const numbers: number[] = [];
      one.number(text, numbers);
      const expected = terms(text);
      assert.equal(numbers.length, expected.length);
      numbers.forEach((number, i) => {
        assert.equal(names.get(number) ?? expected[i], expected[i]);
        names.set(number, expected[i]!);
        assert.equal(one.get(expected[i]!), number);
      });
    }
    assert.equal(one.size, names.size);
    assert.equal(new Set(names.values()).size, names.size);
    assert.equal(one.get('another'), undefined);
  });
});
