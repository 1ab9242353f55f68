/** Who may use which route, asked of every route of the OpenAPI document. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ROLES, type Role } from '../../context.ts';
import { newId } from '../../util.ts';
import { DATABASES } from '../databases.ts';
import { type Operation, readDocument } from './document.ts';
import { type Caller, openTestApi, type TestApi } from './harness.ts';
import { insertConnection, insertEntity, insertSyncJob } from './rows.ts';

/** The least role, by the contract. */
function roleOf({ method, path }: Operation): Role {
  if (path.startsWith('/v1/api-keys')) return 'admin';
  if (/\/(doctor|reindex|maintenance)\b/.test(path)) return 'admin';
  if (method === 'GET' || path === '/mcp') return 'read';
  if (path.startsWith('/v1/organizations')) return 'admin';
  return /([/-]search(\/stream)?|\/grep)$/.test(path) ? 'read' : 'member';
}

/** Valid bodies of routes that need one, so that the answer depends on the path alone. */
const BODIES: Readonly<Record<string, unknown>> = {
  'PATCH /v1/collections/{readable_id}': {},
  'PATCH /v1/organizations/{id}': {},
  'PATCH /v1/source-connections/{id}': {},
  'PUT /v1/transformers/{id}': {},
  'POST /v1/collections/{readable_id}/agentic-search': { query: 'words' },
  'POST /v1/collections/{readable_id}/agentic-search/stream': { query: 'words' },
  'POST /v1/collections/{readable_id}/contents/grep': { pattern: 'words' },
  'POST /v1/collections/{readable_id}/doctor': {},
  'POST /v1/collections/{readable_id}/search': { query: 'words' },
  'POST /v1/source-connections/{id}/entities': { delete: ['x'] },
  'PATCH /v1/webhooks/subscriptions/{id}': {},
  'POST /v1/webhooks/subscriptions/{id}/recover': { since: '2026-01-01T00:00:00Z' },
};
/** Their identifiers belong to no organization. */
const OF_EVERYBODY = ['/v1/sources/{short_name}', '/v1/entity-definitions/{id}'];

