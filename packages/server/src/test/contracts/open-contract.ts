/**
 * Checks the requests of a connector, and the answers of a fake, by the digest of the vendor's document. Unknown
 * operations, parameters and fields are errors, and so are answers that the vendor would not give. At the end of its
 * test file, a contract says how much it has checked.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { must } from '../../util.ts';
import type { PeerAnswer, PeerRequest } from '../sources/cloud-peer.ts';
import { amended } from './amend.ts';
import { type Complete, completer } from './complete.ts';
import type { Amendment, HttpContract } from './contract.ts';
import { type CheckCounts, countChecks } from './counts.ts';
import type { Digest, DigestBody, DigestOperation } from './digest.ts';
import type { JsonSchema } from './json-schema.ts';
import { digestFile } from './make-digest.ts';
import { readValue } from './parameters.ts';
import { HTTP_CONTRACTS, type HttpContractName } from './table.ts';
import { createValidator } from './validator.ts';

export interface OpenContract {
  readonly digest: Digest;
  /** Returns the operation that a request with this method asks for, such as `GET /users/{id}`, or undefined. */
  operationOf(request: Pick<PeerRequest, 'method' | 'url'>): string | undefined;
  /** Throws an AssertionError that names the first thing that the vendor does not know. Returns the operation. */
  checkRequest(request: PeerRequest): string;
  /** Throws an AssertionError when the vendor never gives this answer to the request. */
  checkAnswer(request: PeerRequest, answer: PeerAnswer): void;
  /** Checks both, and returns the answer. */
  checked(request: PeerRequest, answer: PeerAnswer): PeerAnswer;
  /** Returns an object of the schema: the given fields, and neutral values for the other required ones. */
  readonly complete: Complete;
  /** Follows references of the digest to the schema itself. */
  resolved(schema: JsonSchema): JsonSchema;
  readonly counts: CheckCounts;
}

const opened = new Map<string, OpenContract>();

/** A contract is opened once in a process, so all fakes of a test file share its counts. */
export function openContract(name: HttpContractName): OpenContract {
  const known = opened.get(name);
  if (known) return known;
  const contract: HttpContract = HTTP_CONTRACTS[name];
  const { amendments = [], answersBy } = contract;
  const documents = answersBy ? [contract, HTTP_CONTRACTS[answersBy]] : [contract];
  const one = openDigest(readDigest(name), { amendments, counts: countChecks(...documents) });
  opened.set(name, one);
  return one;
}

/** Returns the digest, with the answers of the client's types where the contract takes them from there. */
export function readDigest(name: HttpContractName): Digest {
  const digest: Digest = JSON.parse(readFileSync(digestFile(name), 'utf8'));
  const { answersBy }: HttpContract = HTTP_CONTRACTS[name];
  if (!answersBy) return digest;
  const { operations, schemas } = readDigest(answersBy);
  const twice = Object.keys(schemas).filter((one) => one in digest.schemas);
  assert.deepEqual(twice, [], `${name} and ${answersBy} have schemas of one name`);
  return {
    ...digest,
    schemas: { ...digest.schemas, ...schemas },
    operations: Object.fromEntries(
      Object.entries(digest.operations).map(([key, operation]) => [
        key,
        { ...operation, answers: { ...operation.answers, ...operations[key]?.answers } },
      ]),
    ),
  };
}

