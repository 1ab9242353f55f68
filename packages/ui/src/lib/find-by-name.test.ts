import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findByName } from './find-by-name.ts';

const named = (...names: string[]) => names.map((name) => ({ name }));
const namesOf = (things: readonly { readonly name: string }[]) => things.map(({ name }) => name);

describe('findByName', () => {
  it('wants every word, in any order, and knows further words of a thing', () => {
    const things = [
      ...named('Open tickets', 'Tickets of Ann'),
      { name: 'Keys', also: 'shortcuts' },
    ];
    assert.deepEqual(namesOf(findByName(things, 'ann tick', 9)), ['Tickets of Ann']);
    assert.deepEqual(namesOf(findByName(things, 'short', 9)), ['Keys']);
    assert.deepEqual(findByName(things, 'tickets bob', 9), []);
  });

  it('puts names that begin with the words first, and parts of words last', () => {
    const things = named('Footnotes', 'My notes', 'Notes', 'Notion');
    assert.deepEqual(namesOf(findByName(things, 'not', 9)), [
      'Notes',
      'Notion',
      'My notes',
      'Footnotes',
    ]);
    assert.deepEqual(namesOf(findByName(things, 'not', 1)), ['Notes']);
  });

  it('puts the very name first', () => {
    const things = named('Connect GitHub', 'Connect Git');
    assert.deepEqual(namesOf(findByName(things, 'connect  GIT', 1)), ['Connect Git']);
  });

  it('returns the first things when nothing is typed', () => {
    assert.deepEqual(namesOf(findByName(named('B', 'A', 'C'), ' ', 2)), ['B', 'A']);
  });

  it('finds names in every script, without their accents', () => {
    const things = named('Überblick', 'Σημειώσεις', 'メモ');
    for (const [typed, name] of [
      ['uber', 'Überblick'],
      ['ΣΗΜΕΙΩ', 'Σημειώσεις'],
      ['メモ', 'メモ'],
    ] as const)
      assert.deepEqual(namesOf(findByName(things, typed, 9)), [name]);
  });
});