for (const database of DATABASES) {
  describe(`access on ${database.name}`, () => {
    let api: TestApi;
    let operations: readonly Operation[];
    before(async () => {
      api = await openTestApi(await database.open());
      operations = (await readDocument(api)).operations;
    });
    after(() => api.close());

    it('[GEN-15] [GEN-38] [KEY-01] every route but the public ones needs a key', async () => {
      const open = operations.filter(({ needsKey }) => !needsKey).map(({ path }) => path);
      assert.deepEqual(open.toSorted(), [
        '/health',
        '/health/live',
        '/health/ready',
        '/openapi.json',
      ]);
      for (const { method, path, needsKey } of operations) {
        const { status } = await api.call(method, path, { key: null });
        assert.equal(status, needsKey ? 401 : 200, `${method} ${path}`);
      }
    });

    it('[KEY-15] [KEY-16] [KEY-17] [KEY-18] [KEY-29] every route takes its roles and no lesser one', async () => {
      const keys = { read: await api.keyOf('read'), member: await api.keyOf('member') };
      for (const operation of operations.filter(({ needsKey }) => needsKey)) {
        const { method, path, description } = operation;
        const least = roleOf(operation);
        assert.ok(description.endsWith(`Needs the role \`${least}\`.`), `${method} ${path}`);
        for (const role of ROLES) {
          const key = role === 'admin' ? api.adminKey : keys[role];
          const url = path.replaceAll(/\{\w+\}/g, 'nothing');
          const { status, body } = await api.call(method, url, { key });
          const mayUse = ROLES.indexOf(role) >= ROLES.indexOf(least);
          assert.equal(status === 403, !mayUse, `${method} ${path} by ${role}: ${status}`);
          assert.notEqual(status, 401);
          if (!mayUse)
            assert.equal(body.detail, `this needs a key with the role ${least}; yours has ${role}`);
        }
      }
    });

    /** Whose things are out of reach for which key. */
    const outOfReach: readonly (readonly [
      string,
      () => Promise<{ theirs: Caller; key: string }>,
    ])[] = [
      [
        '[KEY-13] another account',
        async () => ({ theirs: await api.stranger(), key: api.adminKey }),
      ],
      [
        '[KEY-32] another organization of the account, for a key without all_organizations',
        async () => ({ theirs: await api.sibling(), key: await api.keyOf('admin') }),
      ],
    ];
    for (const [whose, find] of outOfReach) {
      it(`every route answers 404 for what belongs to ${whose}`, async () => {
        const { theirs: owner, key } = await find();
        const theirs = await belongings(owner);
        const withParams = operations.filter(
          ({ path }) => path.includes('{') && !OF_EVERYBODY.includes(path),
        );
        assert.ok(withParams.length >= 15);
        for (const { method, path } of withParams) {
          const url = theirs.fill(path) + (path.endsWith('/read') ? `?id=${theirs.entity}` : '');
          const body = BODIES[`${method} ${path}`];
          const answer = await api.call(method, url, { body, key });
          assert.deepEqual(
            [answer.status, answer.body.code],
            [404, 'not_found'],
            `${method} ${path}: ${JSON.stringify(answer.body)}`,
          );
          if (method !== 'GET') continue;
          const own = await api.call('GET', url, { key: theirs.key });
          assert.equal(own.status, 200, `${path}: the test names nothing real`);
        }
      });

      it(`no list contains what belongs to ${whose}`, async () => {
        const { theirs: owner, key } = await find();
        const theirs = await belongings(owner);
        const lists = operations.filter(
          ({ method, path }) => method === 'GET' && path.startsWith('/v1/') && !path.includes('{'),
        );
        assert.ok(lists.length >= 6);
        for (const { path } of lists) {
          const mine = JSON.stringify((await api.call('GET', path, { key })).body);
          for (const id of theirs.ids) assert.ok(!mine.includes(id), `${path} shows ${id}`);
        }
      });
    }

    /** One of everything that a path can name, of that organization. */
    async function belongings({ key, organizationId }: Caller) {
      const body = { name: 'Theirs', readable_id: 'only-theirs' };
      const collection = (await api.call('POST', '/v1/collections', { body, key })).body;
      const connection = await insertConnection(api.db, collection);
      const owner = { id: connection, organization_id: organizationId };
      const job = await insertSyncJob(api.db, owner, 'COMPLETED');
      const entity = await insertEntity(api.db, {
        connection_id: connection,
        collection_id: collection.id,
        organization_id: organizationId,
      });
      const { body: run } = await api.call('POST', '/v1/collections/only-theirs/reindex', { key });
      const transformer = newId();
      const by = { created_by_email: 'a@b.c', modified_by_email: 'a@b.c' };
      await api.db
        .insertInto('transformers')
        .values({
          id: transformer,
          organization_id: organizationId,
          name: 'Theirs',
          method_name: 'copy',
          module_name: 'copy.js',
          config_schema: '{}',
          input_definitions: '[]',
          output_definitions: '[]',
          created_at: 0,
          modified_at: 0,
          ...by,
        })
        .execute();
      const hook = { url: 'https://theirs.example.com', event_types: ['sync.completed'] };
      const { body: subscription } = await api.call('POST', '/v1/webhooks/subscriptions', {
        key,
        body: hook,
      });
      const { body: task } = await api.call(
        'POST',
        `/v1/webhooks/subscriptions/${subscription.id}/recover`,
        { key, body: { since: '2026-01-01T00:00:00Z' } },
      );
      const [message] = (await api.call('GET', '/v1/webhooks/messages', { key })).body;
      const [apiKey] = (await api.call('GET', '/v1/api-keys', { key })).body;
      const idIn: Readonly<Record<string, string>> = {
        'source-connections': connection,
        subscriptions: subscription.id,
        'api-keys': apiKey.id,
        organizations: organizationId,
        transformers: transformer,
      };
      const named: Readonly<Record<string, string>> = {
        readable_id: 'only-theirs',
        job_id: job,
        entity_id: entity,
        run_id: run.id,
        task_id: task.id,
        message_id: message.id,
      };
      return {
        key,
        entity: `source-${entity}`,
        ids: [
          collection.id,
          connection,
          job,
          entity,
          run.id,
          subscription.id,
          task.id,
          message.id,
          apiKey.id,
          transformer,
          organizationId,
        ],
        fill: (path: string) =>
          path.replaceAll(/\/([\w-]+)\/\{(\w+)\}/g, (_all, before: string, name: string) => {
            const value = named[name] ?? idIn[before];
            assert.ok(value, `what is {${name}} in ${path}?`);
            return `/${before}/${value}`;
          }),
      };
    }
  });
}
