/** Corrects a digest by the amendments of its contract. */

import type { Amendment } from './contract.ts';
import type { Digest, DigestBody, DigestOperation } from './digest.ts';
import type { JsonSchema } from './json-schema.ts';

type Fields = Readonly<Record<string, JsonSchema>>;

/** Returns a digest whose schemas and parameters say what the amendments know better. */
export function amended(digest: Digest, amendments: readonly Amendment[]): Digest {
  const optional = amendments.flatMap((one) => one.optional ?? []);
  const anyValue = amendments.flatMap((one) => one.anyValue ?? []);
  const retyped: Fields = Object.assign({}, ...amendments.map((one) => one.retypes));
  const mayBeEmpty = amendments.some((one) => one.emptyLists);
  const added = (key: string): Fields =>
    Object.assign({}, ...amendments.map((one) => one.adds?.[key]));
  const taken = (key: string) => amendments.flatMap((one) => one.takes?.[key] ?? []);
  checkKeys(digest, amendments);

  /** Corrects the keywords in all schemas of the value. */
  const corrected = <Value>(value: Value): Value =>
    JSON.parse(JSON.stringify(value), (key, inner) => {
      if (key === 'required' && Array.isArray(inner))
        return inner.filter((name) => !optional.includes(name));
      if (key === 'minItems' && mayBeEmpty) return undefined;
      if (key === 'properties' && inner !== null) {
        for (const name of anyValue) if (inner[name]) delete inner[name].enum;
        for (const name in retyped) if (inner[name]) inner[name] = retyped[name];
      }
      return inner;
    });

  const operationOf = ([key, operation]: [string, DigestOperation]) => {
    const { parameters, body, answers } = corrected(operation);
    return [
      key,
      {
        parameters: [
          ...parameters.map(({ required, ...parameter }) => ({
            ...parameter,
            ...(required && !optional.includes(parameter.name) && { required }),
            ...(anyValue.includes(`${key} ${parameter.name}`) && {
              schema: withoutEnum(parameter.schema),
            }),
          })),
          ...(body ? [] : taken(key)).map((name) => ({
            in: 'query',
            name,
            schema: { type: 'string' },
          })),
        ],
        ...(body && { body: { ...body, content: taking(body.content, taken(key)) } }),
        answers: Object.fromEntries(
          Object.entries(answers).map(([status, content]) => [
            status,
            Object.fromEntries(
              Object.entries(content).map(([type, schema]) => [
                type,
                schema && status.startsWith('2') ? withFields(schema, added(key)) : schema,
              ]),
            ),
          ]),
        ),
      },
    ] as const;
  };

  return {
    ...digest,
    operations: Object.fromEntries(
      Object.entries(digest.operations).map(operationOf),
    ) as Digest['operations'],
    schemas: Object.fromEntries(
      Object.entries(digest.schemas).map(([name, schema]) => [
        name,
        withFields(corrected(schema), added(name)),
      ]),
    ),
  };
}

const withoutEnum = ({ enum: _, items, ...schema }: JsonSchema): JsonSchema => ({
  ...schema,
  ...(items && { items: withoutEnum(items) }),
});

/** A body takes these further fields. */
const taking = (content: DigestBody, names: readonly string[]): DigestBody =>
  Object.fromEntries(
    Object.entries(content).map(([type, schema]) => [
      type,
      schema && withFields(schema, Object.fromEntries(names.map((name) => [name, {}]))),
    ]),
  );

function withFields(schema: JsonSchema, fields: Fields): JsonSchema {
  if (Object.keys(fields).length === 0) return schema;
  if (!schema.properties) return { allOf: [schema, { properties: fields }] };
  return { ...schema, properties: { ...schema.properties, ...fields } };
}

/** Throws an Error when an amendment names an operation or a schema that the digest does not have. */
function checkKeys({ operations, schemas, title }: Digest, amendments: readonly Amendment[]): void {
  for (const {
    takes = {},
    loose = [],
    files = {},
    paths = {},
    adds = {},
    open = [],
  } of amendments) {
    const ofBoth = [...Object.keys(adds), ...open].filter((key) => !(key in schemas));
    const named = [...Object.keys(takes), ...loose, ...Object.keys(files), ...Object.values(paths)];
    for (const key of [...named, ...ofBoth])
      if (!(key in operations)) throw new Error(`an amendment of ${title} names ${key}`);
  }
}
