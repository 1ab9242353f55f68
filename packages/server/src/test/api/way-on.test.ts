/** Tests that every refusal says what is possible instead, on every route of the OpenAPI document. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { must } from '../../util.ts';
import { DATABASES } from '../databases.ts';
import type { Method } from '../inject.ts';
import { BODIES } from './belongings.ts';
import { type Operation, readDocument, type Schema } from './document.ts';
import { openTestApi, type TestApi } from './harness.ts';

/** Routes that create something without an id in their path get a valid body. */
const NEW: Readonly<Record<string, unknown>> = {
  'POST /v1/api-keys': { name: 'Key', role: 'read' },
  'POST /v1/auth-providers': { name: 'Provider', short_name: 'custom', credentials: {} },
  'POST /v1/collections': { name: 'Some notes' },
  'POST /v1/auth/accept': { token: 'x', password: 'long enough' },
  'POST /v1/auth/invitation': { token: 'x' },
  'POST /v1/auth/password': { new_password: 'long enough' },
  'POST /v1/auth/start': { token: 'x' },
  'POST /v1/auth/sign-in': { email: 'a@example.com', password: 'x' },
  'POST /v1/members': { email: 'a@example.com', role: 'read' },
  'POST /v1/organizations': { name: 'Acme' },
  'POST /v1/search': { query: 'words' },
  'POST /v1/source-connections': {
    name: 'Pushes',
    short_name: 'push',
    readable_collection_id: 'notes',
  },
  'POST /v1/transformers': {
    name: 'Shorten',
    method_name: 'shorten',
    module_name: 'a.js',
    input_entity_definition_ids: [],
    output_entity_definition_ids: [],
    config_schema: {},
  },
  'POST /v1/webhooks/subscriptions': { url: 'https://example.org/', event_types: ['sync.failed'] },
};

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as Method[];
const filled = (path: string) => path.replaceAll(/\{\w+\}/g, 'nothing');

