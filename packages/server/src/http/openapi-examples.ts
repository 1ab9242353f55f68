/**
 * Makes the examples of the document. An example follows from the schema of its body or answer, so it fits the schema
 * by itself: constants, lists of values and formats are filled in, and `VALUES` has the values that no schema can say.
 */
import { VALUES } from './openapi-values.ts';

export interface ExampleSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly examples?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly ExampleSchema[];
  readonly oneOf?: readonly ExampleSchema[];
  readonly minimum?: number;
  readonly items?: ExampleSchema;
  readonly properties?: Readonly<Record<string, ExampleSchema>>;
  readonly required?: readonly string[];
}

interface Schemas {
  readonly schemas: Readonly<Record<string, ExampleSchema>>;
}

interface ExamplePlace extends Schemas {
  readonly schema: ExampleSchema;
  /** The schema with a name in which the value lies. */
  readonly within?: string;
  /** The property whose value it is. */
  readonly name?: string;
}

export function exampleFor(place: ExamplePlace): unknown {
  const { schema, schemas, within = '', name = '' } = place;
  if (schema.$ref !== undefined) {
    const id = schema.$ref.replace(/^.*\//, '');
    return VALUES[id] ?? exampleFor({ schemas, schema: schemas[id] ?? {}, within: id });
  }
  if (schema.examples) return schema.examples[0];
  const key = [`${within}.${name}`, name].find((one) => one in VALUES && fits(VALUES[one], schema));
  if (key !== undefined) return VALUES[key];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const [first] = (schema.anyOf ?? schema.oneOf ?? []).filter(({ type }) => type !== 'null');
  if (first) return exampleFor({ ...place, schema: first });
  if (schema.items) return [exampleFor({ ...place, schema: schema.items })];
  if (schema.properties) return objectOf(place, schema.properties);
  return FORMATS[schema.format ?? ''] ?? simple(schema);
}

/** Returns true when the value has a type of the schema; the linter of the document checks the rest. */
function fits(value: unknown, { type = [], anyOf = [] }: ExampleSchema): boolean {
  const types = [type].flat();
  if (value === null) return types.includes('null') || anyOf.some((one) => fits(value, one));
  if (Array.isArray(value)) return types.includes('array');
  return types.includes(typeof value) || (Number.isInteger(value) && types.includes('integer'));
}

/** An example has the required properties, or the first one when none is required. */
function objectOf(
  place: ExamplePlace,
  properties: Readonly<Record<string, ExampleSchema>>,
): unknown {
  const names = Object.keys(properties);
  const { required = names.slice(0, 1) } = place.schema;
  return Object.fromEntries(
    names
      .filter((name) => required.includes(name))
      .map((name) => [name, exampleFor({ ...place, schema: properties[name] ?? {}, name })]),
  );
}

const FORMATS: Readonly<Record<string, unknown>> = {
  uuid: '0192f0c4-7a00-7000-8000-000000000003',
  date: '2026-01-31',
  'date-time': '2026-01-31T09:30:00.000Z',
  email: 'ann@example.org',
};

function simple({ type = [], minimum }: ExampleSchema): unknown {
  const types = [type].flat();
  if (types.includes('integer') || types.includes('number')) return Math.max(minimum ?? 1, 1);
  if (types.includes('boolean')) return false;
  if (types.includes('string')) return 'text';
  return types.includes('array') ? [] : {};
}
