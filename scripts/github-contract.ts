/**
 * Takes from GitHub's published OpenAPI document what the tests of the GitHub sources need, as JSON Schema. The document has
 * 13 MB, and the package that carries it more than 300 MB, so the tests use this extract.
 *
 *   npm pack @octokit/openapi@23.0.2 && tar xzf octokit-openapi-23.0.2.tgz
 *   npm run github:contract -- package/generated/api.github.com.json
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** All are asked with GET. */
const PATHS = [
  '/user',
  '/user/repos',
  '/users/{username}',
  '/users/{username}/repos',
  '/orgs/{org}/repos',
  '/repos/{owner}/{repo}',
  '/repos/{owner}/{repo}/branches',
  '/repos/{owner}/{repo}/branches/{branch}',
  '/repos/{owner}/{repo}/collaborators',
  '/repos/{owner}/{repo}/git/blobs/{file_sha}',
  '/repos/{owner}/{repo}/git/trees/{tree_sha}',
  '/repos/{owner}/{repo}/issues',
  '/repos/{owner}/{repo}/issues/comments',
  '/repos/{owner}/{repo}/issues/{issue_number}/comments',
  '/repos/{owner}/{repo}/pulls/comments',
  '/repos/{owner}/{repo}/pulls/{pull_number}/comments',
  '/search/code',
];
const OUT = new URL(
  '../packages/server/src/test/sources/fixtures/github-contract.json',
  import.meta.url,
);

/** These keywords check nothing. */
const PROSE =
  /^(description|summary|examples?|externalDocs|title|deprecated|default|discriminator|x-.*)$/;

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('give the path of the file api.github.com.json');
const document = JSON.parse(readFileSync(path, 'utf8')) as JsonObject;

const definitions: JsonObject = {};
const operations = Object.fromEntries(PATHS.map((path) => [path, operationOf(path)]));
const version = at('info', 'version');
writeFileSync(OUT, JSON.stringify({ version, operations, definitions }));
console.log(
  `${fileURLToPath(OUT)}: ${PATHS.length} operations, ${Object.keys(definitions).length} schemas`,
);

function operationOf(path: string): Json {
  const { parameters = [], responses } = at('paths', path, 'get') as JsonObject;
  const query = (parameters as JsonObject[])
    .map((parameter) => resolved(parameter))
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema }) => [name as string, schemaOf(schema!)]);
  const { content } = resolved((responses as JsonObject)['200'] as JsonObject) as {
    content: { 'application/json': { schema: Json } };
  };
  return {
    query: Object.fromEntries(query),
    answer: schemaOf(content['application/json'].schema),
  };
}

/**
 * Collects the schemas that a schema refers to, and writes the `nullable` of OpenAPI 3.0 as JSON Schema. The keys of a map
 * are names of properties, and not keywords.
 */
function schemaOf(schema: Json, isMap = false): Json {
  if (Array.isArray(schema)) return schema.map((one) => schemaOf(one));
  if (typeof schema !== 'object' || schema === null) return schema;
  if (typeof schema.$ref === 'string') return { $ref: referenceTo(schema.$ref) };
  if (isMap)
    return Object.fromEntries(Object.entries(schema).map(([key, one]) => [key, schemaOf(one)]));
  const { nullable, ...own } = schema;
  const plain = Object.fromEntries(
    Object.entries(own)
      .filter(([key]) => !PROSE.test(key))
      .map(([key, value]) => [key, schemaOf(value, key === 'properties')]),
  );
  return nullable === true ? { anyOf: [plain, { type: 'null' }] } : plain;
}

function referenceTo(reference: string): string {
  const name = reference.split('/').at(-1)!;
  if (!(name in definitions)) {
    // The name is taken before its schema is read, because schemas refer to themselves.
    definitions[name] = {};
    definitions[name] = schemaOf(at('components', 'schemas', name));
  }
  return `#/definitions/${name}`;
}

function resolved(value: JsonObject): JsonObject {
  if (typeof value.$ref !== 'string') return value;
  return at(...value.$ref.slice(2).split('/')) as JsonObject;
}

function at(...keys: string[]): Json {
  return keys.reduce<Json>((value, key) => {
    const inner = (value as JsonObject)[key];
    if (inner === undefined) throw new Error(`the document has no ${keys.join('/')}`);
    return inner;
  }, document);
}
