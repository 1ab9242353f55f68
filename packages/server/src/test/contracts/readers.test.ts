/** Tests what digests take from documents of each format. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { stringify } from 'yaml';
import { type DigestWish, digestOf, sha256Of } from './digest.ts';
import { documentOf } from './documents.ts';
import { graphqlDigestOf } from './graphql-digest.ts';

const { devDependencies } = JSON.parse(
  readFileSync(new URL('../../../../../package.json', import.meta.url), 'utf8'),
);
const origin = { address: 'https://notes.example', date: '2026-01-01', license: 'MIT', file: 'n' };
const read = (document: object | string, wish: DigestWish) =>
  digestOf(
    { title: 'Notes', origin, ...wish },
    typeof document === 'string' ? document : JSON.stringify(document),
  );

const openApi = (path: object, schemas: object = {}) => ({
  openapi: '3.0.3',
  info: { version: '2' },
  paths: { '/notes': path },
  components: {
    schemas,
    parameters: { limit: { name: 'limit', in: 'query', schema: { type: 'integer' } } },
  },
});
const answering = (schema: object) => ({
  get: { responses: { 200: { content: { 'application/json': { schema } } } } },
});
const GET = { operations: ['GET /notes'] };
const schemaOf = (schema: object, schemas?: object, wish: Partial<DigestWish> = {}) => {
  const { operations, schemas: all } = read(openApi(answering(schema), schemas), {
    ...GET,
    ...wish,
  });
  return { schema: operations['GET /notes']?.answers[200]?.['application/json'], schemas: all };
};

describe('a digest of OpenAPI', () => {
  it('has the schemas in use, without prose, and keeps fields that are called like prose', () => {
    const Note = {
      description: 'A note.',
      'x-tag': 1,
      properties: {
        title: { type: 'string', example: 'a', description: 'Its title.' },
        description: { type: 'string' },
        parent: { $ref: '#/components/schemas/Note' },
      },
    };
    const { schema, schemas } = schemaOf(
      { $ref: '#/components/schemas/Note' },
      { Note, Other: {} },
    );
    assert.deepEqual(schema, { $ref: '#/schemas/Note' });
    const text = { type: 'string' };
    const properties = { title: text, description: text, parent: { $ref: '#/schemas/Note' } };
    assert.deepEqual(schemas, { Note: { properties } });
  });

  it('says null as JSON Schema does', () => {
    const schemaOfType = (schema: object) => schemaOf(schema, { A: {} }).schema;
    assert.deepEqual(schemaOfType({ type: 'string', nullable: true }), {
      type: ['string', 'null'],
    });
    assert.deepEqual(schemaOfType({ enum: ['a'], type: 'string', nullable: true }), {
      anyOf: [{ enum: ['a'], type: 'string' }, { type: 'null' }],
    });
    assert.deepEqual(
      schemaOfType({
        anyOf: [{ $ref: '#/components/schemas/A' }, { type: 'object', nullable: true }],
      }),
      { anyOf: [{ $ref: '#/schemas/A' }, { type: 'null' }] },
    );
    assert.deepEqual(schemaOfType({ properties: { data: { type: 'object', nullable: true } } }), {
      properties: { data: { type: ['object', 'null'] } },
    });
  });

  it('adds derived schemas to values, and not to their own bases', () => {
    const A = { properties: { id: {} } };
    const B = { allOf: [{ $ref: '#/components/schemas/A' }, { properties: { size: {} } }] };
    const given = schemaOf({ $ref: '#/components/schemas/A' }, { A, B }, { derived: { A: ['B'] } });
    assert.deepEqual(given.schema, { anyOf: [{ $ref: '#/schemas/A' }, { $ref: '#/schemas/B' }] });
    assert.deepEqual(given.schemas.B?.allOf?.[0], { $ref: '#/schemas/A' });
    assert.throws(
      () => schemaOf({ $ref: '#/components/schemas/B' }, { A, B }, { derived: { B: ['A'] } }),
      /A is not derived from/,
    );
  });

  it('has parameters of the path and of the operation, and the form of lists', () => {
    const list = { type: 'array', items: { type: 'string' } };
    const document = openApi({
      parameters: [
        { $ref: '#/components/parameters/limit' },
        { name: 'tags', in: 'query', schema: { type: 'string' } },
        { name: 'Authorization', in: 'header', required: true, schema: {} },
      ],
      get: {
        parameters: [
          { name: 'tags', in: 'query', schema: list },
          { name: 'ids', in: 'query', explode: false, schema: list },
        ],
        responses: {},
      },
    });
    assert.deepEqual(read(document, GET).operations['GET /notes']?.parameters, [
      { in: 'query', name: 'limit', schema: { type: 'integer' } },
      { in: 'query', name: 'tags', schema: list },
      { in: 'query', name: 'ids', separator: ',', schema: list },
    ]);
    const deep = { name: 'filter', in: 'query', style: 'deepObject', schema: {} };
    assert.throws(
      () => read(openApi({ get: { parameters: [deep], responses: {} } }), GET),
      /cannot hold the form of the parameter filter/,
    );
  });

  it('is the same for YAML, and needs every operation of the table', () => {
    const document = openApi(answering({ type: 'string' }));
    const { origin: _, ...json } = read(document, GET);
    const { origin: __, ...yaml } = read(stringify(document), GET);
    assert.deepEqual(yaml, json);
    assert.throws(() => read(document, { operations: ['GET /gone'] }), /no operation GET \/gone/);
  });
});

describe('a digest of Swagger 2', () => {
  it('has whole paths, bodies, forms and answers by their types', () => {
    const document = {
      swagger: '2.0',
      info: { version: '1' },
      basePath: '/api',
      consumes: ['application/json'],
      produces: ['application/json'],
      definitions: { Note: { properties: { id: { type: 'integer' } } } },
      paths: {
        '/list': {
          get: {
            parameters: [
              { name: 'ids', in: 'query', type: 'array', items: { type: 'integer' } },
              {
                name: 'tag',
                in: 'query',
                type: 'array',
                items: { type: 'string' },
                collectionFormat: 'multi',
              },
            ],
            responses: { 200: { schema: { $ref: '#/definitions/Note' } }, 204: {} },
          },
          post: {
            consumes: ['application/x-www-form-urlencoded'],
            parameters: [{ name: 'q', in: 'formData', required: true, type: 'string' }],
            responses: {},
          },
          put: {
            parameters: [{ name: 'b', in: 'body', schema: { type: 'object' } }],
            responses: {},
          },
        },
      },
    };
    const { operations } = read(document, {
      operations: ['GET /api/list', 'POST /api/list', 'PUT /api/list'],
    });
    const integers = { type: 'array', items: { type: 'integer' } };
    assert.deepEqual(operations['GET /api/list'], {
      parameters: [
        { in: 'query', name: 'ids', separator: ',', schema: integers },
        { in: 'query', name: 'tag', schema: { type: 'array', items: { type: 'string' } } },
      ],
      answers: { 200: { 'application/json': { $ref: '#/schemas/Note' } }, 204: {} },
    });
    assert.deepEqual(operations['POST /api/list']?.body?.content, {
      'application/x-www-form-urlencoded': {
        type: 'object',
        properties: { q: { type: 'string' } },
        required: ['q'],
      },
    });
    assert.deepEqual(operations['PUT /api/list']?.body?.content, {
      'application/json': { type: 'object' },
    });
  });
});

describe("a digest of Google's discovery", () => {
  it('has the methods of all resources, with the parameters of all methods', () => {
    const list = {
      httpMethod: 'GET',
      path: 'notes/{id}',
      parameters: {
        id: { type: 'string', location: 'path', required: true },
        tag: { type: 'string', location: 'query', repeated: true, description: 'A tag.' },
      },
      response: { $ref: 'Note' },
    };
    const document = {
      discoveryVersion: 'v1',
      version: 'v3',
      revision: '20260501',
      servicePath: 'api/v3/',
      parameters: { fields: { type: 'string', location: 'query' } },
      schemas: {
        Note: {
          id: 'Note',
          type: 'object',
          properties: { id: { type: 'string' }, file: { $ref: 'File' } },
        },
        File: {
          id: 'File',
          type: 'object',
          properties: { size: { type: 'string', format: 'int64' } },
        },
      },
      resources: { notes: { resources: { inner: { methods: { list } } } } },
    };
    const key = 'GET /api/v3/notes/{id}';
    const { version, operations, schemas } = read(document, { operations: [key] });
    assert.equal(version, 'v3 of 20260501');
    assert.deepEqual(operations[key], {
      parameters: [
        { in: 'query', name: 'fields', schema: { type: 'string' } },
        { in: 'path', name: 'id', required: true, schema: { type: 'string' } },
        { in: 'query', name: 'tag', schema: { type: 'array', items: { type: 'string' } } },
      ],
      answers: { 200: { 'application/json': { $ref: '#/schemas/Note' } } },
    });
    assert.deepEqual(Object.keys(schemas), ['File', 'Note']);
    assert.throws(() => read(document, { operations: ['GET /api/v3/gone'] }), /no operation/);
  });
});

describe('a digest of the types of a client', () => {
  it('has the answers, and no prose', () => {
    const Note = { type: 'object', properties: { id: { type: 'string', description: 'Its id.' } } };
    const document = { $schema: 'http://json-schema.org/draft-07/schema#', definitions: { Note } };
    const types = { 'GET /notes': 'Note' };
    const { operations, schemas } = read(document, { operations: ['GET /notes'], types });
    assert.deepEqual(operations['GET /notes'], {
      parameters: [],
      answers: { 200: { 'application/json': { $ref: '#/schemas/Note' } } },
    });
    assert.deepEqual(schemas.Note, { type: 'object', properties: { id: { type: 'string' } } });
    const gone = { operations: [], types: { 'GET /notes': 'Gone' } };
    assert.throws(() => read(document, gone), /the client has no type Gone/);
  });
});

describe('a digest of a GraphQL schema', () => {
  const SDL = `
    "A kind."
    enum Kind { "One." PLAIN RICH }
    interface Node { id: ID! }
    type Note implements Node { id: ID! "Its title." title: String kind: Kind! secret: String }
    input Filter { title: String, kind: Kind }
    type Query { notes(filter: Filter, first: Int, must: Boolean!): [Note!]! other: Note }`;
  const make = (selection: Record<string, string>) =>
    graphqlDigestOf({ title: 'Notes', origin, selection }, SDL);

  it('has the selection, arguments that are required, and the values in use', () => {
    const text = make({ Query: 'notes(filter)', Note: 'title kind', Filter: 'title' });
    const [, ...lines] = text.split('\n').filter((line) => line !== '');
    assert.deepEqual(lines.slice(0, 2), [
      '# https://notes.example of 2026-01-01, MIT',
      `# SHA-256 ${sha256Of(SDL)}`,
    ]);
    assert.match(text, /enum Kind \{\n {2}PLAIN\n {2}RICH\n\}/);
    assert.match(text, /type Note \{\n {2}title: String\n {2}kind: Kind!\n\}/);
    assert.match(text, /notes\(filter: Filter, must: Boolean!\): \[Note!\]!/);
    assert.doesNotMatch(text, /"|secret|first|Node/);
  });

  it('needs everything that the table names, and every type of it', () => {
    assert.throws(() => make({ Query: 'gone' }), /the type Query has no field gone/);
    assert.throws(() => make({ Query: 'notes(gone)', Note: 'id' }), /notes takes no gone/);
    assert.throws(() => make({ Gone: 'id' }), /the schema has no type Gone/);
    assert.throws(() => make({ Query: 'other' }), /the selection lacks the types Note/);
  });
});

describe('a document', () => {
  it('is found as a file, in the archive of its package, and in the installed package of its version', () => {
    const folder = mkdtempSync(join(tmpdir(), 'documents-'));
    try {
      const npm = '@acme/documents@1.2.3';
      const at = { ...origin, file: 'api/notes.json' };
      assert.equal(documentOf({ ...at, npm }, folder), null);
      mkdirSync(join(folder, 'package/api'), { recursive: true });
      writeFileSync(join(folder, 'package/api/notes.json'), 'packed');
      const archive = join(folder, 'acme-documents-1.2.3.tgz');
      spawnSync('tar', ['-czf', archive, '-C', folder, 'package']);
      assert.equal(documentOf({ ...at, npm }, folder), 'packed');
      assert.equal(documentOf({ ...at, npm: '@acme/documents@1.2.4' }, folder), null);
      assert.throws(() => documentOf({ ...at, file: 'api/gone.json', npm }, folder), /tar cannot/);
      writeFileSync(join(folder, 'notes.json'), 'given');
      assert.equal(documentOf(at, folder), 'given');
      const installed = { ...origin, file: 'package.json' };
      assert.ok(documentOf({ ...installed, npm: `yaml@${devDependencies.yaml}` }, folder));
      assert.equal(documentOf({ ...installed, npm: 'yaml@0.0.1' }, folder), null);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
