import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type StandardFilter as Filter,
  filterJsonSchema,
  StandardFilter,
} from './filter-schema.ts';

const name = { key: 'name', match: { value: 'a' } };
const type = { key: 'entity_type', match: { value: 'b' } };
const accepts = (filter: unknown) => StandardFilter.safeParse(filter).success;
const faultOf = (filter: unknown) => {
  const { error } = StandardFilter.safeParse(filter);
  return error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ') ?? '';
};
/** Makes a filter with this many levels, itself included. */
const deep = (levels: number): Filter =>
  levels === 1 ? { must: [name] } : { must: [deep(levels - 1)] };

describe('StandardFilter', () => {
  const texts = ['entity_id', 'name', 'source_name', 'entity_type', 'sync_id', 'sync_job_id'];
  const crumbs = ['breadcrumbs.entity_id', 'breadcrumbs.name', 'breadcrumbs.entity_type'];

  it('[FIL-05] [FIL-06] [FIL-07] accepts every key with the conditions it allows', () => {
    for (const key of [...texts, 'original_entity_id', ...crumbs]) {
      assert.ok(accepts({ must: { key, match: { value: 'x' } } }), key);
      assert.ok(!accepts({ must: { key, match: { value: 1 } } }), key);
      assert.ok(!accepts({ must: { key, range: { gt: 1 } } }), key);
    }
    assert.ok(!accepts({ must: { key: 'chunk_index', match: { value: '1' } } }));
    assert.ok(!accepts({ must: { key: 'chunk_index', range: { gt: '2024-01-01' } } }));
    assert.ok(!accepts({ must: { key: 'chunk_index', match: { text: '1' } } }));
    assert.ok(!accepts({ must: { key: 'access.is_public', match: { value: 'true' } } }));
    assert.ok(!accepts({ must: { key: 'updated_at', range: { gt: 5 } } }));
    assert.ok(!accepts({ must: { key: 'updated_at', match: { text: '2024' } } }));
    assert.ok(accepts({ must: { key: 'metadata.a.b.c', match: { text: 'x' } } }));
  });

  it('[FIL-08] refuses an unknown key, and names its place', () => {
    assert.match(
      faultOf({ must: [name, { key: 'nam', match: { value: 'a' } }] }),
      /^must 1: 'nam' is not a filter key/,
    );
    assert.match(faultOf({ should: { is_null: { key: 'x' } } }), /^should 'x' is not a filter key/);
    assert.match(
      faultOf({ should: { is_empty: { key: 'y' } } }),
      /^should 'y' is not a filter key/,
    );
    assert.match(
      faultOf({ must: [{ should: [{ key: 'z', match: { value: 1 } }] }] }),
      /^must 0: should: 0: 'z' is not a filter key/,
    );
    assert.match(faultOf({ must_not: 7 }), /^must_not is neither a condition nor a filter/);
    assert.match(
      faultOf({ must: { key: 'name' } }),
      /^must 'name' is not a filter key, or it does not allow this condition/,
    );
  });

  it('[FIL-08] refuses unknown properties at every place', () => {
    const forms: unknown[] = [
      { musty: [name] },
      { must: [{ ...name, range: { gt: 1 } }] },
      { must: [{ key: 'name', match: {} }] },
      { must: [{ key: 'name', match: { value: 'a', text: 'a' } }] },
      { must: [{ key: 'name', match: { value: null } }] },
      { must: [{ key: 'name', match: { any: [] } }] },
      { must: [{ key: 'name', match: { text: '' } }] },
      { must: [{ key: 'created_at', range: {} }] },
      { must: [{ key: 'created_at', range: { above: '2024-01-01' } }] },
      { must: [{ key: 'created_at', range: { gt: 'yesterday' } }] },
      { must: [{ key: 'created_at', range: { gt: '2024-02-30' } }] },
      { must: [{ key: 'metadata.a', range: { gt: 1, lt: '2024-01-01' } }] },
      { must: [{ key: 'metadata', match: { value: 'a' } }] },
      { must: [{ key: 'metadata.', match: { value: 'a' } }] },
      { must: [{ key: 'metadata.a..b', match: { value: 'a' } }] },
      { must: [{ key: 'breadcrumbs', match: { value: 'a' } }] },
      { must: [{ has_id: [] }] },
      { must: [{ has_id: [1] }] },
      { must: [{ values_count: { key: 'name', gt: 1 } }] },
      { must: [{ nested: { key: 'name', filter: { must: [name] } } }] },
      { must: [{ nested: { key: 'breadcrumbs', filter: { must: [{ has_id: ['a'] }] } } }] },
      { must: [{ nested: { key: 'breadcrumbs', filter: { must: { ...name, key: 'url' } } } }] },
      { must: [{}] },
      { min_should: { conditions: [name] } },
      { min_should: { conditions: [name], min_count: -1 } },
      { min_should: [name] },
      [],
      'must',
      null,
    ];
    for (const form of forms) assert.equal(accepts(form), false, JSON.stringify(form));
  });

  it('[FIL-09] names the wrong value of a known key', () => {
    const wrong: [unknown, RegExp][] = [
      [
        { key: 'created_at', match: { value: 'yesterday' } },
        /match\.value is not an ISO 8601 date$/,
      ],
      [{ key: 'created_at', range: { gt: 'yesterday' } }, /range\.gt is not an ISO 8601 date$/],
      [{ key: 'name', match: { any: ['a', 1] } }, /match: any\.1: .*expected string/],
      [{ key: 'name', match: { text: '' } }, /match\.text Too small/],
      [{ has_id: ['a', 1] }, /has_id\.1: .*expected string/],
      [
        { nested: { key: 'breadcrumbs', filter: { must: { key: 'name', match: { any: [] } } } } },
        /nested\.filter\.must\.match\.any Too small/,
      ],
    ];
    for (const [must, fault] of wrong) assert.match(faultOf({ must: [must] }), fault);
  });

  it('[FIL-19] accepts ten levels, and refuses eleven', () => {
    assert.ok(accepts(deep(10)));
    assert.match(faultOf(deep(11)), /is nested more than 10 deep$/);
    const nested = { nested: { key: 'breadcrumbs', filter: { must: [name] } } };
    const inside = (levels: number): unknown =>
      levels === 1 ? { must: [nested] } : { must: [inside(levels - 1)] };
    assert.ok(accepts(inside(9)));
    assert.match(faultOf(inside(10)), /is nested more than 10 deep$/);
  });

  it('accepts a thousand values, and refuses one more', () => {
    const any = (count: number) => ({
      must: { key: 'name', match: { any: Array.from({ length: count }, String) } },
    });
    assert.ok(accepts(any(1000)));
    assert.match(faultOf(any(1001)), /^must match: any: Too big: .*<=1000 items$/);
  });

  it('[FIL-05] accepts a path of twenty fields and three hundred characters, and refuses a longer one', () => {
    const asks = (key: string) => accepts({ must: { key, match: { value: 'x' } } });
    const fields = (count: number) => `metadata${'.a'.repeat(count)}`;
    assert.deepEqual([fields(1), fields(20)].map(asks), [true, true]);
    assert.deepEqual([fields(0), fields(21), 'metadata.', 'metadata.a..b'].map(asks), [
      false,
      false,
      false,
      false,
    ]);
    const long = (length: number) => `metadata.${'a'.repeat(length - 'metadata.'.length)}`;
    assert.deepEqual([long(300), long(301)].map(asks), [true, false]);
    const inElement = (count: number) => {
      const key = Array(count).fill('a').join('.');
      const filter = { must: { key, match: { value: 'x' } } };
      return accepts({ must: { nested: { key: 'metadata.list', filter } } });
    };
    assert.deepEqual([1, 20, 21].map(inElement), [true, true, false]);
  });

  it('[FIL-01] refuses a negative min_should', () => {
    const of = (min_count: number) => accepts({ min_should: { conditions: [name], min_count } });
    assert.deepEqual([0, 1, -1, 0.5].map(of), [true, true, false, false]);
  });
});

