/** Validates values by the closed schemas of a digest. A schema is compiled when it is first used. */
import type { ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { addressOf, closed, nameOf } from './closed.ts';
import type { Amendment } from './contract.ts';
import type { Digest } from './digest.ts';
import type { JsonSchema } from './json-schema.ts';

const SHOWN_FAULTS = 5;

export interface Validator {
  /**
   * Returns what is wrong with the value, or null. A key is `<operation> <status>` for answers,
   * and always has the same schema.
   */
  faultOf(key: string, schema: JsonSchema, value: unknown): string | null;
  /** Follows references to the schema itself. */
  resolved(schema: JsonSchema): JsonSchema;
}

export function createValidator({ schemas }: Digest, amendments: readonly Amendment[]): Validator {
  const open = amendments.flatMap((one) => one.open ?? []);
  const everywhere = amendments.flatMap((one) => one.everywhere ?? []).join('|');
  const ajv = new Ajv2019({
    strict: false,
    logger: false,
    allErrors: true,
    unicodeRegExp: false,
    formats: {
      uri: (text: string) => URL.canParse(text),
      'date-time': (text: string) =>
        /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text),
      date: (text: string) => /^\d{4}-\d\d-\d\d$/.test(text),
      email: (text: string) => /^[^@\s]+@[^@\s]+$/.test(text),
    },
  });
  for (const [name, schema] of Object.entries(schemas))
    ajv.addSchema(closed(schema, schemas, { open, everywhere, isValue: false }), addressOf(name));

  const compiled = new Map<string, ValidateFunction>();
  function compile(key: string, schema: JsonSchema): ValidateFunction {
    const isOpen = open.includes(key.replace(/ \d+$/, ''));
    return ajv.compile(closed(schema, schemas, { open: isOpen ? 'all' : open, everywhere }));
  }
  return {
    faultOf(key, schema, value) {
      const validate = compiled.get(key) ?? compile(key, schema);
      compiled.set(key, validate);
      if (validate(value)) return null;
      return ajv.errorsText(validate.errors?.slice(0, SHOWN_FAULTS).map(named), {
        dataVar: 'value',
      });
    },
    resolved(schema) {
      let one = schema;
      while (one.$ref !== undefined) one = schemas[nameOf(one.$ref)] ?? {};
      return one;
    },
  };
}

/** The messages of ajv do not name an unknown field. */
const named = <Fault extends { params: Record<string, unknown>; message?: string }>(
  fault: Fault,
) => {
  const field = fault.params.unevaluatedProperty ?? fault.params.additionalProperty;
  return field === undefined ? fault : { ...fault, message: `has no field ${String(field)}` };
};
