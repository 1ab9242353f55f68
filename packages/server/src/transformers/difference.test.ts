import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Entity } from '../model/entity.ts';
import { difference } from './difference.ts';

const entity = (text: string, over: Partial<Entity> = {}): Entity => ({
  id: 'a',
  type: 'Page',
  name: 'A',
  text,
  fields: {},
  ...over,
});
const lines = (...all: string[]) => `${all.join('\n')}\n`;

describe('the difference that a transformer makes to an entity', () => {
  it('is described as unchanged, dropped or added', () => {
    assert.equal(difference(entity('x'), [entity('x')]), lines('a: unchanged'));
    assert.equal(difference(entity('x'), []), lines('a: dropped'));
    assert.match(difference(entity('x'), [entity('x'), entity('y', { id: 'b' })]), /\nb: added\n/);
  });

  it('shows a few lines around each change, and leaves out the others', () => {
    const before = '12345678'.split('');
    const after = before.map((line) => ('28'.includes(line) ? `${line}!` : line));
    assert.equal(
      difference(entity(before.join('\n')), [entity(after.join('\n'))]),
      lines(
        'a: changed',
        '  text',
        ...[
          '    1',
          '  - 2',
          '  + 2!',
          '    3',
          '    4',
          '  …',
          '    6',
          '    7',
          '  - 8',
          '  + 8!',
        ],
      ),
    );
  });

  it('shows a field that was added or removed, as JSON', () => {
    const url = 'https://a.example';
    const came = difference(entity('x'), [entity('x', { url })]);
    assert.equal(came, lines('a: changed', '  url', `  + ${url}`));
    const went = difference(entity('x', { fields: { n: 1 } }), [entity('x')]);
    assert.equal(
      went,
      lines('a: changed', '  metadata', '  - {', '  -   "n": 1', '  - }', '  + {}'),
    );
  });

  it('shows both texts completely when they have little in common', () => {
    const text = (word: string) => Array.from({ length: 2000 }, (_, i) => `${word}${i}`);
    assert.equal(
      difference(entity(text('o').join('\n')), [entity(text('n').join('\n'))]),
      lines(
        'a: changed',
        '  text',
        ...text('o').map((line) => `  - ${line}`),
        ...text('n').map((line) => `  + ${line}`),
      ),
    );
  });
});
