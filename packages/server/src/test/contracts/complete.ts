/** Makes whole objects of a document's schemas, so that a fake only writes the fields about which it has something to say. */
import { must } from '../../util.ts';
import { nameOf } from './closed.ts';
import type { JsonSchema } from './json-schema.ts';

/** Takes the name of a schema and the fields that are known. */
export type Complete = (
  name: string,
  given: Readonly<Record<string, unknown>>,
) => Record<string, unknown>;

export function completer(schemas: Readonly<Record<string, JsonSchema>>, title: string): Complete {
  function fill(schema: JsonSchema, given?: unknown): unknown {
    if (schema.$ref) return fill(schemas[nameOf(schema.$ref)] ?? {}, given);
    const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
    if (given !== undefined && !isObject) return given;
    if (given === undefined && [schema.type].flat().includes('null')) return null;
    if (schema.properties && (isObject || given === undefined)) {
      const own = (given ?? {}) as Record<string, unknown>;
      const names = new Set([...(schema.required ?? []), ...Object.keys(own)]);
      return Object.fromEntries(
        [...names].map((key) => [key, fill(schema.properties?.[key] ?? {}, own[key])]),
      );
    }
    if (isObject) {
      const inner = (schema.anyOf ?? schema.oneOf ?? schema.allOf ?? []).find(
        ({ type }) => type !== 'null',
      );
      return inner ? fill(inner, given) : given;
    }
    return neutral(schema);
  }

  function neutral(schema: JsonSchema): unknown {
    const types = [schema.type].flat();
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices) return choices.some(({ type }) => type === 'null') ? null : fill(choices[0]!);
    if (schema.allOf) return Object.assign({}, ...schema.allOf.map((one) => fill(one)));
    if (schema.enum) return schema.enum[0];
    if (schema.format === 'uri') return 'https://vendor.example/';
    if (schema.format === 'date-time') return '2020-01-01T00:00:00Z';
    if (schema.format === 'email') return 'somebody@example.org';
    if (types.includes('integer') || types.includes('number')) return 0;
    if (types.includes('boolean')) return false;
    if (types.includes('array')) return [];
    return types.includes('object') ? {} : '';
  }

  return (name, given) =>
    fill(must(schemas[name], `${title} has no schema ${name}`), given) as Record<string, unknown>;
}