export function openDigest(
  given: Digest,
  {
    amendments = [] as readonly Amendment[],
    counts = { requests: 0, answers: 0 } as CheckCounts,
  } = {},
): OpenContract {
  const digest = amended(given, amendments);
  const { title, operations, schemas } = digest;
  const validator = createValidator(digest, amendments);
  const all = <Key extends keyof Amendment>(key: Key) =>
    amendments.flatMap((one) => (one[key] === undefined ? [] : [one[key]]));
  const aliases = all('paths').flatMap((one) => Object.entries(one));
  const files = Object.assign({}, ...all('files')) as NonNullable<Amendment['files']>;
  const loose = all('loose').flat();
  const refusesWith200 = all('refusesWith200').length > 0;
  const templates = [...Object.keys(operations).map((key) => [key, key] as const), ...aliases]
    .map(([key, operation]) => ({ operation, ...patternOf(key) }))
    // The path with fewer variables is the more exact one of two that match.
    .toSorted((a, b) => a.variables.length - b.variables.length);

  const found = ({ method, url }: Pick<PeerRequest, 'method' | 'url'>) =>
    templates.find((one) => one.method === method && one.pattern.test(url.pathname));

  function check(key: string, schema: JsonSchema, value: unknown): void {
    const fault = validator.faultOf(key, schema, value);
    if (fault !== null) assert.fail(`${title}, ${key}: ${fault}`);
  }

  function checkRequest(request: PeerRequest): string {
    counts.requests++;
    const { method, url } = request;
    const template = must(found(request), `${title} has no operation ${method} ${url.pathname}`);
    const key = template.operation;
    const { parameters, body } = must(operations[key]);
    const texts = template.pattern.exec(url.pathname)?.slice(1) ?? [];
    for (const [i, name] of template.variables.entries())
      checkParameter('path', name, [decodeURIComponent(texts[i] ?? '')]);
    for (const name of new Set(url.searchParams.keys()))
      checkParameter('query', name, url.searchParams.getAll(name));
    for (const { in: place, name, required } of parameters) {
      const value = request.headers[name.toLowerCase()];
      if (place === 'header' && value !== undefined) checkParameter('header', name, [value].flat());
      const isThere = place === 'query' ? url.searchParams.has(name) : value !== undefined;
      if (required && place !== 'path' && !isThere)
        assert.fail(`${title}, ${key}: the ${place} lacks ${name}`);
    }
    checkBody(key, body, request);
    return key;

    function checkParameter(place: string, name: string, values: readonly string[]): void {
      const parameter = parameters.find((one) => one.in === place && one.name === name);
      const { schema, separator } = must(
        parameter,
        `${title}, ${key}: there is no ${place} ${name}`,
      );
      const shape = validator.resolved(schema);
      if (shape.type !== 'array' || separator !== undefined)
        assert.equal(values.length, 1, `${title}, ${key}: ${name} comes ${values.length} times`);
      const list = separator === undefined ? values : values[0]!.split(separator);
      const items = list.map((text) => readValue(text, validator.resolved(shape.items ?? shape)));
      check(`${key} ${place} ${name}`, schema, shape.type === 'array' ? items : items[0]);
    }
  }

  function checkBody(key: string, body: DigestOperation['body'], request: PeerRequest): void {
    const { body: text, headers } = request;
    if (!body) {
      assert.equal(text, '', `${title}, ${key}: there is no body`);
      return;
    }
    if (text === '') {
      assert.ok(!body.required, `${title}, ${key}: the body is missing`);
      return;
    }
    const type = typeOf(headers['content-type']);
    const schema = body.content[type];
    assert.ok(schema !== undefined, `${title}, ${key}: the body is not of type ${type}`);
    if (schema === null) return;
    const fields = validator.resolved(schema).properties ?? {};
    const value =
      type === 'application/x-www-form-urlencoded'
        ? Object.fromEntries(
            [...new URLSearchParams(text)].map(([name, one]) => [
              name,
              readValue(one, validator.resolved(fields[name] ?? {})),
            ]),
          )
        : JSON.parse(text);
    check(`${key} body`, schema, value);
  }

  function checkAnswer(request: PeerRequest, answer: PeerAnswer): void {
    counts.answers++;
    const { method, url } = request;
    const key = must(
      found(request),
      `${title} has no operation ${method} ${url.pathname}`,
    ).operation;
    const { answers } = must(operations[key]);
    const { status, headers = {}, body } = answer;
    const type = typeOf(Object.entries(headers).find(([one]) => /^content-type$/i.test(one))?.[1]);
    const content = contentAt(answers, status);
    const isFine = status >= 200 && status < 300;
    if (isFine) assert.ok(content, `${title}, ${key}: there is no answer with status ${status}`);
    if (isFine && (files[key]?.(request) || loose.includes(key))) return;
    const schema = content && schemaFor(content, type);
    if (isFine && !schema && body !== '')
      assert.fail(`${title}, ${key}: there is no answer of type ${type}`);
    if (!schema || !isJson(type)) return;
    const value: unknown = JSON.parse(String(body));
    const refusal =
      refusesWith200 && status === 200 ? schemaFor(answers.default ?? {}, type) : null;
    if (refusal && validator.faultOf(`${key} refusal`, refusal, value) === null) return;
    check(`${key} ${status}`, schema, value);
  }

  return {
    digest,
    counts,
    operationOf: (request) => found(request)?.operation,
    checkRequest,
    checkAnswer,
    checked(request, answer) {
      checkRequest(request);
      checkAnswer(request, answer);
      return answer;
    },
    complete: completer(schemas, title),
    resolved: validator.resolved,
  };
}

function patternOf(key: string) {
  const [method = '', path = ''] = key.split(' ');
  const variables = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
  const pattern = path
    .split(/\{[^}]+\}/)
    .map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join('([^/]+)');
  return { method, variables, pattern: new RegExp(`^${pattern}$`) };
}

/** Returns the texts of the path that have names in the operation, which is such as `GET /users/{id}`. */
export function valuesInPath(operation: string, pathname: string): string[] {
  const texts = pathname.split('/');
  return operation
    .split('/')
    .flatMap((part, i) => (part.startsWith('{') ? [decodeURIComponent(texts[i] ?? '')] : []));
}

const typeOf = (header: string | undefined): string =>
  header?.split(';')[0]?.trim().toLowerCase() ?? '';

const isJson = (type: string): boolean => /^application\/(.*\+)?json$/.test(type);

/** Documents give an answer by its status, by the class of its status, or for all other statuses. */
const contentAt = (answers: DigestOperation['answers'], status: number): DigestBody | undefined =>
  answers[String(status)] ?? answers[`${String(status)[0]}XX`] ?? answers.default;

/** Vendors send JSON under several names. */
const schemaFor = (content: DigestBody, type: string): JsonSchema | null | undefined =>
  content[type] ??
  (isJson(type) ? Object.entries(content).find(([one]) => isJson(one))?.[1] : null);
