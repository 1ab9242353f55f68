/** The operator makes, reads, checks and deletes backups by the API. */
import assert from 'node:assert/strict';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { order } from '../../backups/order.ts';
import { must } from '../../util.ts';
import { openTestApi } from '../api/harness.ts';
import { insertOrganization } from '../api/rows.ts';
import { openTestQuarry, type TestQuarry } from '../app/quarry.ts';
import { DATABASES } from '../databases.ts';
import { caller } from '../inject.ts';
import { until } from '../until.ts';
import { EMPTY_DATABASES, restoreFrom } from './copies.ts';

const OPERATOR_KEY = 'operator-of-the-tests-0123456789abcdef';

for (const database of DATABASES)
  describe(`backups by the API on ${database.name}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'quarry-backups-'));
    const backups = join(folder, 'made by the worker');
    let quarry: TestQuarry;
    before(async () => {
      quarry = await openTestQuarry(await database.open(), {
        env: { QUARRY_BACKUP_DIR: backups },
      });
      await quarry.ok('POST', '/v1/collections', { name: 'Birds', readable_id: 'birds' });
    });
    after(async () => {
      await quarry.close();
      rmSync(folder, { recursive: true });
    });

    const ended = (name: string) =>
      until(async () => {
        const backup = await quarry.ok('GET', `/v1/backups/${name}`);
        return ['COMPLETED', 'FAILED'].includes(backup.status) && backup;
      });
    const checked = (name: string) =>
      until(async () => {
        const { check } = await quarry.ok('GET', `/v1/backups/${name}`);
        return ['COMPLETED', 'FAILED'].includes(check?.status) && check;
      });
    async function make() {
      const { status, body } = await quarry.call('POST', '/v1/backups');
      assert.equal(status, 202, JSON.stringify(body));
      const made = await ended(body.name);
      assert.equal(made.status, 'COMPLETED', made.error);
      return made;
    }
    const download = (name: string, headers: Record<string, string> = {}) =>
      quarry.api.inject({
        ...{ method: 'GET', url: `/v1/backups/${name}/content` },
        headers: { authorization: `Bearer ${quarry.key}`, ...headers },
      });

    it('are made in the background, listed, downloaded whole and in parts, and restored to the same digest', async () => {
      const made = await make();
      assert.match(made.name, /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-[0-9a-f]{6}\.quarry$/);
      assert.equal(made.is_available, true);
      assert.ok(made.rows > 5 && made.tables > 40 && made.size_bytes > 500);
      const list = await quarry.call('GET', '/v1/backups');
      assert.deepEqual([list.headers['x-total-count'], list.body], ['1', [made]]);
      assert.deepEqual(readdirSync(backups), [made.name]);

      const whole = await download(made.name);
      const { headers } = whole;
      assert.equal(whole.statusCode, 200);
      assert.equal(Number(headers['content-length']), made.size_bytes);
      assert.equal(headers['content-type'], 'application/octet-stream');
      assert.equal(headers['content-disposition'], `attachment; filename="${made.name}"`);
      assert.equal(headers['cache-control'], 'no-store');
      const bytes = whole.rawPayload;
      assert.equal(bytes.length, made.size_bytes);
      const rest = await download(made.name, {
        ...{ range: 'bytes=100-', 'if-range': `${headers.etag}` },
      });
      assert.deepEqual(
        [rest.statusCode, rest.headers['content-range'], rest.rawPayload],
        [206, `bytes 100-${bytes.length - 1}/${bytes.length}`, bytes.subarray(100)],
      );
      const other = await download(made.name, { range: 'bytes=100-', 'if-range': '"other"' });
      assert.deepEqual([other.statusCode, other.rawPayload], [200, bytes]);
      const behind = await download(made.name, { range: `bytes=${bytes.length}-` });
      assert.deepEqual([behind.statusCode, behind.json().code], [416, 'range_not_satisfiable']);

      const head = await quarry.api.inject({
        ...{ method: 'HEAD', url: `/v1/backups/${made.name}/content` },
        headers: { authorization: `Bearer ${quarry.key}` },
      });
      assert.deepEqual(
        [head.statusCode, Number(head.headers['content-length']), head.rawPayload.length],
        [200, bytes.length, 0],
      );

      const copy = join(folder, `copy-${database.name}`);
      writeFileSync(copy, bytes);
      for (const empty of EMPTY_DATABASES) {
        const target = await empty.open();
        assert.equal(await restoreFrom(copy, target), made.digest, empty.name);
        await target.close();
      }
    });

    it('are checked: a damaged file, and one of another backup, are named as what they are', async () => {
      const [first, second] = [await make(), await make()];
      const check = async (name: string) => {
        const { status, body } = await quarry.call('POST', `/v1/backups/${name}/check`);
        assert.equal(status, 202, JSON.stringify(body));
        return checked(name);
      };
      assert.equal(first.check, null);
      const good = await check(first.name);
      assert.deepEqual([good.status, good.error], ['COMPLETED', null]);
      const bytes = (await download(second.name)).rawPayload;
      writeFileSync(join(backups, first.name), bytes);
      const strange = await check(first.name);
      assert.deepEqual(
        [strange.status, strange.error],
        ['FAILED', 'the file is a whole backup, but not the one of this name'],
      );
      bytes[200] = 255 - (bytes[200] ?? 0);
      writeFileSync(join(backups, first.name), bytes);
      assert.match((await check(first.name)).error, /is damaged/);
      appendFileSync(join(backups, first.name), 'more');
      assert.equal((await quarry.ok('GET', `/v1/backups/${first.name}`)).is_available, false);
      const { statusCode, body } = await download(first.name);
      assert.equal(statusCode, 409, body);
      assert.match(body, /is not in the folder of the process that answers, or was changed/);
    });

    it('are deleted with their files, also when somebody has removed the file', async () => {
      const [first, second] = [await make(), await make()];
      await quarry.ok('DELETE', `/v1/backups/${first.name}`);
      assert.equal(existsSync(join(backups, first.name)), false);
      assert.equal((await quarry.call('GET', `/v1/backups/${first.name}`)).status, 404);
      rmSync(join(backups, second.name));
      const { body } = await quarry.call('DELETE', `/v1/backups/${second.name}`);
      assert.equal(body.is_available, false);
      assert.equal((await quarry.call('DELETE', `/v1/backups/${second.name}`)).status, 404);
    });

    it('have no names but those that were given, so that nobody reads another file', async () => {
      writeFileSync(join(folder, 'secret.quarry'), 'secret');
      for (const name of ['..%2Fsecret.quarry', '%2e%2e%2fsecret.quarry', 'secret.quarry', '..'])
        for (const [method, end] of [
          ['GET', ''],
          ['GET', '/content'],
          ['POST', '/check'],
          ['DELETE', ''],
        ] as const) {
          const { status } = await quarry.call(method, `/v1/backups/${name}${end}`);
          assert.ok([404, 405].includes(status), `${method} ${name}${end}: ${status}`);
        }
      assert.equal(existsSync(join(folder, 'secret.quarry')), true);
    });

    it('are in the audit log: who made, downloaded and deleted which', async () => {
      const { name } = await make();
      await download(name);
      await quarry.ok('DELETE', `/v1/backups/${name}`);
      const acts = await quarry.ok('GET', '/v1/audit-events?limit=3');
      assert.deepEqual(
        acts.map(({ action, target, actor }: Record<string, any>) => [
          action,
          target.name,
          actor.type,
        ]),
        ['deleted', 'downloaded', 'created'].map((what) => [`backup.${what}`, name, 'api_key']),
      );
    });

    it('are refused to the admin of one organization of several, on every route', async () => {
      const made = await make();
      const second = await quarry.ok('POST', '/v1/organizations', { name: 'Second' });
      const inSecond = { 'x-organization-id': second.id };
      const keyBody = { name: 'Admin of the second', role: 'admin' };
      const { key } = await quarry.ok('POST', '/v1/api-keys', keyBody, inSecond);
      const asTenant = caller(quarry.api, key);
      const limited = (await quarry.ok('POST', '/v1/api-keys', keyBody)).key;
      const routes = [
        ['POST', '/v1/backups'],
        ['GET', '/v1/backups'],
        ['GET', `/v1/backups/${made.name}`],
        ['GET', `/v1/backups/${made.name}/content`],
        ['POST', `/v1/backups/${made.name}/check`],
        ['DELETE', `/v1/backups/${made.name}`],
      ] as const;
      for (const [method, url] of routes)
        for (const one of [key, limited]) {
          const { status, body } = await asTenant(method, url, { key: one });
          assert.equal(status, 403, `${method} ${url}`);
          assert.match(body.detail, /this key does not reach all of them: use the first key/);
        }
      assert.equal((await quarry.ok('GET', '/v1/backups')).length > 0, true);
      // Nobody has made this account an admin of the third organization.
      await insertOrganization(quarry.db);
      for (const [method, url] of routes)
        assert.equal((await quarry.call(method, url)).status, 403, `${method} ${url}`);
      assert.equal(existsSync(join(backups, made.name)), true);
    });
  });

describe('the operator of an install that others share', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quarry-backups-'));
  let shared: TestQuarry;
  before(async () => {
    const env = {
      QUARRY_BACKUP_DIR: folder,
      QUARRY_PUBLIC_URL: 'https://quarry.example.com',
    };
    const operated = { ...env, QUARRY_OPERATOR_KEY: OPERATOR_KEY };
    const without = await openTestQuarry(await must(DATABASES[0]).open(), { env });
    const { status, body } = await without.call('GET', '/v1/backups');
    assert.equal(status, 403);
    assert.match(body.detail, /not a single-user install: its operator sets QUARRY_OPERATOR_KEY/);
    await without.close();
    shared = await openTestQuarry(await must(DATABASES[0]).open(), { env: operated });
  });
  after(async () => {
    await shared.close();
    rmSync(folder, { recursive: true });
  });

  it('uses the key that the settings name, which nobody else has and which opens nothing else', async () => {
    const { status, body } = await shared.call('POST', '/v1/backups');
    assert.equal(status, 403);
    assert.match(body.detail, /only the key of the operator may ask for it/);
    const asOperator = caller(shared.api, OPERATOR_KEY);
    const { name } = (await asOperator('POST', '/v1/backups')).body;
    await until(async () => {
      const made = (await asOperator('GET', `/v1/backups/${name}`)).body;
      assert.notEqual(made.status, 'FAILED', made.error);
      return made.status === 'COMPLETED';
    });
    const inHeader = { key: null, headers: { 'x-api-key': OPERATOR_KEY } };
    assert.equal((await asOperator('GET', '/v1/backups', inHeader)).status, 200);
    const almost = { key: `${OPERATOR_KEY}.` };
    assert.equal((await asOperator('GET', '/v1/backups', almost)).status, 401);
    for (const url of ['/v1/collections', '/v1/system', '/v1/audit-events', '/v1/api-keys'])
      assert.equal((await asOperator('GET', url)).status, 401, url);
    const [act] = await shared.ok('GET', '/v1/audit-events?action=backup.created');
    assert.deepEqual([act.target.name, act.actor.type, act.actor.id], [name, 'operator', null]);
  });
});

describe('backups without a worker', () => {
  it('are made one at a time, and cannot be read, checked or deleted before they have ended', async () => {
    const api = await openTestApi(await must(DATABASES[0]).open());
    const { status, body: waiting } = await api.call('POST', '/v1/backups');
    assert.deepEqual([status, waiting.status, waiting.is_available], [202, 'PENDING', false]);
    const again = await api.call('POST', '/v1/backups');
    assert.equal(again.status, 409);
    assert.match(
      again.body.detail,
      new RegExp(`is being made already \\(${waiting.name}\\): wait`),
    );
    for (const [method, end] of [
      ['GET', '/content'],
      ['POST', '/check'],
      ['DELETE', ''],
    ] as const) {
      const { status: refused } = await api.call(method, `/v1/backups/${waiting.name}${end}`);
      assert.equal(refused, 409, `${method} ${end}`);
    }
    await api.close();
  });

  it('are refused with what to do when no folder is set', async () => {
    const api = await openTestApi(await must(DATABASES[0]).open(), { backups: null });
    for (const method of ['GET', 'POST'] as const) {
      const { status, body } = await api.call(method, '/v1/backups');
      assert.equal(status, 409);
      assert.match(body.detail, /backups have no folder: set QUARRY_BACKUP_DIR to the same folder/);
    }
    await api.close();
  });
});

describe('a worker without a folder of backups', () => {
  it('leaves them to other workers, and does other work', async () => {
    const quarry = await openTestQuarry(await must(DATABASES[0]).open());
    await quarry.db
      .transaction()
      .execute((tx) => order(tx, { trigger: 'request', now: Date.now() }));
    await quarry.ok('POST', '/v1/collections', { name: 'Birds', readable_id: 'birds' });
    await quarry.ok('DELETE', '/v1/collections/birds');
    const left = await until(async () => {
      const jobs = await quarry.db.selectFrom('jobs').select(['name', 'attempts']).execute();
      return jobs.length === 1 && jobs;
    });
    assert.deepEqual(
      left.map(({ name, attempts }) => [name, attempts]),
      [['backup.run', 0]],
    );
    await quarry.close();
  });
});

describe('a folder that cannot be written', () => {
  it('ends a backup with what to do, and the next one is made', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quarry-backups-'));
    const file = join(folder, 'file');
    writeFileSync(file, 'no folder');
    const quarry = await openTestQuarry(await must(DATABASES[0]).open(), {
      env: { QUARRY_BACKUP_DIR: file },
    });
    const { name } = await quarry.ok('POST', '/v1/backups');
    const ended = (of: string) =>
      until(async () => {
        const backup = await quarry.ok('GET', `/v1/backups/${of}`);
        return backup.ended_at !== null && backup;
      });
    const failed = await ended(name);
    assert.equal(failed.status, 'FAILED');
    assert.match(failed.error, /the folder .*file cannot be made: EEXIST.*QUARRY_BACKUP_DIR$/);
    assert.equal((await quarry.call('GET', `/v1/backups/${name}/content`)).status, 409);
    rmSync(file);
    const second = await quarry.ok('POST', '/v1/backups');
    assert.equal((await ended(second.name)).status, 'COMPLETED');
    await quarry.ok('DELETE', `/v1/backups/${name}`);
    await quarry.close();
    rmSync(folder, { recursive: true });
  });
});
