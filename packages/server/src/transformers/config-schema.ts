/**
 * People write JSON Schemas for the configuration of their transformers. This file checks such schemas, and
 * configurations against them. The schema and the configuration are limited in size, each alone and both together. A
 * schema may refer only to its own parts and never to itself, and its patterns are RE2 expressions. So the time of a
 * check is bounded, no matter who wrote the schema.
 */
import { Ajv as Ajv07, type ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { compileExpression, ExpressionTooLarge } from '../model/expression.ts';
import { canonicalJson } from '../model/hash.ts';

const MAX_CHARACTERS = 64 * 1024;
/** A schema may have this many parts when each reference is replaced by the part to which it refers. */
const MAX_PARTS = 5000;
const MAX_LEVELS = 100;
/**
 * A schema may need this many comparisons for each value of a configuration: one for each part and each listed value of
 * the schema, and as many for each pattern as its compiled size.
 */
const MAX_COMPARED = 50_000;
/**
 * The comparisons per value times the characters of a configuration may be at most this many, which take about a
 * second.
 */
const MAX_COMPARISONS = 20_000_000;
const MAX_FAULTS = 20;
const DRAFT_7 = /^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/;
const DRAFT_2020 = /^https?:\/\/json-schema\.org\/draft\/20(19-09|20-12)\/schema#?$/;

/** This error says why the schema cannot be used. */
export class SchemaRefused extends Error {
  override readonly name = 'SchemaRefused';
}

export interface ConfigFault {
  readonly path: readonly string[];
  readonly message: string;
}

/**
 * Returns a function that returns the faults of a configuration; the list is empty when the configuration satisfies the
 * schema. Throws SchemaRefused.
 */
export function compileSchema(
  schema: Readonly<Record<string, unknown>>,
): (config: unknown) => ConfigFault[] {
  const compared = refuseLarge(schema);
  const maxCharacters = Math.min(MAX_CHARACTERS, Math.floor(MAX_COMPARISONS / compared));
  // With `$async`, Ajv would return a promise, and no caller waits for a promise.
  if (Object.hasOwn(schema, '$async')) throw new SchemaRefused('config_schema must not use $async');
  try {
    const validate = compiled(schema);
    // V8 parses the code that Ajv has written only at the first call. The code is nested as deep as the schema is long,
    // so a schema that is too long fails here.
    validate(null);
    return (config) => {
      if (characters(config) > maxCharacters)
        return [{ path: [], message: `must be at most ${maxCharacters} characters of JSON` }];
      try {
        return validate(config) ? [] : (validate.errors ?? []).slice(0, MAX_FAULTS).map(toFault);
      } catch (error) {
        // This call may overflow the stack, because less of the stack may be free than at the first call.
        if (!(error instanceof RangeError)) throw error;
        return [{ path: [], message: 'cannot be checked: config_schema has too many parts' }];
      }
    };
  } catch (error) {
    throw new SchemaRefused(`config_schema is not a JSON Schema: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Each schema has an Ajv of its own, because an Ajv keeps everything that it has compiled. */
function compiled(schema: Readonly<Record<string, unknown>>) {
  const { Ajv, check } = draftOf(schema);
  if (!check.validateSchema(schema)) throw new Error(check.errorsText());
  return withUnique(new Ajv({ ...OPTIONS, validateSchema: false })).compile(schema);
}

function draftOf({ $schema }: Readonly<Record<string, unknown>>) {
  if ($schema === undefined || ($schema as unknown) === null) return draft2020;
  if (typeof $schema === 'string' && DRAFT_7.test($schema)) return draft7;
  if (typeof $schema === 'string' && DRAFT_2020.test($schema)) return draft2020;
  throw new Error(`$schema '${String($schema)}' is not known; leave it out, or name draft 2020-12`);
}

/** RE2 matches in a time that is proportional to the length of the text, whatever the pattern is. */
const re2 = Object.assign(
  (pattern: string) => {
    const compiled = compileExpression(pattern);
    return {
      // Ajv distinguishes expressions by this text.
      toString: () => `/${pattern}/`,
      test: (text: string) => compiled.matcher(text).find(),
      // Ajv expects a RegExp, but calls only these functions of it.
    } as unknown as RegExp;
  },
  { code: 'a function that is never written into a module' },
);

const OPTIONS = {
  strict: false,
  validateFormats: false,
  logger: false as const,
  // Without optimizing, the code is made much faster: the time for optimizing grows with the square of the schema's
  // size.
  code: { regExp: re2, optimize: false },
};
// `check` says whether a schema is valid. It compiles the schema of all schemas only once, because that takes 15 ms.
const draft7 = { Ajv: Ajv07, check: withUnique(new Ajv07(OPTIONS)) };
const draft2020 = { Ajv: Ajv2020, check: withUnique(new Ajv2020(OPTIONS)) };

/**
 * The `uniqueItems` of Ajv compares each item with each other item, which takes quadratic time. This keyword replaces
 * it.
 */
function withUnique<A extends Ajv07>(ajv: A): A {
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (isAsked: boolean, items: readonly unknown[]) =>
      !isAsked || new Set(items.map(canonicalJson)).size === items.length,
    error: { message: 'must NOT have duplicate items' },
  });
  return ajv;
}

export const explainFaults = (faults: readonly ConfigFault[]): string =>
  faults.map(({ path, message }) => [path.join('.'), message].join(' ').trim()).join('; ');

const toFault = ({ instancePath, message, params, keyword }: ErrorObject): ConfigFault => ({
  path: instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')),
  message:
    keyword === 'additionalProperties'
      ? `${message}: '${params.additionalProperty}'`
      : (message ?? 'is invalid'),
});

const characters = (value: unknown): number => JSON.stringify(value)?.length ?? 0;

interface Size {
  readonly parts: number;
  readonly compared: number;
}

/**
 * Returns how many comparisons the schema may need for each value of a configuration, in the sense of MAX_COMPARED.
 * Throws SchemaRefused when the schema is too large or too deep, or refers to itself or to another document.
 */
function refuseLarge(schema: Readonly<Record<string, unknown>>): number {
  if (characters(schema) > MAX_CHARACTERS)
    throw new SchemaRefused(`config_schema is longer than ${MAX_CHARACTERS} characters`);
  const sizes = new Map<unknown, Size>();
  const ancestors = new Set<unknown>();
  const sizeOf = (part: unknown): Size => {
    if (part === null || typeof part !== 'object') return NOTHING;
    const known = sizes.get(part);
    if (known !== undefined) return known;
    if (ancestors.has(part))
      throw new SchemaRefused('config_schema refers to itself: write out the levels that you need');
    if (ancestors.size >= MAX_LEVELS)
      throw new SchemaRefused(`config_schema is nested deeper than ${MAX_LEVELS} levels`);
    ancestors.add(part);
    let parts = 1;
    let compared = 1 + (Array.isArray(part) ? part.length : 0);
    for (const [key, value] of Object.entries(part)) {
      const inner = sizeOf(isName(value) ? referredPart(schema, key, value) : value);
      parts += inner.parts;
      compared += inner.compared + patternSizeOf(key, value);
      refuseMore({ parts, compared });
    }
    ancestors.delete(part);
    const size = { parts, compared };
    sizes.set(part, size);
    return size;
  };
  return sizeOf(schema).compared;
}

const NOTHING: Size = { parts: 0, compared: 0 };

function refuseMore({ parts, compared }: Size): void {
  if (parts > MAX_PARTS) throw new SchemaRefused(`config_schema has more than ${MAX_PARTS} parts`);
  if (compared > MAX_COMPARED)
    throw new SchemaRefused('config_schema lists too much, or has patterns that are too large');
}

/**
 * Returns the size of the patterns in this keyword. A pattern that is not valid counts as 0, because Ajv reports it.
 */
function patternSizeOf(key: string, value: unknown): number {
  if (key === 'patternProperties' && value !== null && typeof value === 'object')
    return Object.keys(value).reduce((sum, pattern) => sum + patternSizeOf('pattern', pattern), 0);
  if (key !== 'pattern' || typeof value !== 'string') return 0;
  try {
    return compileExpression(value).programSize();
  } catch (error) {
    if (error instanceof ExpressionTooLarge)
      throw new SchemaRefused(`config_schema has a pattern that cannot be used: ${error.message}`);
    return 0;
  }
}

const isName = (value: unknown): value is string => typeof value === 'string';

const NAMING = /^\$((dynamic|recursive)(Ref|Anchor)|anchor|id)$/;

/**
 * Returns the part of the schema to which a keyword such as `$ref` refers, or null when the keyword does not refer to a
 * part.
 */
function referredPart(schema: unknown, key: string, value: string): unknown {
  if (NAMING.test(key)) throw new SchemaRefused(`config_schema must not use ${key}`);
  return key === '$ref' ? target(schema, value) : null;
}

/** Returns the part that a reference such as `#/a/b` names. Throws SchemaRefused. */
function target(schema: unknown, ref: string): unknown {
  if (!ref.startsWith('#/'))
    throw new SchemaRefused(
      `config_schema refers to '${ref}': only its own parts (#/$defs/…) can be referred to`,
    );
  let at: unknown = schema;
  for (const part of decoded(ref).slice(2).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    at =
      at !== null && typeof at === 'object' && Object.hasOwn(at, key)
        ? (at as Record<string, unknown>)[key]
        : undefined;
  }
  if (at === undefined) throw new SchemaRefused(`config_schema has no part '${ref}'`);
  return at;
}

function decoded(ref: string): string {
  try {
    return decodeURIComponent(ref);
  } catch {
    // The reference is not percent-encoded, so it is used unchanged.
    return ref;
  }
}
