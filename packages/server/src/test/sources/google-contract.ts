/**
 * Checks the requests of a connector to Google, and the answers of a fake of Google, against Google's discovery
 * documents. google-contract.json says where its facts come from.
 */
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { must } from '../../util.ts';
import type { PeerRequest } from './cloud-peer.ts';

interface Parameter {
  readonly type: 'string' | 'boolean' | 'integer';
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly required?: boolean;
}
interface Operation {
  readonly query: Readonly<Record<string, Parameter>>;
  /** The value is the name of a schema. A download has none. */
  readonly response?: string;
}
interface Schema {
  readonly $ref?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}
interface Contract {
  readonly operations: Readonly<Record<string, Operation>>;
  readonly schemas: Readonly<Record<string, Schema>>;
}

const contract: Contract = JSON.parse(
  readFileSync(new URL('./google-contract.json', import.meta.url), 'utf8'),
);
const ajv = new Ajv({ strict: false, validateFormats: false });
ajv.addSchema({ $id: 'google', schemas: contract.schemas });

/** A mask of fields, such as `files(id,owners(emailAddress))`, as a tree. */
export interface FieldMask extends Map<string, FieldMask> {}

/** Throws an Error that names the first part of the request that Google does not document. */
export function checkRequest({ method, url, headers }: PeerRequest): void {
  if (method !== 'GET') throw new Error(`${method} ${url.pathname} changes something`);
  if (!headers['user-agent']) throw new Error('the request does not say who asks');
  const operation = operationAt(url);
  for (const [name, value] of url.searchParams) {
    const parameter = operation.query[name];
    if (!parameter) throw new Error(`${url.pathname} has no parameter ${name}`);
    if (!fits(value, parameter))
      throw new Error(`${name}=${value} of ${url.pathname} does not fit`);
    if (url.searchParams.getAll(name).length > 1) throw new Error(`${name} comes twice`);
  }
  for (const [name, { required }] of Object.entries(operation.query))
    if (required && !url.searchParams.has(name)) throw new Error(`${url.pathname} lacks ${name}`);
  const fields = url.searchParams.get('fields');
  if (fields !== null) checkMask(parseMask(fields), { $ref: `#/schemas/${operation.response}` });
}

/** Throws an Error when Google would not send an answer of this form. */
export function checkAnswer(url: URL, value: unknown): void {
  const { response } = operationAt(url);
  const validate = must(ajv.getSchema(`google#/schemas/${response}`), `${url.pathname}: no schema`);
  if (!validate(value)) throw new Error(`${url.pathname}: ${ajv.errorsText(validate.errors)}`);
}

function operationAt({ pathname }: URL): Operation {
  const found = Object.entries(contract.operations).find(([template]) =>
    new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
  );
  return must(found, `${pathname} is not a path of the contract`)[1];
}

function fits(value: string, { type, enum: allowed, minimum, maximum }: Parameter): boolean {
  if (type === 'boolean') return value === 'true' || value === 'false';
  if (type === 'integer')
    return (
      /^\d+$/.test(value) &&
      Number(value) >= (minimum ?? 0) &&
      Number(value) <= (maximum ?? Number.POSITIVE_INFINITY)
    );
  return value !== '' && (allowed?.includes(value) ?? true);
}

/**
 * Parses a mask as https://developers.google.com/workspace/drive/api/guides/fields-parameter defines it, but without
 * paths and stars.
 */
export function parseMask(text: string): FieldMask {
  let rest = text;
  const level = (): FieldMask => {
    const mask: FieldMask = new Map();
    for (;;) {
      const [name = ''] = /^\w+/.exec(rest) ?? [];
      if (name === '') throw new Error(`the fields '${text}' cannot be read at '${rest}'`);
      rest = rest.slice(name.length);
      const isNested = rest.startsWith('(');
      if (isNested) rest = rest.slice(1);
      mask.set(name, isNested ? level() : new Map());
      if (isNested) {
        if (!rest.startsWith(')')) throw new Error(`the fields '${text}' do not end`);
        rest = rest.slice(1);
      }
      if (!rest.startsWith(',')) return mask;
      rest = rest.slice(1);
    }
  };
  const mask = level();
  if (rest !== '') throw new Error(`the fields '${text}' cannot be read at '${rest}'`);
  return mask;
}

function checkMask(mask: FieldMask, schema: Schema): void {
  const { properties } = resolved(schema);
  for (const [name, inner] of mask) {
    const property = must(properties?.[name], `Google has no field ${name}`);
    if (inner.size > 0) checkMask(inner, property);
  }
}

function resolved(schema: Schema): Schema {
  if (schema.items) return resolved(schema.items);
  const [, name] = /^#\/schemas\/(\w+)$/.exec(schema.$ref ?? '') ?? [];
  return name === undefined ? schema : must(contract.schemas[name], `there is no schema ${name}`);
}

/** Keeps only the fields that the mask names, as Google does. */
export function masked(value: unknown, mask: FieldMask): unknown {
  if (mask.size === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => masked(one, mask));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, inner]) => mask.has(name) && inner !== undefined)
      .map(([name, inner]) => [name, masked(inner, must(mask.get(name)))]),
  );
}
