import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileFilter } from './filter.ts';
import { FilterGroups } from './groups.ts';

const name = { field: 'name', operator: 'equals', value: 'a' };
const isName = { path: ['name'], in: ['a'] };
const compile = (groups: unknown) => compileFilter(FilterGroups.parse(groups));
const accepts = (groups: unknown) => FilterGroups.safeParse(groups).success;
const one = (field: string, operator: string, value: unknown) =>
  compile([[{ field, operator, value }]]);
const takes = (field: string, operator: string, value: unknown) =>
  accepts([[{ field, operator, value }]]);

describe('FilterGroups', () => {
  it('[FIL-10] joins conditions with AND and groups with OR', () => {
    const type = { field: 'entity_type', operator: 'equals', value: 'b' };
    assert.deepEqual(compile([{ conditions: [name, type] }, { conditions: [type] }]), {
      any: [
        { all: [isName, { path: ['entity_type'], in: ['b'] }] },
        { path: ['entity_type'], in: ['b'] },
      ],
      atLeast: 1,
    });
    assert.deepEqual(compile([]), { all: [] });
  });

  it('[FIL-11] accepts an array of conditions as a group', () => {
    assert.deepEqual(compile([[name]]), compile([{ conditions: [name] }]));
    assert.ok(!accepts([name]));
    assert.ok(!accepts([{ conditions: [name], more: 1 }]));
    assert.ok(!accepts([[]]));
  });

  it('[FIL-12] refuses a condition with a missing or an additional property', () => {
    for (const part of ['field', 'operator', 'value'])
      assert.ok(!accepts([[{ ...name, [part]: undefined }]]), part);
    assert.ok(!accepts([[{ ...name, more: 1 }]]));
  });

  const of = (wanted: object) => ({ any: [wanted], atLeast: 1 });

  it('[FIL-13] supports equals, not_equals and contains', () => {
    assert.deepEqual(one('name', 'equals', 'a'), of(isName));
    assert.deepEqual(one('name', 'not_equals', 'a'), of({ path: ['name'], notIn: ['a'] }));
    assert.deepEqual(
      one('metadata.a', 'contains', 'b'),
      of({ path: ['metadata', 'a'], text: 'b' }),
    );
    assert.ok(!takes('name', 'equals', ['a']));
    assert.ok(!takes('name', 'contains', 1));
  });

  it('[FIL-14] compares only dates and numbers with greater_than and less_than', () => {
    const day = '2024-01-01T00:00:00.000Z';
    for (const [operator, bound] of [
      ['greater_than', 'gt'],
      ['less_than', 'lt'],
      ['greater_than_or_equal', 'gte'],
      ['less_than_or_equal', 'lte'],
    ] as const) {
      assert.deepEqual(
        one('updated_at', operator, '2024-01-01'),
        of({ path: ['updated_at'], range: { [bound]: day } }),
      );
      assert.deepEqual(
        one('chunk_index', operator, 2),
        of({ path: ['chunk_index'], range: { [bound]: 2 } }),
      );
      assert.ok(takes('metadata.price', operator, 1.5));
      assert.ok(!takes('metadata.price', operator, 'cheap'));
      assert.ok(!takes('name', operator, 'a'));
      assert.ok(!takes('updated_at', operator, 5));
    }
  });

  it('[FIL-15] in and not_in accept only lists', () => {
    assert.deepEqual(one('name', 'in', ['a']), of(isName));
    assert.deepEqual(one('name', 'not_in', ['a', 'b']), of({ path: ['name'], notIn: ['a', 'b'] }));
    for (const operator of ['in', 'not_in']) {
      assert.ok(!takes('name', operator, 'a'));
      assert.ok(!takes('name', operator, []));
    }
  });

  it('[FIL-16] accepts the prefix service_system_metadata.', () => {
    assert.deepEqual(
      one('service_system_metadata.chunk_index', 'equals', 1),
      of({ path: ['chunk_index'], in: [1] }),
    );
    assert.ok(takes('breadcrumbs.name', 'equals', 'a'));
    assert.ok(!takes('service_system_metadata.nam', 'equals', 'a'));
  });

  it('[FIL-17] refuses an unknown operator or field, and names its place', () => {
    assert.ok(!takes('name', 'like', 'a'));
    const { error } = FilterGroups.safeParse([[name], [name, { ...name, field: 'nam' }]]);
    assert.match(JSON.stringify(error?.issues), /is not possible for the field 'nam'/);
  });

  it('[FIL-10] [FIL-11] accepts a hundred groups of a hundred conditions, and no more', () => {
    const conditions = (count: number) => Array.from({ length: count }, () => name);
    const groups = (count: number) => Array.from({ length: count }, () => [name]);
    assert.ok(accepts([conditions(100), { conditions: conditions(100) }]));
    assert.ok(!accepts([conditions(101)]));
    assert.ok(!accepts([{ conditions: conditions(101) }]));
    assert.ok(!accepts([{ conditions: [] }]));
    assert.ok(accepts(groups(100)));
    assert.ok(!accepts(groups(101)));
  });

  it('accepts fifty keys of more than ten parts, and no more', () => {
    const deep = { ...name, field: `metadata.${Array(10).fill('a').join('.')}` };
    const groups = (count: number) => [Array(25).fill(deep), Array(count - 25).fill(deep)];
    assert.ok(accepts(groups(50)));
    assert.ok(!accepts(groups(51)));
    const ofTen = { ...name, field: `metadata${'.a'.repeat(9)}` };
    assert.ok(accepts([Array(51).fill(ofTen)]));
  });
});
