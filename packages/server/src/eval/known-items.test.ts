import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { words } from '../model/terms.ts';
import { knownItems } from './known-items.ts';

const TOPICS = 'river stone bridge market garden winter signal copper window letter'.split(' ');
const documents = Array.from({ length: 60 }, (_, i) => {
  const [a, b, c] = [TOPICS[i % 10], TOPICS[(i * 3 + 1) % 10], TOPICS[(i * 7 + 2) % 10]];
  return {
    id: `d${i}`,
    title: `About ${a} and ${b} number ${i}`,
    text: `# Notes\n\nThe ${a} behind the ${b} was seen by many people who like the ${c} there.\n\n## Part ${i} of ${c} work\n\nMore of it.`,
  };
});

const kindOf = (id: string) => id.replace(/-\d+$/, '');

describe('known items', () => {
  it('are equal for the same seed, and different for another', () => {
    assert.deepEqual(knownItems(documents, 20, 1), knownItems(documents, 20, 1));
    assert.notDeepEqual(knownItems(documents, 20, 1), knownItems(documents, 20, 2));
  });

  it('are of every kind, and each has its own document as the only answer', () => {
    const queries = knownItems(documents, 40, 1);
    assert.equal(queries.length, 40);
    const counts = Object.groupBy(queries, ({ id }) => kindOf(id));
    assert.deepEqual(
      Object.entries(counts).map(([kind, list]) => [kind, list?.length]),
      [
        ['title', 10],
        ['heading', 10],
        ['sentence', 10],
        ['rare', 10],
      ],
    );
    const answers = queries.map(({ relevant }) => [...relevant.keys()].join());
    assert.equal(new Set(answers).size, 40);
  });

  it('use only words of their document', () => {
    const texts = new Map(documents.map(({ id, title, text }) => [id, words(`${title} ${text}`)]));
    for (const { id, text, relevant } of knownItems(documents, 60, 3)) {
      const [answer = ''] = relevant.keys();
      for (const word of words(text))
        assert.ok(texts.get(answer)?.includes(word), `${id}: ${text}`);
      assert.notEqual(text, 'Notes');
      if (kindOf(id) === 'sentence') assert.equal(words(text).length, 15 - 2);
    }
  });

  it('are fewer than requested when documents are too short', () => {
    assert.deepEqual(knownItems([{ id: 'a', title: '', text: 'short' }], 5, 1), []);
  });
});
