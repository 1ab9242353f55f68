/**
 * A schema in the words that every vendor takes. Each of them refuses other ones of JSON Schema (limits of
 * length and number above all), and a question that is refused has no answer; so the wire has the shape
 * alone, the instructions have the limits, and zod judges what comes.
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
  /** No field may be left out and none be added: what OpenAI asks of a schema that it is to enforce. */
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

/** The whole of it, for the instructions. */
export const fullSchema = (schema: z.ZodType): string =>
  JSON.stringify(z.toJSONSchema(schema, { io: 'input' }));
