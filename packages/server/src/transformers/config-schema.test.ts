import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { takesAtMost } from '../test/processor-time.ts';
import { compileSchema, explainFaults, SchemaRefused } from './config-schema.ts';

/** Builds a schema whose references double at each level. */
function doubling(levels: number) {
  const $defs: Record<string, object> = { d0: { type: 'string' } };
  for (let i = 1; i <= levels; i++)
    $defs[`d${i}`] = { allOf: [{ $ref: `#/$defs/d${i - 1}` }, { $ref: `#/$defs/d${i - 1}` }] };
  return { $ref: `#/$defs/d${levels}`, $defs };
}

const nested = (levels: number): object =>
  levels === 0 ? { type: 'string' } : { not: nested(levels - 1) };

const faults = (schema: object, config: unknown) =>
  explainFaults(compileSchema(schema as Record<string, unknown>)(config));

describe('config_schema', () => {
  for (const [what, schema, why] of [
    ['is not a schema', { type: 'nonsense' }, /not a JSON Schema/],
    ['refers to another document', { $ref: 'https://example.org/schema' }, /only its own parts/],
    ['refers to a file', { $ref: 'file:///etc/passwd' }, /only its own parts/],
    ['refers to itself', { properties: { a: { $ref: '#/properties/a' } } }, /refers to itself/],
    ['refers to its root', { properties: { a: { $ref: '#' } } }, /only its own parts/],
    ['refers to nothing', { $ref: '#/$defs/no' }, /has no part/],
    ['has an $id', { $id: 'https://example.org/x' }, /must not use \$id/],
    ['grows too large by its references', doubling(30), /more than 5000 parts/],
    ['is deep', nested(200), /deeper than 100/],
    ['is long', { description: 'x'.repeat(70_000) }, /longer than 65536/],
    ['has a pattern that RE2 does not know', { pattern: '(a)\\1' }, /not a JSON Schema/],
    ['uses $async', { $async: true, required: ['a'] }, /must not use \$async/],
    ['is of an unknown draft', { $schema: 'https://example.org/draft' }, /not known/],
  ] as const)
    it(`is refused when it ${what}`, () =>
      assert.throws(
        () => compileSchema(schema as Record<string, unknown>),
        (error) => error instanceof SchemaRefused && why.test(error.message),
      ));

  it('reports which value does not conform, and why', () => {
    const schema = {
      type: 'object',
      required: ['word'],
      properties: { word: { type: 'string', pattern: '^[a-z]+$' }, n: { pattern: '^[0-9]+$' } },
      additionalProperties: false,
    };
    assert.equal(faults(schema, { word: 'ok', n: '1' }), '');
    assert.match(faults(schema, {}), /required property 'word'/);
    assert.match(faults(schema, { word: 'UP' }), /^word must match pattern/);
    assert.match(faults(schema, { word: 'ok', n: 'x' }), /^n must match pattern/);
    assert.match(faults(schema, { word: 'ok', more: 1 }), /'more'/);
    assert.match(faults({}, { text: 'x'.repeat(70_000) }), /at most 65536/);
  });

  it('may be of draft 7 or 2020-12, may refer to its own parts, and may have a property named $ref', () => {
    for (const $schema of [
      undefined,
      'http://json-schema.org/draft-07/schema#',
      'https://json-schema.org/draft/2020-12/schema',
    ]) {
      const schema = {
        ...($schema && { $schema }),
        properties: { a: { $ref: '#/$defs/a%20b' }, $ref: { type: 'number' } },
        $defs: { 'a b': { type: 'string' } },
      };
      assert.equal(faults(schema, { a: 'x', $ref: 1 }), '');
      assert.match(faults(schema, { a: 1 }), /^a must be string/);
    }
  });

  it('a pattern with catastrophic backtracking takes no time', () => {
    assert.match(
      faults({ properties: { a: { pattern: '^(a+)+$' } } }, { a: `${'a'.repeat(50_000)}!` }),
      /pattern/,
    );
  });

  it('[TRF-05] patterns that expand too far are refused quickly', () => {
    const refused = [
      [{ pattern: 'a{1000}'.repeat(9_000) }, /too large/],
      [{ patternProperties: { ['a{1000}'.repeat(9_000)]: {} } }, /too large/],
      [
        { anyOf: Array.from({ length: 2_000 }, (_, i) => ({ pattern: `${i}a{900}` })) },
        /too large/,
      ],
    ] as const;
    takesAtMost(2_000, () => {
      for (const [schema, why] of refused) assert.throws(() => compileSchema(schema), why);
    });
  });

  it('[TRF-11] a schema and a configuration that would take long together are checked or refused quickly', () => {
    const numbers = Array.from({ length: 11_000 }, (_, i) => i);
    const listed = numbers.slice(0, 9_000);
    const often = (part: object) => ({
      $defs: { part },
      allOf: Array(2_000).fill({ $ref: '#/$defs/part' }),
    });
    const schemas = [
      { allOf: Array(1_000).fill({ enum: [1] }) },
      { allOf: Array(3_000).fill({ uniqueItems: true }) },
      often({ items: { pattern: '[a-z]{0,900}[0-9]' } }),
      often({ items: { enum: listed } }),
    ];
    const check = (schema: object) => {
      try {
        assert.match(faults(schema, numbers), /must be at most \d+ characters/);
      } catch (error) {
        assert.ok(error instanceof SchemaRefused, String(error));
      }
    };
    takesAtMost(3_000, () => {
      assert.equal(faults({ uniqueItems: true }, numbers), '');
      const pattern = '[a-z]{0,900}[0-9]';
      assert.match(faults({ items: { pattern } }, numbers), /at most \d+ char/);
      schemas.forEach(check);
    });
  });

  it('[TRF-05] a schema of too many parts is refused', () => {
    const $defs = { part: { uniqueItems: true } };
    const schema = { $defs, allOf: Array(2_000).fill({ $ref: '#/$defs/part' }) };
    assert.throws(() => compileSchema(schema), SchemaRefused);
    for (const parts of [100, 1_000]) {
      const fewer = { $defs, allOf: schema.allOf.slice(0, parts) };
      try {
        assert.match(faults(fewer, [1, 1]), /duplicate|too many parts/);
      } catch (error) {
        assert.ok(parts > 100 && error instanceof SchemaRefused, String(error));
      }
    }
  });

  it('[TRF-11] uniqueItems treats objects as equal when only the order of their fields differs', () => {
    const schema = { uniqueItems: true };
    assert.equal(faults(schema, [{ a: 1, b: 2 }, { a: 2, b: 1 }, '1', 1, null]), '');
    assert.match(
      faults(schema, [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ]),
      /must NOT have duplicate items/,
    );
    assert.equal(faults({ uniqueItems: false }, [1, 1]), '');
  });
});
