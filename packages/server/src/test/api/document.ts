/** Reads the OpenAPI document for tests that walk it. */
import { must } from '../../util.ts';
import type { Method } from '../inject.ts';
import type { TestApi } from './harness.ts';

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

export interface Operation {
  readonly method: Method;
  readonly path: string;
  readonly description: string;
  readonly needsKey: boolean;
  readonly query: readonly { name: string; required?: boolean; schema: Schema }[];
  readonly body: Schema | undefined;
  /** The example of a body. */
  readonly example: unknown;
  readonly responses: Readonly<Record<string, unknown>>;
}

/** Browsers open these addresses during a sign-in. The routes answer with pages and redirects, and not with JSON. */
export const BROWSER_PATHS = [
  '/v1/auth/issuer',
  '/v1/auth/callback',
  '/v1/source-connections/callback',
];

type Raw = {
  description?: string;
  security?: unknown[];
  parameters?: { in: string; name: string; required?: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema; example: unknown }> };
  responses: Record<string, { $ref?: string }>;
};

export async function readDocument(api: TestApi) {
  const { body: document } = await api.call('GET', '/openapi.json', { key: null });
  const all: [string, Record<string, Raw>][] = Object.entries(document.paths);
  const paths = all.filter(([path]) => !BROWSER_PATHS.includes(path));
  const operations = paths.flatMap(([path, item]) =>
    Object.entries(item).map(
      ([method, raw]): Operation => ({
        method: method.toUpperCase() as Method,
        path,
        description: raw.description ?? '',
        needsKey: raw.security === undefined,
        query: (raw.parameters ?? []).filter((parameter) => parameter.in === 'query'),
        body: raw.requestBody?.content['application/json']?.schema,
        example: raw.requestBody?.content['application/json']?.example,
        responses: Object.fromEntries(
          Object.entries(raw.responses).map(([status, { $ref, ...answer }]) => [
            status,
            $ref === undefined
              ? answer
              : document.components.responses[$ref.replace('#/components/responses/', '')],
          ]),
        ),
      }),
    ),
  );
  const resolve = (schema: Schema): Schema =>
    schema.$ref === undefined
      ? schema
      : resolve(document.components.schemas[schema.$ref.replace('#/components/schemas/', '')]);
  return { document, operations, resolve };
}

export interface Edge {
  readonly rule: string;
  readonly bad: unknown;
  readonly good?: unknown;
}

/**
 * Returns the edges of a schema: for each rule a value that breaks the rule, and often a value at the limit that keeps
 * it.
 */
export const edges = (schema: Schema): Edge[] => [
  ...WRONG_TYPES.filter(([type]) => type === schema.type).map(([, bad]) => ({ rule: 'type', bad })),
  ...numberEdges(schema),
  ...textEdges(schema),
  ...listEdges(schema),
  ...(schema.enum ? [{ rule: 'enum', bad: 'none of them', good: schema.enum[0] }] : []),
  ...(schema.const === undefined ? [] : [{ rule: 'const', bad: 'another' }]),
  ...(schema.additionalProperties === false ? [{ rule: 'unknown', bad: { nobody: 1 } }] : []),
];

const WRONG_TYPES = [
  ['string', 7],
  ['integer', 1.5],
  ['number', 'text'],
  ['boolean', 'text'],
  ['array', {}],
  ['object', []],
] as const;

function* numberEdges({ minimum, maximum }: Schema): Generator<Edge> {
  if (minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER)
    yield { rule: 'minimum', bad: minimum - 1, good: minimum };
  if (maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER)
    yield { rule: 'maximum', bad: maximum + 1, good: maximum };
}

function* textEdges(schema: Schema): Generator<Edge> {
  const { minLength, maxLength, pattern, format } = schema;
  const isPlain = pattern === undefined && format === undefined;
  const good = (length: number) => (isPlain ? { good: 'x'.repeat(length) } : {});
  if (minLength !== undefined && minLength > 0)
    yield { rule: 'minLength', bad: 'x'.repeat(minLength - 1), ...good(minLength) };
  if (maxLength !== undefined)
    yield { rule: 'maxLength', bad: 'x'.repeat(maxLength + 1), ...good(maxLength) };
  if (format === 'uuid') yield { rule: 'format', bad: 'no-uuid' };
  if (pattern === undefined) return;
  const bad = ['-', '\n', 'A', ''].find((text) => !new RegExp(pattern).test(text));
  yield { rule: 'pattern', bad: must(bad, `no candidate breaks the pattern ${pattern}`) };
}

function* listEdges({ minItems, maxItems }: Schema): Generator<Edge> {
  if (minItems !== undefined && minItems > 0)
    yield { rule: 'minItems', bad: Array(minItems - 1).fill(null) };
  if (maxItems !== undefined) yield { rule: 'maxItems', bad: Array(maxItems + 1).fill(null) };
}
