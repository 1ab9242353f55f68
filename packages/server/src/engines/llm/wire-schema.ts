/**
 * Writes a schema with the keywords that every vendor accepts. Each vendor refuses other keywords of JSON Schema
 * (above all limits of length and number), and a refused question has no answer. So the wire has only the shape,
 * the instructions have the limits, and zod judges the answer.
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
  /** No field may be left out or added: OpenAI demands this of a schema that it enforces. */
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

/** Returns the whole schema, for the instructions. */
export const fullSchema = (schema: z.ZodType): string =>
  JSON.stringify(z.toJSONSchema(schema, { io: 'input' }));