describe('filterJsonSchema', () => {
  const samples: unknown[] = [
    {},
    { must: name },
    { must: [name, { should: [type] }], must_not: { has_id: ['a'] } },
    { min_should: { conditions: [name], min_count: 0 } },
    { min_should: { conditions: [name], min_count: -1 } },
    { min_should: { conditions: [name], min_count: 1.5 } },
    { must: { key: 'updated_at', range: { gte: '2024-02-29', lt: '2024-03-01T00:00Z' } } },
    { must: { key: 'updated_at', range: { gte: '2023-02-29' } } },
    { must: { key: 'updated_at', range: {} } },
    { must: { key: 'metadata.a', match: { any: [1, 'a', true] } } },
    { must: { key: 'metadata.a', match: { any: [null] } } },
    { must: { nested: { key: 'breadcrumbs', filter: { must: name } } } },
    { must: { nested: { key: 'breadcrumbs', filter: {} } } },
    { must: { nested: { key: 'metadata.a', filter: { must: { is_null: { key: 'b' } } } } } },
    { must: [{}] },
    { must: { key: 'name', match: { value: 'a' }, more: 1 } },
    { unknown: [] },
    deep(10),
    deep(11),
    [],
    3,
  ];

  it('[FIL-09] accepts and refuses the same filters as a search', () => {
    for (const sample of samples)
      assert.equal(
        conforms(filterJsonSchema(), sample),
        accepts(sample),
        JSON.stringify(sample).slice(0, 100),
      );
    assert.equal(samples.filter(accepts).length, 9);
  });
});

