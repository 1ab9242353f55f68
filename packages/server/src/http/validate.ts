/**
 * Validates requests with the zod schemas of their route. A 422 lists every fault; an unknown field is a fault too. An
 * identifier in the path is never a 422, whatever its form: an unknown identifier is a 404.
 */
import type { FastifyRequest, FastifySchemaCompiler } from 'fastify';
import { z } from 'zod';
import { AppError, type Fault, shown } from '../errors.ts';
import { MAX_ISSUES, manyIssues } from './long-lists.ts';

const PARTS: Readonly<Record<string, string>> = {
  body: 'body',
  querystring: 'query',
  headers: 'headers',
  params: 'path',
};

export const validatorCompiler: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
  const part = PARTS[httpPart ?? ''] ?? 'body';
  return (data: unknown) => {
    // PostgreSQL cannot search for a text with NUL. In bodies, json-body.ts has already refused NUL.
    const withNul = part === 'body' ? [] : keysWithNul(data);
    if (withNul.length > 0 && part === 'path') return { error: nulInPath };
    if (withNul.length > 0)
      return { error: refused(withNul.map((key) => ({ ...NUL, loc: [part, key] }))) };
    const many = part === 'body' ? manyIssues(schema, data, { error: explain }) : [];
    if (many.length > 0) return { error: refusedFor(many, [part]) };
    // Fastify passes a missing body as null.
    const parsed = schema.safeParse(data ?? undefined, { error: explain });
    return parsed.success
      ? { value: parsed.data }
      : { error: refusedFor(parsed.error.issues, [part]) };
  };
};

/** Refuses a body on a route that takes no body, unless it is an empty object. */
export async function refuseUnexpectedBody(req: FastifyRequest): Promise<void> {
  if (req.body === undefined || req.routeOptions.schema?.body || req.is404) return;
  if (typeof req.body !== 'object' || req.body === null || Array.isArray(req.body))
    throw refused([
      { loc: ['body'], msg: 'this route takes no body: send none', type: 'unexpected_body' },
    ]);
  const keys = Object.keys(req.body);
  const unknown = keys.slice(0, MAX_ISSUES);
  if (unknown.length > 0)
    throw refused(unknown.map((key) => unknownField(key, ['body'], listOfNames([]))));
}

const NUL = { msg: 'text must not contain the character NUL', type: 'invalid_text' };
const nulInPath = new AppError(
  404,
  'an identifier cannot hold the character NUL: /docs shows the routes that list the existing identifiers',
  { code: 'not_found' },
);

const keysWithNul = (data: unknown): string[] =>
  Object.entries(data ?? {})
    .filter(([, value]) => String(value).includes('\0'))
    .map(([key]) => key);

const refused = (faults: readonly Fault[]) =>
  new AppError(422, 'the request is not valid', { code: 'invalid', faults });

/** Returns a 422 with a fault for each issue; `loc` is the path of the value in the request. */
export const refusedFor = (issues: readonly z.core.$ZodIssue[], loc: Fault['loc']): AppError =>
  refused(faultsIn(issues, loc));

/** Words the issues that callers often meet. Zod words the others. */
export function explain(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'this field is required';
  if (issue.code === 'too_small' && issue.minimum === 1 && issue.origin === 'string')
    return 'must not be empty';
  if (issue.code === 'too_small' && issue.minimum === 1 && issue.origin === 'array')
    return 'the list is empty: give at least 1 value, or leave the field out where it is optional';
  if (issue.code === 'invalid_format' && issue.format === 'email')
    return 'write an e-mail address, such as ann@example.com';
  if (issue.code !== 'unrecognized_keys' || !(issue.inst instanceof z.ZodObject)) return undefined;
  return listOfNames(Object.keys(issue.inst.shape));
}

const listOfNames = (keys: readonly string[]): string =>
  keys.length === 0 ? 'this route takes none' : `use ${keys.join(', ')}`;

/** `hint` lists the existing fields or parameters. */
const unknownField = (key: string, loc: Fault['loc'], hint: string): Fault => ({
  loc: [...loc, key],
  msg: `the ${String(loc) === 'query' ? 'parameter' : 'field'} '${shown(key)}' is not known: ${hint}`,
  type: 'unrecognized_key',
});

/**
 * When a value has the wrong type, its other faults are left out. For example, zod would also check the length of a
 * text where it expects a list.
 */
function faultsIn(issues: readonly z.core.$ZodIssue[], base: Fault['loc']): Fault[] {
  const mistyped = new Set<string>();
  return issues
    .filter(({ code, path }) => {
      const place = JSON.stringify(path.map(String));
      if (mistyped.has(place)) return false;
      if (code === 'invalid_type') mistyped.add(place);
      return true;
    })
    .flatMap((issue) => faultsOf(issue, base));
}

function faultsOf(issue: z.core.$ZodIssue, base: Fault['loc']): Fault[] {
  const loc = [...base, ...issue.path.map((key) => (typeof key === 'number' ? key : String(key)))];
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, MAX_ISSUES).map((key) => unknownField(key, loc, issue.message));
  if (issue.code === 'invalid_union') {
    // The value fits none of several alternatives. The faults shown are those of the alternative that the caller
    // probably meant: one whose type is right and only whose fields are wrong.
    const meant =
      issue.errors.find((inner) => inner.every(({ path }) => path.length > 0)) ??
      issue.errors.find((inner) => !inner.some(isOtherType));
    if (meant) return faultsIn(meant, loc);
    const types = issue.errors.flat().filter(isOtherType);
    const messages = new Set(types.map(({ message }) => message));
    const [same] = messages.size === 1 ? messages : [];
    const expected = [...new Set(types.map((one) => one.expected))].join(' or ');
    if (expected !== '')
      return [{ loc, msg: same ?? `Invalid input: expected ${expected}`, type: 'invalid_type' }];
  }
  return [{ loc, msg: issue.message, type: issue.code }];
}

const isOtherType = (issue: z.core.$ZodIssue): issue is z.core.$ZodIssueInvalidType =>
  issue.code === 'invalid_type' && issue.path.length === 0;
