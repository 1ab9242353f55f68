/** Asks every route of the OpenAPI document with every role, to test who may use which route. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ROLES, type Role } from '../../model/role.ts';
import { DATABASES } from '../databases.ts';
import { BODIES, belongings, OF_EVERYBODY, OF_SESSIONS } from './belongings.ts';
import { BROWSER_PATHS, type Operation, readDocument } from './document.ts';
import { type Caller, openTestApi, type TestApi } from './harness.ts';

/** The callers of these routes have no session yet, or give theirs up. */
const OPEN_SIGN_IN = ['accept', 'invitation', 'sign-in', 'sign-out', 'start'].map(
  (name) => `/v1/auth/${name}`,
);

/** Returns the lowest role that may use the route, as the contract says. */
function roleOf({ method, path }: Operation): Role {
  if (/^\/v1\/(api-keys|audit-events|auth-providers|backups|members|system)/.test(path))
    return 'admin';
  if (/\/(access|doctor|reindex|maintenance|usage)\b/.test(path)) return 'admin';
  if (method === 'GET' || path === '/mcp') return 'read';
  if (/^\/v1\/(organizations|source-rate-limits)/.test(path)) return 'admin';
  return /([/-]search(\/stream)?|\/grep)$/.test(path) ? 'read' : 'member';
}

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
      const expected = ['/health', '/health/live', '/health/ready', '/openapi.json'];
      assert.deepEqual(
        open.toSorted(),
        [...expected, '/v1/auth/methods', ...OPEN_SIGN_IN].toSorted(),
      );
      const { document } = await readDocument(api);
      for (const path of BROWSER_PATHS) {
        assert.deepEqual(document.paths[path].get.security, []);
        const { status, headers } = await api.call('GET', path, { key: null });
        if (path.startsWith('/v1/auth/')) {
          assert.equal(status, 303, path);
          assert.match(String(headers.location), /\/sign-in\?refused=\w+$/);
          continue;
        }
        assert.ok([400, 404].includes(status), path);
        assert.equal(headers['content-type'], 'text/html; charset=utf-8');
      }
      for (const { method, path, needsKey } of operations) {
        const { status, body } = await api.call(method, path, { key: null });
        if (OPEN_SIGN_IN.includes(path)) {
          assert.notEqual(status, 401, path);
          continue;
        }
        assert.equal(status, needsKey ? 401 : 200, `${method} ${path}`);
        if (!needsKey) continue;
        const message = String(body.detail ?? body.error.message);
        assert.match(
          message,
          /API key.*the first start prints one.*POST \/v1\/api-keys.*quarry keys/,
        );
      }
    });

    it('[KEY-15] [KEY-16] [KEY-17] [KEY-18] [KEY-29] every route accepts its lowest role and the roles above, and refuses the others', async () => {
      const keys = { read: await api.keyOf('read'), member: await api.keyOf('member') };
      const withKeys = operations.filter(
        ({ needsKey, path }) => needsKey && !OF_SESSIONS.test(path),
      );
      for (const operation of withKeys) {
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
            assert.equal(body.detail, `this needs the role ${least}; you have the role ${role}`);
        }
      }
    });

    /** Each row makes an owner, and a key that must not reach the things of that owner. */
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
      it(`every route answers 404 for the things of ${whose}`, async () => {
        const { theirs: owner, key } = await find();
        const theirs = await belongings(api, owner);
        const withParams = operations.filter(
          ({ path }) =>
            path.includes('{') && !OF_EVERYBODY.includes(path) && !OF_SESSIONS.test(path),
        );
        assert.ok(withParams.length >= 15);
        for (const { method, path } of withParams) {
          const url = theirs.fill(path);
          const body = BODIES[`${method} ${path}`];
          const answer = await api.call(method, url, { body, key });
          assert.deepEqual(
            [answer.status, answer.body.code],
            [404, 'not_found'],
            `${method} ${path}: ${JSON.stringify(answer.body)}`,
          );
          const wayOn =
            /does not exist: (?:GET|POST) \/v1\/\S+ (?:lists them|makes one and gives its id)$/;
          assert.match(answer.body.detail, wayOn, `${method} ${path}`);
          if (method !== 'GET') continue;
          const own = await api.call('GET', url, { key: theirs.key });
          assert.equal(own.status, 200, `${path}: its owner cannot read it either`);
        }
      });

      it(`no list contains the things of ${whose}`, async () => {
        const { theirs: owner, key } = await find();
        const theirs = await belongings(api, owner);
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
  });
}
