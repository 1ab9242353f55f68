import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import pino from 'pino';
import { connect } from '../../db/connect.ts';
import { DATABASES } from '../databases.ts';
import { readDocument } from './document.ts';
import { buildApi, openTestApi, type TestApi } from './harness.ts';

for (const database of DATABASES) {
  describe(`HTTP conventions on ${database.name}`, () => {
    let api: TestApi;
    before(async () => {
      api = await openTestApi(await database.open());
    });
    after(() => api.close());

    const send = (payload: string | Buffer, type = 'application/json') =>
      api.call('POST', '/v1/collections', { body: payload, headers: { 'content-type': type } });

    it('[GEN-04] [GEN-05] /api/v1 and a trailing slash make no difference', async () => {
      await api.call('POST', '/api/v1/collections/', { body: { name: 'Some name' } });
      const plain = await api.call('GET', '/v1/collections?limit=5');
      assert.equal(plain.body.length, 1);
      for (const url of [
        '/v1/collections/?limit=5',
        '/api/v1/collections?limit=5',
        '/api/v1/collections///?limit=5',
      ])
        assert.deepEqual((await api.call('GET', url)).body, plain.body);
      const one = `/v1/collections/${plain.body[0].readable_id}`;
      assert.deepEqual((await api.call('GET', `/api${one}/`)).body, plain.body[0]);
      assert.equal((await api.call('GET', '/api/v1/nope')).status, 404);
      assert.equal((await api.call('GET', '/api/v2/collections')).status, 404);
    });

    it('[GEN-12] request_id equals the header X-Request-ID, which is the value of the client if that value is harmless', async () => {
      const ask = async (sent?: string) => {
        const headers = sent === undefined ? {} : { 'x-request-id': sent };
        const { body, headers: got } = await api.call('GET', '/v1/collections/nope', { headers });
        assert.equal(got['x-request-id'], body.request_id);
        return body.request_id;
      };
      const made = await ask();
      assert.match(made, /^[0-9a-f-]{36}$/);
      assert.notEqual(await ask(), made);
      assert.equal(await ask('my.Request_1-2'), 'my.Request_1-2');
      assert.equal(await ask('x'.repeat(64)), 'x'.repeat(64));
      for (const strange of ['x'.repeat(65), 'a b', '<script>', ''])
        assert.match(await ask(strange), /^[0-9a-f-]{36}$/);
      const fine = await api.call('GET', '/v1/collections', { headers: { 'x-request-id': 'ok' } });
      assert.equal(fine.headers['x-request-id'], 'ok');
    });

    it('[GEN-01] [GEN-12] [GEN-13] every error has the same form of body, in JSON', async () => {
      const errors = [
        [401, 'unauthorized', await api.call('GET', '/v1/collections', { key: null })],
        [
          403,
          'forbidden',
          await api.call('POST', '/v1/collections', { key: await api.keyOf('read') }),
        ],
        [404, 'not_found', await api.call('GET', '/v1/collections/nope')],
        [404, 'not_found', await api.call('GET', '/nowhere')],
        [404, 'not_found', await api.call('GET', '/nowhere', { key: null })],
        [404, 'not_found', await api.call('POST', '/nowhere', { body: { name: 'x' } })],
        [405, 'method_not_allowed', await api.call('PUT', '/v1/collections')],
        [404, 'not_found', await api.call('GET', '/v1/collections/%E0%A4%A')],
        [413, 'too_large', await send('"'.padEnd(1024 * 1024 + 1, 'x'))],
        [415, 'unsupported_media_type', await send('name=x', 'application/x-www-form-urlencoded')],
        [415, 'unsupported_media_type', await send('{}', 'text/plain')],
      ] as const;
      for (const [status, code, answer] of errors) {
        assert.deepEqual([answer.status, answer.body.code], [status, code]);
        assert.deepEqual(Object.keys(answer.body), ['detail', 'code', 'request_id']);
        assert.match(answer.body.detail, /^\S[^\n]{10,}[^.]$/);
        assert.equal(answer.headers['x-request-id'], answer.body.request_id);
        assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
      }
    });

    it('[GEN-15] without a key, or with a wrong one, an endpoint answers 401 and says what to do', async () => {
      const keys =
        'the first start prints one, and more are made by an admin with POST /v1/api-keys, or by the command quarry keys create where the service runs';
      for (const url of ['/v1/collections', '/v1/sync/jobs', '/v1/sync/jobs/x']) {
        const none = await api.call('GET', url, { key: null });
        assert.deepEqual(
          [none.status, none.body.detail, none.headers['www-authenticate']],
          [
            401,
            `give an API key, by Authorization: Bearer <key> or x-api-key: <key>; ${keys}`,
            'Bearer',
          ],
        );
        const wrong = await api.call('GET', url, { key: `quarry_${'x'.repeat(43)}` });
        assert.deepEqual(
          [wrong.status, wrong.body.detail],
          [401, `this API key is unknown, expired or revoked: use another one; ${keys}`],
        );
      }
    });

    it('[GEN-15] no cache stores an answer that needs a key, and whoever has none learns that too', async () => {
      const { operations } = await readDocument(api);
      const asked = operations.filter(({ method, needsKey }) => method === 'GET' && needsKey);
      assert.ok(asked.length >= 40);
      for (const { path } of asked)
        for (const key of [api.adminKey, null]) {
          const { status, headers } = await api.call('GET', path, { key });
          assert.equal(headers['cache-control'], 'no-store', `${status} GET ${path}`);
        }
      const made = await api.call('POST', '/v1/collections', { body: { name: 'Never stored' } });
      assert.deepEqual([made.status, made.headers['cache-control']], [200, 'no-store']);
      const open = await api.call('GET', '/openapi.json', { key: null });
      assert.equal(open.headers['cache-control'], undefined);
    });

    it('[GEN-14] [GEN-20] a 422 lists each fault, and names unknown fields', async () => {
      const body = { name: 'x', readable_id: 'No', colour: 1, sync_config: { a: 1 }, size: 2 };
      const { status, body: answer } = await api.call('POST', '/v1/collections', { body });
      assert.deepEqual([status, answer.code], [422, 'invalid']);
      assert.deepEqual(answer.detail, [
        { loc: ['body', 'name'], msg: 'use at least 4 characters', type: 'too_small' },
        {
          loc: ['body', 'readable_id'],
          msg: 'use lower-case letters and digits in groups joined by single hyphens',
          type: 'invalid_format',
        },
        {
          loc: ['body', 'sync_config', 'handlers'],
          msg: 'this field is required',
          type: 'invalid_type',
        },
        {
          loc: ['body', 'sync_config', 'a'],
          msg: "the field 'a' is not known: use handlers",
          type: 'unrecognized_key',
        },
        ...['colour', 'size'].map((key) => ({
          loc: ['body', key],
          msg: `the field '${key}' is not known: use name, readable_id, sync_config`,
          type: 'unrecognized_key',
        })),
      ]);
    });

    it('[GEN-14] a missing body is reported as one fault of the body', async () => {
      for (const answer of [
        await api.call('POST', '/v1/collections'),
        await send(''),
        await send(' \n'),
        await send('null'),
      ])
        assert.deepEqual(
          [answer.status, answer.body.detail],
          [422, [{ loc: ['body'], msg: 'this field is required', type: 'invalid_type' }]],
        );
    });

    it('[GEN-20] a route without a body refuses fields, and accepts an empty body', async () => {
      await api.call('POST', '/v1/collections', { body: { name: 'Kept', readable_id: 'kept' } });
      const remove = (body: unknown) => api.call('DELETE', '/v1/collections/kept', { body });
      assert.deepEqual((await remove({ force: true })).body.detail, [
        {
          loc: ['body', 'force'],
          msg: "the field 'force' is not known: this route takes none",
          type: 'unrecognized_key',
        },
      ]);
      assert.deepEqual((await remove([1])).body.detail, [
        { loc: ['body'], msg: 'this route takes no body: send none', type: 'unexpected_body' },
      ]);
      assert.equal((await remove({})).status, 200);
      const headers = { 'content-type': 'application/json' };
      const empty = await api.call('DELETE', '/v1/collections/kept', { headers });
      assert.equal(empty.status, 404);
    });

    for (const [why, text] of [
      ['cut off', '{"name": "Some'],
      ['not JSON', 'name'],
    ] as const) {
      it(`[GEN-42] a body that is ${why} answers 422`, async () => {
        const { status, body } = await send(text);
        assert.deepEqual(
          [status, body.detail],
          [422, [{ loc: ['body'], msg: 'the body is not valid JSON', type: 'json_invalid' }]],
        );
      });
    }

    it('[GEN-42] a body in another encoding than UTF-8 answers 422', async () => {
      const { status, body } = await send(Buffer.from('{"name": "Café au lait"}', 'latin1'));
      const msg = 'the body is not UTF-8, as JSON must be';
      assert.deepEqual(
        [status, body.detail],
        [422, [{ loc: ['body'], msg, type: 'json_invalid' }]],
      );
      assert.equal((await send(Buffer.from('\ufeff{"name": "Café au lait"}'))).status, 200);
    });

    for (const text of [
      '{"name": "Some name", "__proto__": {"admin": true}}',
      '{"name": "Some name", "constructor": {"prototype": {}}}',
    ]) {
      it(`[GEN-42] a field that changes prototypes answers 422: ${text}`, async () => {
        const { status, body } = await send(text);
        const msg = "no field may be named '__proto__', nor 'prototype' within 'constructor'";
        const fault = { loc: ['body'], msg, type: 'forbidden_field' };
        assert.deepEqual([status, body.detail], [422, [fault]]);
      });
    }

    for (const [text, loc] of [
      ['{"name": "NUL \\u0000"}', ['body', 'name']],
      ['{"name": "half \\ud83d"}', ['body', 'name']],
      ['{"name": "half \\uDE00"}', ['body', 'name']],
      ['{"name": "fine", "a": [1, {"b": "\\u0000"}]}', ['body', 'a', 1, 'b']],
      ['{"name": "fine", "a\\u0000": 1}', ['body']],
    ] as const) {
      it(`[GEN-42] text that no database can store answers 422: ${text}`, async () => {
        const { status, body } = await send(text);
        assert.equal(status, 422);
        const msg = 'text must be valid Unicode without the character NUL';
        assert.deepEqual(body.detail, [{ loc, msg, type: 'invalid_text' }]);
      });
    }

    it('[GEN-42] texts that no database can store are listed in their order, at most a hundred', async () => {
      const locs = async (text: string) =>
        (await send(text)).body.detail.map(({ loc }: { loc: unknown[] }) => loc.join('.'));
      assert.deepEqual(await locs('{"a": "\\u0000", "b": ["\\ud800"]}'), ['body.a', 'body.b.0']);
      const many = <T>(each: (i: number) => T) => Array.from({ length: 101 }, (_, i) => each(i));
      assert.equal((await locs(`[${many(() => '"\\u0000"')}]`)).length, 100);
      assert.deepEqual(await locs(`{${many((i) => `"\\u0000${i}": 1`)}}`), ['body']);
    });

    it('[GEN-42] escapes of valid text are accepted, and a NUL in a very deep body answers 422', async () => {
      const fine = await send('{"name": "\\ud83d\\ude00 \\\\u0000"}');
      assert.deepEqual([fine.status, fine.body.name], [200, '😀 \\u0000']);
      const deep = 200_000;
      const { status, body } = await send(`${'['.repeat(deep)}"\\u0000"${']'.repeat(deep)}`);
      assert.deepEqual([status, body.detail.length], [422, 1]);
    });

    it('[GEN-42] a body that is nested 200,000 deep answers 422, and a body that is nested 499 deep is read', async () => {
      const of = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
      const { status, body } = await send(`{"name": "Some", "sync_config": ${of(200_000)}}`);
      assert.deepEqual([status, body.detail[0].type], [422, 'too_deep']);
      const read = await send(`{"name": "Some", "sync_config": ${of(499)}}`);
      assert.deepEqual([read.status, read.body.detail[0].loc], [422, ['body', 'sync_config']]);
    });

    it('[GEN-16] a body of exactly the limit is read', async () => {
      const { status, body } = await send(`"${'x'.repeat(1024 * 1024 - 2)}"`);
      assert.deepEqual([status, body.detail[0].type], [422, 'invalid_type']);
    });

    it('[GEN-10] [GEN-11] [GEN-38] health, /docs and /openapi.json need no key', async () => {
      const { body: ready } = await api.call('GET', '/health/ready', { key: null });
      assert.deepEqual(ready, { status: 'ok', problems: [] });
      for (const url of ['/health', '/health/live'])
        assert.deepEqual((await api.call('GET', url, { key: null })).body, { status: 'ok' });
      for (const url of ['/docs', '/docs/', '/openapi.json'])
        assert.equal((await api.call('GET', url, { key: null })).status, 200);
    });

    it('[GEN-10] [GEN-15] HEAD answers as GET would, without a body', async () => {
      for (const [url, key] of [
        ['/health/ready', ''],
        ['/v1/collections', ''],
        ['/v1/collections', api.adminKey],
        ['/v1/collections/nothing', api.adminKey],
      ] as const) {
        const headers = { 'x-api-key': key };
        const [get, head] = await Promise.all([
          api.api.inject({ method: 'GET', url, headers }),
          api.api.inject({ method: 'HEAD', url, headers }),
        ]);
        assert.ok(get.body.length > 0);
        assert.equal(head.body, '');
        const facts = ({ statusCode, headers }: typeof get) => [
          statusCode,
          headers['content-type'],
          headers['content-length'],
        ];
        assert.deepEqual(facts(head), facts(get));
      }
    });

    it('[GEN-11] `/health/ready` answers 503 and names what is missing', async () => {
      const unready = async () => ['the database is away', 'the disk is full'];
      const waiting = buildApi(api, { unready });
      const answer = await waiting.inject('/health/ready');
      assert.deepEqual(
        [answer.statusCode, answer.json().detail, answer.headers['retry-after']],
        [503, 'not ready: the database is away, the disk is full', '2'],
      );
      assert.equal((await waiting.inject('/health/live')).statusCode, 200);
      const one = buildApi(api, { unready: async () => ['the database'] });
      assert.equal((await one.inject('/health/ready')).statusCode, 503);
      await one.close();
      await waiting.close();
    });

    it('[GEN-19] a 500 shows no details, and writes one line to the log', async () => {
      const lines: string[] = [];
      const sink = new Writable({
        decodeStrings: false,
        write(line: string, _encoding, done) {
          lines.push(line);
          done();
        },
      });
      const broken = buildApi(api, { log: pino({ level: 'info' }, sink) });
      // The response schema refuses this value.
      const { organizationId } = await api.owner();
      const set = (quotas: string) =>
        api.db
          .updateTable('organizations')
          .set({ quotas })
          .where('id', '=', organizationId)
          .execute();
      const { quotas } = (await api.call('GET', `/v1/organizations/${organizationId}`)).body;
      await set('{"agentic_queries_per_hour":"many"}');
      const answer = await broken.inject({
        url: `/v1/organizations/${organizationId}`,
        headers: { 'x-api-key': api.adminKey, 'x-request-id': 'the-one' },
      });
      await set(JSON.stringify(quotas));
      await broken.close();
      assert.equal(answer.statusCode, 500);
      assert.deepEqual(answer.json(), {
        detail: 'something went wrong on our side; the log has the reason under this request_id',
        code: 'internal',
        request_id: 'the-one',
      });
      const [line, ...rest] = lines.map((text) => JSON.parse(text));
      assert.deepEqual([line.msg, line.reqId, line.level], ['unhandled error', 'the-one', 50]);
      assert.deepEqual(rest, []);
    });

    it('[GEN-19] the headers of an API answer forbid scripts and frames, and those of /docs allow its own scripts', async () => {
      const { headers } = await api.call('GET', '/v1/collections');
      assert.equal(headers['content-security-policy'], "default-src 'none'");
      assert.equal(headers['x-content-type-options'], 'nosniff');
      const page = await api.call('GET', '/docs');
      assert.match(
        String(page.headers['content-security-policy']),
        /script-src 'self' 'unsafe-inline'/,
      );
    });
  });
}

