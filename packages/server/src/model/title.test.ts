import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hasTitle, indexTerms } from './title.ts';

const MESSAGE = 'Who has the keys of the harbour office? I left mine at home.';

describe('the name of a record', () => {
  for (const [what, name, text] of [
    ['another name', 'Harbour office', MESSAGE],
    ['a name that stands later in the text', 'the keys of the harbour', MESSAGE],
    ['the first words in another order', 'has Who the keys', MESSAGE],
    ['a name longer than the text', 'Who has the keys of the harbour office?', 'Who has the keys'],
    ['a name without a text', 'Harbour office', ''],
    ['a name without words', '…', MESSAGE],
  ] as const)
    it(`is a title if it is ${what}`, () => {
      assert.equal(hasTitle({ name, text }), true);
    });

  for (const [what, name, text] of [
    ['the first words', 'Who has the keys of', MESSAGE],
    ['the first characters', 'Who has the keys of the harb', MESSAGE],
    ['the first words with an ellipsis', 'Who has the keys …', MESSAGE],
    ['the whole text', MESSAGE, MESSAGE],
    ['the first words over two lines', 'Who has the keys', 'Who has\n\n  the keys of the office?'],
    ['the first words after markup', 'Who has the keys', '> **Who** has the keys of the office?'],
    ['the first line of the text', 'Keys are missing', 'Keys are missing\nWho has the keys?'],
    ['the heading of the text', 'Harbour office', '# Harbour office\n\nThe keys are at the gate.'],
    ['the first words of a long first line', 'Acme', 'Acme, 12 Main Street\nIndustry: ships'],
  ] as const)
    it(`is not a title if it is ${what}`, () => {
      assert.equal(hasTitle({ name, text }), false);
    });

  it('is indexed only once when the text begins with the name', () => {
    const piece = { heading: 'Questions', text: MESSAGE };
    const cut = { ...piece, name: 'Who has the keys …' };
    assert.deepEqual(indexTerms(cut), indexTerms({ ...piece, name: '' }));
    const next = { ...cut, text: 'The office opens at nine.' };
    assert.deepEqual(indexTerms(next, false), indexTerms({ ...next, name: '' }));
    assert.deepEqual(indexTerms(next, true).slice(0, 1), ['kei']);
    assert.deepEqual(indexTerms({ name: 'Office', heading: null, text: 'keys' }), ['offic', 'kei']);
  });
});
