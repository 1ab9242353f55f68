/** Closes the schemas of a document: objects have no other fields than those that the document lists. */
import type { JsonSchema } from './json-schema.ts';

type Schemas = Readonly<Record<string, JsonSchema>>;

const HERE = '#/schemas/';

/** Each schema is known to the validator by an address of its own, so it is compiled once. */
export const addressOf = (name: string): string =>
  `https://contract.test/${encodeURIComponent(name)}`;

/** Returns the name of the schema to which the reference points. */
export const nameOf = ($ref: string): string => $ref.slice(HERE.length);

/** Says whether the document lists fields of an object of this schema, or of the items of its list. */
export function hasFields(schema: JsonSchema, schemas: Schemas, seen = new Set<string>()): boolean {
  const inner = (one: JsonSchema) => hasFields(one, schemas, seen);
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref);
    if (seen.has(name)) return false;
    seen.add(name);
    return inner(schemas[name] ?? {});
  }
  return (
    schema.properties !== undefined ||
    (schema.items !== undefined && inner(schema.items)) ||
    [schema.allOf, schema.anyOf, schema.oneOf].some((all) => all?.some(inner) ?? false)
  );
}

/**
 * Returns the schema with `unevaluatedProperties: false` wherever a value begins. Parts of a composition stay open,
 * because each of them sees the fields of the others. Objects of which the document lists no fields stay open, and so do
 * those of the schemas that `open` names. Any object may have fields that match the pattern `everywhere`.
 */
export function closed(
  schema: JsonSchema,
  schemas: Schemas,
  { open = [] as readonly string[] | 'all', everywhere = '', isValue = true } = {},
): object {
  const part = (one: JsonSchema) => closed(one, schemas, { open, everywhere, isValue: false });
  const value = (one: JsonSchema) => closed(one, schemas, { open, everywhere });
  const { $ref, allOf, anyOf, oneOf, items, properties, additionalProperties, ...own } = schema;
  const name = $ref === undefined ? undefined : nameOf($ref);
  const isOpen =
    open === 'all' ||
    (name !== undefined && open.includes(name)) ||
    !hasFields(withoutItems(schema), schemas);
  return {
    ...own,
    ...(name !== undefined && { $ref: addressOf(name) }),
    ...(allOf && { allOf: allOf.map(part) }),
    ...(anyOf && { anyOf: anyOf.map(part) }),
    ...(oneOf && { oneOf: oneOf.map(part) }),
    ...(items && { items: value(items) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, one]) => [key, value(one)]),
      ),
    }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'boolean'
          ? additionalProperties
          : value(additionalProperties),
    }),
    ...(isValue && !isOpen && { unevaluatedProperties: false }),
    ...(isValue && everywhere !== '' && { patternProperties: { [everywhere]: true } }),
  };
}

const withoutItems = ({ items: _, ...schema }: JsonSchema): JsonSchema => schema;
