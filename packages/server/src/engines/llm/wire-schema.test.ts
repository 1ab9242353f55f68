import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { fullSchema, wireSchema } from './wire-schema.ts';

describe('a schema on the wire', () => {
  it('has the structure of the schema but not its limits, which are in the instructions', () => {
    const schema = z.object({
      queries: z.array(z.string().min(1).max(200)).min(1).max(5),
      format: z.enum(['short', 'long']),
      share: z.number().min(0).max(1),
    });
    assert.deepEqual(wireSchema(schema), {
      schema: {
        type: 'object',
        properties: {
          queries: { type: 'array', items: { type: 'string' } },
          format: { type: 'string', enum: ['short', 'long'] },
          share: { type: 'number' },
        },
        required: ['queries', 'format', 'share'],
        additionalProperties: false,
      },
      isStrict: true,
    });
    assert.match(fullSchema(schema), /"maxLength":200.*"maximum":1/);
  });

  it('is strict when every field is required and no other is allowed, at every level', () => {
    const inner = (field: z.ZodType) => z.object({ list: z.array(z.object({ field })) });
    assert.equal(wireSchema(inner(z.string().nullable())).isStrict, true);
    assert.equal(wireSchema(inner(z.string().optional())).isStrict, false);
    assert.equal(wireSchema(inner(z.record(z.string(), z.number()))).isStrict, false);
  });

  it('writes alternatives as anyOf, which every vendor accepts', () => {
    const either = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('search'), query: z.string() }),
      z.object({ kind: z.literal('stop') }),
    ]);
    const { schema, isStrict } = wireSchema(z.object({ step: either }));
    const step = schema.properties?.step as { anyOf?: unknown[]; oneOf?: unknown[] };
    assert.equal(step.anyOf?.length, 2);
    assert.equal(step.oneOf, undefined);
    assert.equal(isStrict, true);
  });
});
