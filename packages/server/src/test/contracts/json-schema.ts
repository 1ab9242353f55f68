/** Turns the schemas of OpenAPI, Swagger and Google's discovery into JSON Schema, without prose. */

export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly Json[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
}

/** These keywords check nothing, or say how people and code generators see a value. */
const PROSE =
  /^(description|summary|examples?|externalDocs|title|deprecated|default|discriminator|xml|readOnly|writeOnly|id|enumDescriptions|enumDeprecated|annotations|x-.*)$/;
/** The values of these keywords are maps, so their keys are names and not keywords. */
const MAPS = ['properties', 'patternProperties'];

/** Collects the schemas to which other schemas refer. */
export interface SchemaReader {
  /** Returns the schema without prose. The names of a map of properties are kept if `keeps` allows it. */
  read(schema: Json): JsonSchema;
  readonly schemas: Record<string, JsonSchema>;
}

export function schemaReader(options: {
  /** Returns the name and the text of the schema to which a reference points. */
  find(reference: string): { readonly name: string; readonly schema: Json };
  /** Returns false for a property that is left out. The schema is '' outside of named schemas. */
  keeps?: ((schema: string, property: string, value: JsonObject) => boolean) | undefined;
  /** A value of the schema that is a key may also be of these schemas. */
  derived?: Readonly<Record<string, readonly string[]>> | undefined;
}): SchemaReader {
  const schemas: Record<string, JsonSchema> = {};
  const { find, keeps = () => true, derived = {} } = options;

  function refer(reference: string): JsonObject {
    const { name, schema } = find(reference);
    if (!(name in schemas)) {
      // The name is taken before its schema is read, because schemas refer to themselves.
      schemas[name] = {};
      schemas[name] = visit(schema, name) as JsonSchema;
    }
    return { $ref: `#/schemas/${name}` };
  }

  function referToAny(reference: string): JsonObject {
    const own = refer(reference);
    const others = derived[find(reference).name] ?? [];
    const all = others.map((name) => {
      const other = reference.replace(/[^/]+$/, name);
      if (!JSON.stringify(find(other).schema).includes(`"${reference}"`))
        throw new Error(`${name} is not derived from ${reference}`);
      return refer(other);
    });
    return all.length > 0 ? { anyOf: [own, ...all] } : own;
  }

  function visit(schema: Json, owner: string): Json {
    if (Array.isArray(schema)) return schema.map((one) => visit(one, owner));
    if (typeof schema !== 'object' || schema === null) return schema;
    if (typeof schema.$ref === 'string') return referToAny(schema.$ref);
    const { nullable, ...own } = withoutTuple(schema);
    const plain = Object.fromEntries(
      Object.entries(own)
        .filter(([key]) => !PROSE.test(key))
        .map(([key, value]) => [
          key,
          key === 'enum' || key === 'const' || key === 'required'
            ? value
            : MAPS.includes(key)
              ? map(value as JsonObject, owner)
              : key === 'allOf'
                ? (value as Json[]).map((part) => partOf(part, owner))
                : key === 'anyOf' || key === 'oneOf'
                  ? (value as Json[]).map((one) => choiceOf(one, owner))
                  : visit(value, owner),
        ]),
    );
    return nullable === true ? orNull(plain) : withoutNothing(plain);
  }

  /** A derived schema has its base as a part, and not as a value. */
  const partOf = (part: Json, owner: string): Json => {
    const { $ref } = part as JsonObject;
    return typeof $ref === 'string' ? refer($ref) : visit(part, owner);
  };

  /** Some generators write a nullable object without properties for "or null". */
  const choiceOf = (choice: Json, owner: string): Json => {
    const read = visit(choice, owner);
    return JSON.stringify(read) === '{"type":["object","null"]}' ? { type: 'null' } : read;
  };

  const map = (values: JsonObject, owner: string): JsonObject =>
    Object.fromEntries(
      Object.entries(values)
        .filter(([name, value]) => keeps(owner, name, value as JsonObject))
        .map(([name, value]) => [name, visit(value, owner)]),
    );

  return { schemas, read: (schema) => visit(schema, '') as JsonSchema };
}

/** OpenAPI 3.0 says `nullable` where JSON Schema has a type `null`. */
function orNull(schema: JsonObject): JsonObject {
  const { type, enum: values } = schema;
  if (Object.keys(schema).length === 0) return {};
  if (typeof type === 'string' && values === undefined) return { ...schema, type: [type, 'null'] };
  return { anyOf: [schema, { type: 'null' }] };
}

/** `required` must have a name in older drafts. */
function withoutNothing(schema: JsonObject): JsonObject {
  const { required, ...others } = schema;
  return Array.isArray(required) && required.length > 0 ? { ...others, required } : others;
}

/** Slack's document writes a list of schemas into `items` where it means that a value has one of them. */
function withoutTuple(schema: JsonObject): JsonObject {
  const { items, ...own } = schema;
  if (!Array.isArray(items)) return schema;
  return own.type === 'array' ? { ...own, items: { anyOf: items } } : { ...own, anyOf: items };
}