type Schema = Record<string, unknown>;

/** Tells whether a value conforms to the JSON Schema. It supports only the keywords that the schema uses. */
function conforms(root: Schema, value: unknown, schema: Schema = root): boolean {
  return Object.entries(schema).every(([keyword, says]) =>
    check(root, schema, keyword, says, value),
  );
}

function check(root: Schema, schema: Schema, keyword: string, says: unknown, value: unknown) {
  const object = typeof value === 'object' && value !== null && !Array.isArray(value);
  const fields = object ? (value as Schema) : {};
  switch (keyword) {
    case '$schema':
    case '$defs':
    case 'id':
      return true;
    case '$ref':
      return conforms(root, value, pick(root, says as string));
    case 'anyOf':
      return (says as Schema[]).some((one) => conforms(root, value, one));
    case 'type':
      return [says].flat().some((one) => isOf(one as string, value));
    case 'enum':
      return (says as unknown[]).includes(value);
    case 'const':
      return says === value;
    case 'required':
      return (says as string[]).every((field) => field in fields);
    case 'properties':
      return Object.entries(says as Record<string, Schema>).every(
        ([field, one]) => !(field in fields) || conforms(root, fields[field], one),
      );
    case 'additionalProperties':
      assert.equal(says, false);
      return Object.keys(fields).every((field) => field in (schema.properties as Schema));
    case 'items':
      return !Array.isArray(value) || value.every((one) => conforms(root, one, says as Schema));
    case 'pattern':
      return typeof value !== 'string' || new RegExp(says as string).test(value);
    case 'minLength':
      return typeof value !== 'string' || value.length >= (says as number);
    case 'maxLength':
      return typeof value !== 'string' || value.length <= (says as number);
    case 'minItems':
      return !Array.isArray(value) || value.length >= (says as number);
    case 'maxItems':
      return !Array.isArray(value) || value.length <= (says as number);
    case 'minProperties':
      return !object || Object.keys(fields).length >= (says as number);
    case 'minimum':
      return typeof value !== 'number' || value >= (says as number);
    case 'maximum':
      return typeof value !== 'number' || value <= (says as number);
  }
  throw new Error(`the schema uses a keyword that this test does not know: ${keyword}`);
}

const pick = (root: Schema, ref: string) =>
  (root.$defs as Record<string, Schema>)[ref.replace('#/$defs/', '')] as Schema;

function isOf(type: string, value: unknown): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object')
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}