describe('[GEN-18] the API without its database', () => {
  for (const [name, url, kind] of [
    ['a PostgreSQL that is down', 'postgres://nobody@127.0.0.1:1/none', 'postgres'],
    ['a SQLite file that cannot be opened', '/proc/nowhere/quarry.db', 'sqlite'],
  ] as const) {
    it(`${name} answers 503 with Retry-After`, async () => {
      const db = connect(url);
      const errors: string[] = [];
      const log = pino({ level: 'error' }, { write: (line) => errors.push(JSON.parse(line).msg) });
      const api = buildApi({ db, kind }, { log });
      const headers = { 'x-api-key': `quarry_${'x'.repeat(43)}` };
      const answer = await api.inject({ url: '/v1/collections', headers });
      const live = await api.inject('/health/live');
      await api.close();
      await db.destroy();
      assert.deepEqual(
        [answer.statusCode, answer.json().code, answer.headers['retry-after']],
        [503, 'unavailable', '5'],
      );
      const reason = kind === 'sqlite' ? 'opened' : 'reached';
      assert.deepEqual(errors, [`the database cannot be ${reason}`]);
      assert.equal(answer.json().detail, `the database cannot be ${reason}; try again in a moment`);
      assert.equal(live.statusCode, 200);
    });
  }
});
