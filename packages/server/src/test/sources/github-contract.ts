/**
 * Compares requests and answers with GitHub's published OpenAPI document. The file fixtures/github-contract.json is an
 * extract of it (scripts/github-contract.ts).
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import { must } from '../../util.ts';
import type { PeerAnswer, PeerRequest } from './cloud-peer.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Operation {
  readonly query: Readonly<Record<string, Schema>>;
  readonly answer: Schema;
}

interface Contract {
  readonly operations: Readonly<Record<string, Operation>>;
  readonly definitions: Readonly<Record<string, Schema>>;
}

const contract: Contract = JSON.parse(
  readFileSync(new URL('./fixtures/github-contract.json', import.meta.url), 'utf8'),
);

const ajv = new Ajv({
  strict: false,
  allErrors: true,
  coerceTypes: false,
  formats: {
    uri: (text: string) => URL.canParse(text),
    'date-time': (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text),
    email: (text: string) => /^[^@\s]+@[^@\s]+$/.test(text),
    int64: true,
  },
});
ajv.addSchema({ $id: 'github', definitions: contract.definitions });

const compiled = new Map<string, ValidateFunction>();
/** Compiling one of the largest schemas takes tens of milliseconds, so schemas are compiled only when they are used. */
function validator(key: string, schema: Schema): ValidateFunction {
  const known = compiled.get(key);
  if (known) return known;
  const { definitions } = contract;
  const made = ajv.compile({ ...schema, definitions });
  compiled.set(key, made);
  return made;
}

const templates = Object.keys(contract.operations).map((template) => ({
  template,
  pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  // The path with fewer variables is the more exact one of two that match.
  variables: template.split('{').length,
}));

/** Returns the path of the operation, such as /repos/{owner}/{repo}, or undefined when GitHub has no such operation. */
export const operationOf = (pathname: string): string | undefined =>
  templates
    .filter(({ pattern }) => pattern.test(pathname))
    .toSorted((a, b) => a.variables - b.variables)[0]?.template;

/** Throws an AssertionError when GitHub does not know this request, or never gives this answer to it. */
export function checkExchange(request: PeerRequest, answer: PeerAnswer): void {
  const { url, method, headers } = request;
  assert.equal(method, 'GET', url.href);
  const template = must(operationOf(url.pathname), `GitHub has no operation ${url.pathname}`);
  const { query, answer: schema } = must(contract.operations[template], template);
  for (const [name, text] of url.searchParams) {
    const parameter = must(query[name], `${template} takes no ${name}`);
    const value = parameter.type === 'integer' ? Number(text) : text;
    check(validator(`${template}?${name}`, parameter), value, `${template}?${name}=${text}`);
  }
  const isRaw = String(headers.accept).includes('.raw');
  if (answer.status === 200 && !isRaw)
    check(validator(template, schema), JSON.parse(String(answer.body)), template);
}

function check(validate: ValidateFunction, value: unknown, what: string): void {
  if (!validate(value)) assert.fail(`${what}: ${ajv.errorsText(validate.errors?.slice(0, 5))}`);
}

/** Returns an object of this schema: the given properties, and neutral values for the other required ones. */
export const complete = (name: string, given: Readonly<Record<string, unknown>>) =>
  fill(must(contract.definitions[name], `GitHub has no schema ${name}`), given) as Record<
    string,
    unknown
  >;

function fill(schema: Schema, given?: unknown): unknown {
  if (schema.$ref) return fill(contract.definitions[schema.$ref.split('/').at(-1)!]!, given);
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
  if (given !== undefined && !isObject) return given;
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

function neutral(schema: Schema): unknown {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.some(({ type }) => type === 'null') ? null : fill(choices[0]!);
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((one) => fill(one)));
  if (schema.enum) return schema.enum[0];
  if (schema.format === 'uri') return 'https://api.github.com/';
  if (schema.format === 'date-time') return '2020-01-01T00:00:00Z';
  if (schema.format === 'email') return 'somebody@example.org';
  if (schema.type === 'integer' || schema.type === 'number') return 0;
  if (schema.type === 'boolean') return false;
  if (schema.type === 'array') return [];
  if (schema.type === 'object') return {};
  return '';
}
