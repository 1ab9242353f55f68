/**
 * Reduces a schema to the keywords that every vendor accepts. The vendors refuse different keywords of JSON Schema,
 * mostly limits of length and number. So the request has only the structure, the instructions have the limits, and zod
 * checks the answer.
 */
import type { JSONSchema7 } from 'ai';
import { z } from 'zod';

const LIMITS = [
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'contentEncoding',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'propertyNames',
  'default',
] as const;

export interface WireSchema {
  readonly schema: JSONSchema7;
  /** If true, every field is required and no other field is allowed. OpenAI enforces only such a schema. */
  readonly isStrict: boolean;
}

export function wireSchema(schema: z.ZodType): WireSchema {
  let isStrict = true;
  const { $schema: _, ...shape } = z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    override({ jsonSchema }) {
      for (const limit of LIMITS) delete jsonSchema[limit];
      if (jsonSchema.oneOf) {
        jsonSchema.anyOf = jsonSchema.oneOf;
        delete jsonSchema.oneOf;
      }
      if (jsonSchema.type !== 'object') return;
      jsonSchema.additionalProperties ??= false;
      const fields = Object.keys(jsonSchema.properties ?? {}).length;
      if (jsonSchema.additionalProperties !== false || jsonSchema.required?.length !== fields)
        isStrict = false;
    },
  });
  return { schema: shape as JSONSchema7, isStrict };
}

/** Returns the complete schema, which the instructions contain. */
export const fullSchema = (schema: z.ZodType): string =>
  JSON.stringify(z.toJSONSchema(schema, { io: 'input' }));
