import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { textsOfValues, Unreadable, valuesOf, wordsOfValue } from './source-values.ts';

const field = (name: string, type: string, more = {}) => ({
  ...{ name, title: name, description: '', type, required: false },
  ...more,
});
const FIELDS = [
  field('path', 'string'),
  field('port', 'number', { default: 5432 }),
  field('tls', 'boolean'),
  field('tables', 'array'),
  field('queries', 'array'),
  field('extra', 'object'),
];

describe('the values of a source', () => {
  it('are said in words', () => {
    const values = ['/notes', 5432, false, ['a', 'b'], { a: 1 }, [], null, undefined];
    const words = ['/notes', '5432', 'No', 'a, b', '{"a":1}', '', '', ''];
    assert.deepEqual(values.map(wordsOfValue), words);
  });

  it('are those that a person has typed, without what was left empty', () => {
    const typed = {
      path: ' /srv ',
      port: '5433',
      tls: 'true',
      tables: 'a\n\n b \n',
      queries: '[{"name": "q"}]',
      extra: '  ',
    };
    assert.deepEqual(valuesOf(FIELDS, typed), {
      path: ' /srv ',
      port: 5433,
      tls: true,
      tables: ['a', 'b'],
      queries: [{ name: 'q' }],
    });
  });

  it('come back as they were typed, with defaults', () => {
    const values = { path: '/srv', tables: ['a', 'b'], queries: [{ name: 'q' }] };
    const typed = textsOfValues(FIELDS, values);
    assert.equal(typed.tables, 'a\nb');
    assert.equal(typed.port, '5432');
    assert.deepEqual(valuesOf(FIELDS, typed), { ...values, port: 5432 });
  });

  it('that cannot be read are refused beside their field', () => {
    for (const [name, text] of [
      ['port', 'many'],
      ['extra', '{"a": '],
      ['queries', '[{'],
    ] as const)
      assert.throws(
        () => valuesOf(FIELDS, { [name]: text }),
        (error) => error instanceof Unreadable && error.field === name,
      );
  });
});
