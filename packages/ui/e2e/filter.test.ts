/** Tests that a person's conditions become filters that the service accepts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileFilter } from '../../server/src/search/filter.ts';
import { StandardFilter } from '../../server/src/search/filter-schema.ts';
import { FilterGroups } from '../../server/src/search/groups.ts';
import {
  type Condition,
  clauseOf,
  faultOfValue,
  fieldName,
  fieldOf,
  groupConditionOf,
  operatorsOf,
  readConditions,
  SYSTEM_FIELDS,
} from '../src/lib/filter.ts';

const valueFor = { from: '5', to: '5', since: '2026-03-31', before: '2026-03-31T10:00Z' } as const;
const all: Condition[] = [...Object.keys(SYSTEM_FIELDS), 'metadata.state'].flatMap((field) =>
  operatorsOf(field).map((operator) => ({
    ...{ field, operator },
    value: operator in valueFor ? valueFor[operator as keyof typeof valueFor] : 'open',
  })),
);

describe('the conditions of a person', () => {
  it('mean the same in a search and in an agentic search', () => {
    assert.equal(all.length, 17);
    for (const condition of all) {
      const search = StandardFilter.parse({ must: [clauseOf(condition)] });
      const agentic = FilterGroups.parse([[groupConditionOf(condition)]]);
      assert.deepEqual(
        compileFilter(search),
        compileFilter((agentic.should as StandardFilter[])[0] ?? {}),
        JSON.stringify(condition),
      );
    }
  });

  it('find a number, and true, as a text and as what they are', () => {
    const is = (field: string, value: string) => clauseOf({ field, operator: 'is', value });
    assert.deepEqual(is('metadata.size', '-1.5'), {
      key: 'metadata.size',
      match: { any: ['-1.5', -1.5] },
    });
    assert.deepEqual(is('metadata.open', 'true'), {
      key: 'metadata.open',
      match: { any: ['true', true] },
    });
    assert.deepEqual(is('name', '12'), { key: 'name', match: { any: ['12'] } });
  });

  it('name a field of the source by its own name, and others by their label', () => {
    for (const key of [
      ...Object.keys(SYSTEM_FIELDS),
      'metadata.state',
      'metadata.a.b',
      'metadata.name',
    ])
      assert.equal(fieldOf(fieldName(key)), key);
    assert.equal(fieldOf('changed'), 'updated_at');
    assert.equal(fieldName('metadata.name'), 'metadata.name');
  });

  it('say what is wrong with a value', () => {
    const fault = (operator: Condition['operator'], value: string) =>
      faultOfValue({ field: 'metadata.x', operator, value });
    assert.match(fault('is', ' ') ?? '', /value/);
    assert.match(fault('from', '5 kg') ?? '', /number/);
    assert.match(fault('since', '31.3.2026') ?? '', /date/);
    assert.match(fault('before', '2026-13-40') ?? '', /date/);
    assert.equal(fault('to', '5'), undefined);
    assert.equal(fault('since', '2026-03-31T10:00:00+02:00'), undefined);
  });

  it('are read from an address only in their own form', () => {
    assert.deepEqual(readConditions(undefined), []);
    assert.deepEqual(readConditions(all), all);
    for (const wrong of [
      'text',
      {},
      [null],
      [{ field: 'name', operator: 'is' }],
      [{ field: 'name', operator: 'toString', value: 'x' }],
      [{ field: 'metadata.n', operator: 'from', value: 'x' }],
    ])
      assert.equal(readConditions(wrong), null, JSON.stringify(wrong));
  });
});
