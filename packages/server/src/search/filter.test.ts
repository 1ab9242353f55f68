import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileFilter, tooDeep, utc } from './filter.ts';
import { StandardFilter } from './filter-schema.ts';

const name = { key: 'name', match: { value: 'a' } };
const type = { key: 'entity_type', match: { value: 'b' } };
const isName = { path: ['name'], in: ['a'] };
const isType = { path: ['entity_type'], in: ['b'] };
const compile = (filter: Record<string, unknown>) => compileFilter(StandardFilter.parse(filter));

describe('compileFilter', () => {
  it('[FIL-01] must requires all conditions, should at least one, and must_not none', () => {
    assert.deepEqual(compile({ must: [name, type] }), { all: [isName, isType] });
    assert.deepEqual(compile({ should: [name, type] }), { any: [isName, isType], atLeast: 1 });
    assert.deepEqual(compile({ must_not: [name, type] }), {
      all: [{ not: isName }, { not: isType }],
    });
    assert.deepEqual(compile({ must: [name], should: [type], must_not: [type] }), {
      all: [isName, { any: [isType], atLeast: 1 }, { not: isType }],
    });
  });

  it('[FIL-05] a created_at in an element of a list is compared as text', () => {
    for (const value of ['2024-01-01', 'yesterday']) {
      const filter = { must: { key: 'created_at', match: { value } } };
      assert.deepEqual(compile({ must: { nested: { key: 'metadata.events', filter } } }), {
        some: { path: ['created_at'], in: [value] },
        path: ['metadata', 'events'],
      });
    }
  });

  it('[FIL-01] min_should requires that number of the conditions, and none for 0', () => {
    const of = (min_count: number) =>
      compile({ min_should: { conditions: [name, type], min_count } });
    assert.deepEqual(of(2), { any: [isName, isType], atLeast: 2 });
    assert.deepEqual(of(1), { any: [isName, isType], atLeast: 1 });
    assert.deepEqual(of(0), { all: [] });
  });

  it('[FIL-01] an empty filter and empty clauses match everything', () => {
    assert.deepEqual(compile({}), { all: [] });
    assert.deepEqual(compile({ must: [], should: [], must_not: [] }), { all: [] });
  });

  it('[FIL-01] a single condition means a list with this condition', () => {
    assert.deepEqual(compile({ must: name }), isName);
    assert.deepEqual(compile({ should: name }), { any: [isName], atLeast: 1 });
    assert.deepEqual(compile({ must_not: name }), { not: isName });
  });

  it('[FIL-02] match has the forms value, any, except and text', () => {
    const of = (match: object, key = 'name') => compile({ must: { key, match } });
    assert.deepEqual(of({ value: 'a' }), isName);
    assert.deepEqual(of({ any: ['a', 'b'] }), { path: ['name'], in: ['a', 'b'] });
    assert.deepEqual(of({ except: ['a', 'b'] }), { path: ['name'], notIn: ['a', 'b'] });
    assert.deepEqual(of({ text: 'A b' }), { path: ['name'], text: 'A b' });
    assert.deepEqual(of({ value: 3 }, 'chunk_index'), { path: ['chunk_index'], in: [3] });
    assert.deepEqual(of({ value: false }, 'access.is_public'), {
      path: ['access', 'is_public'],
      in: [false],
    });
    assert.deepEqual(of({ any: [1, 'x', true] }, 'metadata.a.b'), {
      path: ['metadata', 'a', 'b'],
      in: [1, 'x', true],
    });
  });

  it('[FIL-03] range accepts dates in every ISO 8601 form and compares them in UTC', () => {
    const of = (range: object, key = 'updated_at') => compile({ must: { key, range } });
    assert.deepEqual(of({ gt: '2024-05-01', lte: '2024-05-02T12:30:00+02:00' }), {
      path: ['updated_at'],
      range: { gt: '2024-05-01T00:00:00.000Z', lte: '2024-05-02T10:30:00.000Z' },
    });
    assert.deepEqual(of({ gte: 0, lt: 4 }, 'chunk_index'), {
      path: ['chunk_index'],
      range: { gte: 0, lt: 4 },
    });
    assert.deepEqual(of({ gte: '2024-05-01' }, 'metadata.due'), {
      path: ['metadata', 'due'],
      range: { gte: '2024-05-01T00:00:00.000Z' },
    });
    assert.deepEqual(of({ lt: 1.5 }, 'metadata.price'), {
      path: ['metadata', 'price'],
      range: { lt: 1.5 },
    });
  });

  it('[FIL-03] a matched date of the system is compared in UTC, and a field of the source as text', () => {
    const of = (key: string, match: object) => compile({ must: { key, match } });
    const day = '2024-05-01T02:00+02:00';
    const same = '2024-05-01T00:00:00.000Z';
    assert.deepEqual(of('created_at', { value: day }), { path: ['created_at'], in: [same] });
    assert.deepEqual(of('updated_at', { any: [day] }), { path: ['updated_at'], in: [same] });
    assert.deepEqual(of('created_at', { except: [day] }), { path: ['created_at'], notIn: [same] });
    assert.deepEqual(of('metadata.created_at', { value: day }), {
      path: ['metadata', 'created_at'],
      in: [day],
    });
  });

  it('[FIL-03] utc reads a time without an offset as UTC', () => {
    assert.equal(utc('2024-02-29'), '2024-02-29T00:00:00.000Z');
    assert.equal(utc('2024-02-29T10:00'), '2024-02-29T10:00:00.000Z');
    assert.equal(utc('2024-02-29T10:00:01.5'), '2024-02-29T10:00:01.500Z');
    assert.equal(utc('2024-02-29T10:00:01Z'), '2024-02-29T10:00:01.000Z');
    assert.equal(utc('2024-02-29T10:00:01-05:00'), '2024-02-29T15:00:01.000Z');
  });

  it('[FIL-04] is_null, is_empty, has_id, nested, and clauses inside clauses work', () => {
    assert.deepEqual(compile({ must: { is_null: { key: 'updated_at' } } }), {
      path: ['updated_at'],
      is: 'null',
    });
    assert.deepEqual(compile({ must: { is_empty: { key: 'metadata.tags' } } }), {
      path: ['metadata', 'tags'],
      is: 'empty',
    });
    assert.deepEqual(compile({ must: { has_id: ['x', 'x__chunk_0'] } }), {
      ids: ['x', 'x__chunk_0'],
    });
    assert.deepEqual(
      compile({
        must: { nested: { key: 'breadcrumbs', filter: { must: [name], must_not: [type] } } },
      }),
      { some: { all: [isName, { not: isType }] }, path: ['breadcrumbs'] },
    );
    assert.deepEqual(
      compile({
        must: {
          nested: {
            key: 'metadata.items',
            filter: { must: [{ key: 'size.cm', range: { gt: 1 } }] },
          },
        },
      }),
      { some: { path: ['size', 'cm'], range: { gt: 1 } }, path: ['metadata', 'items'] },
    );
    assert.deepEqual(compile({ should: [{ must: [name, type] }, name] }), {
      any: [{ all: [isName, isType] }, isName],
      atLeast: 1,
    });
  });
});

describe('tooDeep', () => {
  it('counts long keys at every place', () => {
    const long = { key: `metadata${'.a'.repeat(10)}`, match: { value: 'x' } };
    const many = Array(51).fill(long);
    const inElement = { key: Array(11).fill('a').join('.'), match: { value: 'x' } };
    const filters = [
      { must: many },
      { must_not: many },
      { should: many },
      { min_should: { conditions: many, min_count: 1 } },
      { must: { nested: { key: 'metadata.list', filter: { must: Array(51).fill(inElement) } } } },
    ];
    for (const filter of filters) assert.match(tooDeep(filter) ?? '', /at most 50 keys/);
    assert.equal(tooDeep({ must: many.slice(1) }), undefined);
  });

  it('counts the parts of all keys together', () => {
    const key = `metadata${'.a'.repeat(9)}`;
    const should = Array(400).fill({ is_null: { key } });
    assert.equal(tooDeep({ should }), undefined);
    const { should: more } = { should: [...should, { is_null: { key: 'name' } }] };
    assert.match(tooDeep({ should: more }) ?? '', /at most 4000 parts together/);
  });
});