for (const database of DATABASES) {
  describe(`refusals that say what is possible instead, on ${database.name}`, () => {
    let api: TestApi;
    let operations: readonly Operation[];
    let resolve: (schema: Schema) => Schema;
    before(async () => {
      api = await openTestApi(await database.open());
      ({ operations, resolve } = await readDocument(api));
    });
    after(() => api.close());

    it('[GEN-43] a wrong method answers 405 on every path, and Allow names the right ones', async () => {
      const paths = Map.groupBy(operations, ({ path }) => path);
      assert.ok(paths.size >= 40);
      for (const [path, here] of paths) {
        const right = here.map(({ method }) => method);
        for (const method of METHODS) {
          if (right.includes(method) || path === '/mcp') continue;
          const { status, headers, body } = await api.call(method, filled(path));
          // These methods are right for another route, where `count` is the id of a collection.
          const isOther = /^\/v1\/collections\/count$/.test(path) && /PATCH|DELETE/.test(method);
          if (isOther) continue;
          assert.deepEqual([status, body.code], [405, 'method_not_allowed'], `${method} ${path}`);
          const allowed = String(headers.allow).split(', ');
          assert.ok(
            right.every((one) => allowed.includes(one)),
            `${path}: ${allowed}`,
          );
          assert.ok(!allowed.includes(method));
          assert.equal(allowed.includes('HEAD'), allowed.includes('GET'));
          assert.equal(body.detail, `${method} is not possible here: use ${allowed.join(' or ')}`);
        }
      }
    });

    it('[GEN-43] [GEN-04] [GEN-05] a wrong method answers 405 for every spelling of the path, for any body, and without a key', async () => {
      const key = null;
      const headers = { 'content-type': 'text/plain' };
      for (const url of [
        '/v1/collections',
        '/v1/collections/',
        '/api/v1/collections',
        '/api/v1/collections//?a=b',
      ]) {
        const answer = await api.call('PUT', url, { key, headers, body: '{' });
        assert.deepEqual([answer.status, answer.headers.allow], [405, 'GET, HEAD, POST']);
      }
      const reference = await api.call('POST', '/docs', { key });
      assert.deepEqual([reference.status, reference.headers.allow], [405, 'GET, HEAD']);
      for (const method of ['PROPFIND', 'TRACE', 'REPORT'] as string[] as Method[]) {
        const answer = await api.call(method, '/v1/collections', { key });
        assert.deepEqual([answer.status, answer.headers.allow], [405, 'GET, HEAD, POST'], method);
      }
    });

    it('[GEN-43] a path that does not exist answers 404 for every method, and a very long id is treated like any other id', async () => {
      for (const url of ['/v1/nothing', '/v1', '/v2/collections'])
        for (const method of METHODS) {
          const { status, headers, body } = await api.call(method, url);
          assert.deepEqual([status, headers.allow], [404, undefined], `${method} ${url}`);
          assert.match(
            body.detail,
            /\/docs shows the existing ones, and GET \/openapi.json lists them/,
          );
        }
      const long = `/v1/collections/${'x'.repeat(1000)}`;
      assert.equal((await api.call('GET', long)).status, 404);
      assert.equal((await api.call('PUT', long)).status, 405);
    });

    it('[GEN-44] an unknown query parameter answers 422 on every route, and the answer names the known parameters', async () => {
      const below = operations.filter(({ path }) => path.startsWith('/v1/'));
      assert.ok(below.length >= 50);
      for (const { method, path, query } of below) {
        const body = { ...BODIES, ...NEW }[`${method} ${path}`];
        const answer = await api.call(method, `${filled(path)}?nonsense=1`, { body });
        assert.equal(answer.status, 422, `${method} ${path}`);
        const names = query.map(({ name }) => name);
        const hint = names.length === 0 ? 'this route takes none' : `use ${names.join(', ')}`;
        assert.deepEqual(
          answer.body.detail.find(({ loc }: { loc: string[] }) => loc[1] === 'nonsense'),
          {
            loc: ['query', 'nonsense'],
            msg: `the parameter 'nonsense' is not known: ${hint}`,
            type: 'unrecognized_key',
          },
          `${method} ${path}: ${JSON.stringify(answer.body)}`,
        );
      }
    });

    it('[GEN-44] a request with an unknown parameter changes nothing, and other faults are listed beside it', async () => {
      const body = { name: 'Some notes', readable_id: 'notes' };
      const made = await api.call('POST', '/v1/collections?dry_run=true', { body });
      assert.equal(made.status, 422);
      assert.equal((await api.call('GET', '/v1/collections/notes')).status, 404);
      const { body: listed } = await api.call('GET', '/v1/collections?limit=0&Search=x');
      assert.deepEqual(
        listed.detail.map(({ loc }: { loc: string[] }) => loc),
        [
          ['query', 'limit'],
          ['query', 'Search'],
        ],
      );
    });

    it('[GEN-44] paths outside of /v1 ignore unknown parameters', async () => {
      for (const url of ['/health?_=1', '/health/ready?a', '/openapi.json?v=2', '/docs?x=y'])
        assert.equal((await api.call('GET', url)).status, 200, url);
    });

    it('[GEN-20] an unknown field answers 422 on every route, and the answer names the known fields', async () => {
      const takers = operations.filter(({ body }) => body && resolve(body).properties);
      assert.ok(takers.length >= 15);
      await api.call('POST', '/v1/collections', {
        body: { name: 'Pushes', readable_id: 'pushes' },
      });
      const made = { name: 'Pushed', short_name: 'push', readable_collection_id: 'pushes' };
      const { id } = (await api.call('POST', '/v1/source-connections', { body: made })).body;
      for (const { method, path, body } of takers) {
        // The body of a push is read only when its connection exists.
        const url = path.endsWith('/entities') ? path.replace(/\{\w+\}/, id) : filled(path);
        const answer = await api.call(method, url, { body: { nonsense: 1 } });
        const fault = answer.body.detail.find(
          ({ loc }: { loc: string[] }) => loc[1] === 'nonsense',
        );
        const names = Object.keys(must(resolve(must(body)).properties));
        const msg = `the field 'nonsense' is not known: use ${names.join(', ')}`;
        assert.equal(fault?.msg, msg, `${method} ${path}: ${JSON.stringify(answer.body)}`);
      }
    });
  });
}
