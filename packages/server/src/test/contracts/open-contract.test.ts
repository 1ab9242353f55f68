/** Tests the checks of requests and answers, by a digest of a small document. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { json, type PeerAnswer, type PeerRequest } from '../sources/cloud-peer.ts';
import type { Amendment } from './contract.ts';
import { digestOf } from './digest.ts';
import { openDigest } from './open-contract.ts';

const DOCUMENT = {
  openapi: '3.0.3',
  info: { title: 'Notes', version: '2' },
  servers: [{ url: 'https://notes.example/api' }],
  paths: {
    '/notes': {
      get: {
        description: 'This is prose.',
        parameters: [
          { name: 'archived', in: 'query', schema: { type: 'boolean', enum: [false] } },
          { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 } },
          {
            name: 'sort',
            in: 'query',
            required: true,
            schema: { enum: ['new', 'old'], type: 'string' },
          },
          { name: 'tag', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
          {
            name: 'ids',
            in: 'query',
            explode: false,
            schema: { type: 'array', items: { type: 'integer' } },
          },
          { name: 'Notes-Version', in: 'header', required: true, schema: { enum: ['2'] } },
        ],
        responses: {
          200: {
            content: {
              'application/json': {
                schema: { type: 'array', items: { $ref: '#/components/schemas/Note' } },
              },
            },
          },
          '4XX': {
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Fault' } } },
          },
        },
      },
    },
    '/notes/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      get: {
        responses: {
          200: {
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Note' } } },
          },
        },
      },
    },
    '/notes/latest': {
      get: { responses: { 200: { content: { 'text/plain': {} } } } },
    },
    '/search': {
      post: {
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['query'],
                properties: {
                  query: { type: 'string' },
                  filter: { type: 'object', properties: { tag: { type: 'string' } } },
                },
              },
            },
          },
        },
        responses: {
          200: { content: { 'application/json': { schema: { type: 'object' } } } },
          204: { description: 'Nothing.' },
        },
      },
    },
  },
  components: {
    schemas: {
      Fault: { type: 'object', properties: { message: { type: 'string' } } },
      Base: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'integer', description: 'x' },
          title: { type: 'string', nullable: true },
        },
      },
      Note: {
        allOf: [
          { $ref: '#/components/schemas/Base' },
          {
            type: 'object',
            properties: {
              description: { type: 'string' },
              author: { type: 'object', properties: { name: { type: 'string' } } },
              labels: { type: 'object', additionalProperties: { type: 'string' } },
              parent: { nullable: true, allOf: [{ $ref: '#/components/schemas/Base' }] },
              created: { type: 'string', format: 'date-time' },
            },
          },
        ],
      },
    },
  },
};
const ORIGIN = { address: 'https://notes.example', date: '2026-01-01', license: 'MIT', file: 'n' };
const OPERATIONS = [
  'GET /api/notes',
  'GET /api/notes/{id}',
  'GET /api/notes/latest',
  'POST /api/search',
];
const SORTED = '/api/notes?sort=new';

const open = (...amendments: Amendment[]) =>
  openDigest(
    digestOf({ title: 'Notes', origin: ORIGIN, operations: OPERATIONS }, JSON.stringify(DOCUMENT)),
    { amendments },
  );
const contract = open();

function get(path: string, more: Partial<PeerRequest> = {}): PeerRequest {
  const url = new URL(path, 'http://localhost');
  return { method: 'GET', url, headers: { 'notes-version': '2' }, body: '', at: 0, ...more };
}
const post = (body: unknown, type = 'application/json') =>
  get('/api/search', {
    method: 'POST',
    headers: { 'content-type': type },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

describe('the check of a request', () => {
  const refuses = (request: PeerRequest, says: RegExp) =>
    assert.throws(() => contract.checkRequest(request), says);

  it('returns the operation of a request that the document allows', () => {
    assert.equal(
      contract.checkRequest(get(`${SORTED}&archived=false&limit=100&tag=a&tag=b&ids=1,2`)),
      'GET /api/notes',
    );
    assert.equal(contract.checkRequest(get('/api/notes/7')), 'GET /api/notes/{id}');
    assert.equal(contract.checkRequest(get('/api/notes/latest')), 'GET /api/notes/latest');
    assert.equal(contract.checkRequest(post({ query: 'a' })), 'POST /api/search');
  });

  it('refuses an unknown path or method', () => {
    refuses(get('/notes'), /Notes has no operation GET \/notes/);
    refuses(get('/api/notes/7/more'), /no operation/);
    refuses(get('/api/notes', { method: 'DELETE' }), /no operation DELETE/);
  });

  it('refuses a parameter that is unknown, missing, repeated or of another form', () => {
    refuses(get(`${SORTED}&page=2`), /there is no query page/);
    refuses(get('/api/notes'), /the query lacks sort/);
    refuses(get('/api/notes?sort=newest'), /must be equal to one of/);
    refuses(get(`${SORTED}&limit=101`), /must be <= 100/);
    refuses(get(`${SORTED}&limit=ten`), /must be integer/);
    refuses(get(`${SORTED}&archived=no`), /must be boolean/);
    refuses(get(`${SORTED}&archived=true`), /must be equal to one of/);
    refuses(get(`${SORTED}&limit=1&limit=2`), /limit comes 2 times/);
    refuses(get(`${SORTED}&ids=1,b`), /must be integer/);
    refuses(get(SORTED, { headers: {} }), /the header lacks Notes-Version/);
    refuses(get(SORTED, { headers: { 'notes-version': '1' } }), /must be equal to one of/);
    refuses(get('/api/notes/seven'), /must be integer/);
  });

  it('refuses a body that is unknown, missing or of another form', () => {
    refuses(get(SORTED, { body: '{}' }), /there is no body/);
    refuses(post(''), /the body is missing/);
    refuses(post({}), /required property 'query'/);
    refuses(post({ query: 'a', page: 1 }), /has no field page/);
    refuses(post({ query: 'a', filter: { tags: 'b' } }), /filter has no field tags/);
    refuses(post('query=a', 'application/x-www-form-urlencoded'), /not of type/);
  });
});

describe('the check of an answer', () => {
  const notes = get(SORTED);
  const refuses = (answer: PeerAnswer, says: RegExp, request = notes) =>
    assert.throws(() => contract.checkAnswer(request, answer), says);

  it('accepts what the document says', () => {
    const note = {
      id: 1,
      title: null,
      description: 'a',
      author: { name: 'b' },
      labels: { c: 'd' },
    };
    contract.checkAnswer(
      notes,
      json(200, [note, { id: 2, parent: null }, { id: 3, parent: { id: 2 } }]),
    );
    contract.checkAnswer(notes, json(404, { message: 'e' }));
    contract.checkAnswer(notes, json(500, { anything: true }));
    contract.checkAnswer(get('/api/notes/1'), json(200, note));
    contract.checkAnswer(post({ query: 'a' }), { status: 204, body: '' });
  });

  it('refuses a field that is unknown, missing or of another form, at any depth', () => {
    refuses(json(200, [{ id: 1, name: 'a' }]), /has no field name/);
    refuses(json(200, [{ id: 1, author: { email: 'a' } }]), /author has no field email/);
    refuses(json(200, [{ id: 1, parent: { id: 2, author: {} } }]), /has no field author/);
    refuses(json(200, [{ title: 'a' }]), /required property 'id'/);
    refuses(json(200, [{ id: '1' }]), /must be integer/);
    refuses(json(200, [{ id: 1, labels: { a: 1 } }]), /must be string/);
    refuses(json(200, [{ id: 1, created: 'today' }]), /must match format/);
    refuses(json(200, { id: 1 }), /must be array/);
    refuses(json(403, { error: 'a' }), /has no field error/);
  });

  it('refuses a status or a type that the document does not have', () => {
    refuses(json(201, []), /no answer with status 201/);
    refuses(
      { status: 200, headers: { 'content-type': 'text/csv' }, body: 'a' },
      /of type text\/csv/,
    );
    refuses(json(204, {}), /no answer of type/, post({ query: 'a' }));
  });
});

describe('an amendment', () => {
  const isFine = (amendment: Amendment, check: (amended: typeof contract) => void) => {
    assert.throws(() => check(contract));
    check(open(amendment));
  };

  it('allows what the document does not say', () => {
    const reason = 'It is so.';
    isFine({ reason, takes: { 'GET /api/notes': ['page'] } }, (one) =>
      one.checkRequest(get(`${SORTED}&page=2`)),
    );
    isFine({ reason, takes: { 'POST /api/search': ['page'] } }, (one) =>
      one.checkRequest(post({ query: 'a', page: 2 })),
    );
    isFine({ reason, optional: ['sort'] }, (one) => one.checkRequest(get('/api/notes')));
    isFine({ reason, anyValue: ['GET /api/notes sort'] }, (one) =>
      one.checkRequest(get('/api/notes?sort=newest')),
    );
    isFine({ reason, retypes: { id: { type: 'string' } } }, (one) =>
      one.checkAnswer(get(SORTED), json(200, [{ id: 'a' }])),
    );
    isFine({ reason, optional: ['id'] }, (one) => one.checkAnswer(get(SORTED), json(200, [{}])));
    isFine({ reason, paths: { 'GET /api/note({id})': 'GET /api/notes/{id}' } }, (one) =>
      one.checkRequest(get('/api/note(7)')),
    );
    isFine({ reason, open: ['Note'] }, (one) =>
      one.checkAnswer(get(SORTED), json(200, [{ id: 1, more: 2 }])),
    );
    isFine({ reason, open: ['GET /api/notes'] }, (one) =>
      one.checkAnswer(get(SORTED), json(200, [{ id: 1, extra: 2 }])),
    );
    isFine({ reason, files: { 'GET /api/notes/{id}': () => true } }, (one) =>
      one.checkAnswer(get('/api/notes/7'), json(200, 'a file')),
    );
  });
});

describe('a wrong amendment', () => {
  it('is refused when the digest lacks what it names', () => {
    const reason = 'It is so.';
    for (const amendment of [
      { takes: { 'GET /api/gone': ['page'] } },
      { loose: ['GET /api/gone'] },
      { files: { 'GET /api/gone': () => true } },
      { paths: { 'GET /api/here': 'GET /api/gone' } },
      { open: ['Gone'] },
      { adds: { Gone: {} } },
    ])
      assert.throws(() => open({ reason, ...amendment }), /an amendment of Notes names (Gone|GET)/);
  });
});

describe('an open contract', () => {
  it('counts its checks, and completes objects of the document', () => {
    const one = open();
    one.checked(get('/api/notes/7'), json(200, { id: 7 }));
    one.checkRequest(get('/api/notes/7'));
    assert.deepEqual(one.counts, { requests: 2, answers: 1 });
    assert.deepEqual(one.complete('Base', { title: 'a' }), { id: 0, title: 'a' });
    assert.throws(() => one.complete('Paper', {}), /Notes has no schema Paper/);
  });
});
