/** Does everything that the audit log records, and looks what the log says of it. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { makeStartLink } from '../../accounts/start-link.ts';
import { forgetActs } from '../../audit/store.ts';
import { AUDIT_ACTIONS, type AuditAction } from '../../model/audit.ts';
import { makeLocalKey } from '../../organizations/local-key.ts';
import { must } from '../../util.ts';
import { browserOf, cookieOf, type TestBrowser } from '../api/browser.ts';
import { DATABASES } from '../databases.ts';
import { caller } from '../inject.ts';
import { openSignInHouse, type SignInHouse } from '../sign-in/house.ts';
import { type CloudPeer, json, openCloudPeer } from '../sources/cloud-peer.ts';
import { until } from '../until.ts';
import { page, testWorld, type World, whole } from './source.ts';

const PASSWORD = 'a password of nine words is long enough here';
const EMAIL = 'ann@example.com';
const OPERATOR_KEY = 'operator-of-the-audit-0123456789abcdef';
const DAY = 24 * 3_600_000;

interface Shown {
  readonly id: string;
  readonly action: AuditAction;
  readonly actor: { type: string; id: string | null; name: string | null; email: string | null };
  readonly target: { type: string; id: string; name: string | null };
  readonly address: string | null;
  readonly details: Record<string, unknown>;
  readonly created_at: string;
}

for (const database of DATABASES)
  describe(`the audit log on ${database.name}`, () => {
    let house: SignInHouse;
    let peer: CloudPeer;
    let world: World;
    let modules: string;
    let ann: TestBrowser;
    const seen = new Set<string>();
    /** The log may contain none of these. */
    const secrets = [PASSWORD, 'right', 'a-secret-of-the-provider', 'changed later', OPERATOR_KEY];
    before(async () => {
      modules = mkdtempSync(join(tmpdir(), 'quarry-modules-'));
      writeFileSync(
        join(modules, 'copy.mjs'),
        'export const copy = async (entities, _config) => entities;',
      );
      peer = await openCloudPeer(async () => json(200, {}));
      const test = testWorld();
      world = test.world;
      house = await openSignInHouse(database, {
        env: {
          QUARRY_TRANSFORMERS_DIR: modules,
          QUARRY_BACKUP_DIR: join(modules, 'backups'),
          QUARRY_OPERATOR_KEY: OPERATOR_KEY,
        },
        moreSources: async () => [test.source],
      });
    });
    after(async () => {
      await house.close();
      await peer.close();
      rmSync(modules, { recursive: true });
    });

    const log = (query = ''): Promise<Shown[]> => house.ok('GET', `/v1/audit-events${query}`);
    /** Does something, and returns the records of it, the newest first. */
    async function recordsOf(work: () => Promise<unknown>): Promise<Shown[]> {
      const before = await log('?limit=1000');
      await work();
      const now = await log('?limit=1000');
      const made = now.slice(0, now.length - before.length);
      assert.deepEqual(now.slice(made.length), before, 'the log grows at its beginning');
      for (const { action } of made) seen.add(action);
      return made;
    }
    /** Does an act with the admin key, and checks its only record. */
    async function does<Made>(
      action: AuditAction,
      target: (made: Made) => { id: string; name: string | null; details?: object },
      work: () => Promise<Made>,
    ): Promise<Made> {
      let made: Made | undefined;
      const records = await recordsOf(async () => {
        made = await work();
      });
      assert.deepEqual(
        records.map((one) => one.action),
        [action],
      );
      const [record] = records as [Shown];
      const { id, name, details = {} } = target(made as Made);
      const type = must(action.split('.')[0]);
      assert.deepEqual([record.target, record.details], [{ type, id, name }, details]);
      assert.deepEqual(
        [record.actor.type, record.actor.name, record.actor.email, record.address],
        ['api_key', 'First key', 'owner@localhost', '127.0.0.1'],
      );
      assert.ok(Math.abs(Date.parse(record.created_at) - Date.now()) < 60_000);
      return made as Made;
    }

    it('[MEM-11] keys', async () => {
      const key = await does(
        'api_key.created',
        ({ id }: { id: string; key: string }) => ({
          id,
          name: 'Robot',
          details: { role: 'read', all_organizations: false, expires_at: null },
        }),
        () => house.ok('POST', '/v1/api-keys', { name: 'Robot', role: 'read' }),
      );
      const target = () => ({ id: key.id, name: 'Robot' });
      const turned = await does('api_key.rotated', target, () =>
        house.ok('POST', `/v1/api-keys/${key.id}/rotate`),
      );
      secrets.push(key.key, (turned as { key: string }).key);
      await does('api_key.deleted', target, () => house.ok('DELETE', `/v1/api-keys/${key.id}`));
    });

    it('[MEM-11] a key that an operator makes on the machine of the data', async () => {
      const [record] = await recordsOf(async () => {
        secrets.push(
          (await makeLocalKey(house.db, { name: 'Rescue', role: 'admin' }, undefined)).key,
        );
      });
      assert.deepEqual(
        [record?.action, record?.actor, record?.address, record?.target.name, record?.details],
        [
          'api_key.created',
          { type: 'operator', id: null, name: null, email: null },
          null,
          'Rescue',
          { role: 'admin' },
        ],
      );
    });

    it('[MEM-11] members, and what a person does with the own account', async () => {
      const invite = (email: string, role: string) =>
        house.ok('POST', '/v1/members', { email, role });
      const invited = await does(
        'member.invited',
        ({ id }: { id: string; invitation_url: string }) => ({
          id,
          name: EMAIL,
          details: { role: 'member' },
        }),
        () => invite(EMAIL, 'member'),
      );
      const call = caller(house.api, '');
      const open = (url: string, body: object) => call('POST', url, { body, key: null });
      const token = must(invited.invitation_url.split('=')[1]);
      secrets.push(token);
      let cookie = '';
      const [opened, joined] = await recordsOf(async () => {
        const answer = await open('/v1/auth/accept', { token, password: PASSWORD });
        cookie = cookieOf(answer);
        const browser = browserOf({ call }, cookie);
        ann = (method, url, options = {}) =>
          browser(method, url, { ...options, headers: { origin: house.origin } });
      });
      const me = (await ann('GET', '/v1/auth/me')).body.user;
      const self = { type: 'user', id: me.id, name: null, email: EMAIL };
      assert.deepEqual(
        [joined?.action, joined?.actor, joined?.target.id, joined?.details, joined?.address],
        ['member.joined', self, me.id, { role: 'member' }, '127.0.0.1'],
      );
      assert.deepEqual(
        [opened?.action, opened?.actor, opened?.details],
        ['session.opened', self, { way: 'invitation' }],
      );
      secrets.push(must(cookie.split('=')[1]));

      const signIn = () => open('/v1/auth/sign-in', { email: EMAIL, password: PASSWORD });
      const [again] = await recordsOf(signIn);
      assert.deepEqual(again?.details, { way: 'password' });
      const wrong = await recordsOf(() =>
        open('/v1/auth/sign-in', { email: EMAIL, password: 'wrong' }),
      );
      assert.deepEqual(wrong, []);
      const link = must(
        await makeStartLink(house.db, { email: EMAIL, origin: house.origin, endsOthers: false }),
      );
      const secret = must(link.url.split('=')[1]);
      secrets.push(secret);
      const [byLink] = await recordsOf(() => open('/v1/auth/start', { token: secret }));
      assert.deepEqual(byLink?.details, { way: 'link' });

      const [ended] = await recordsOf(() =>
        ann('DELETE', `/v1/auth/sessions/${byLink?.target.id}`),
      );
      assert.deepEqual(
        [ended?.action, ended?.target.id, ended?.actor],
        ['session.ended', byLink?.target.id, self],
      );
      const [changed] = await recordsOf(() =>
        ann('POST', '/v1/auth/password', {
          body: { current_password: PASSWORD, new_password: 'changed later' },
        }),
      );
      assert.deepEqual([changed?.action, changed?.actor], ['password.changed', self]);
      const [out] = await recordsOf(() => ann('POST', '/v1/auth/sign-out'));
      assert.deepEqual([out?.action, out?.target.id], ['session.ended', opened?.target.id]);
      assert.deepEqual(await recordsOf(() => ann('POST', '/v1/auth/sign-out')), []);

      await does(
        'member.updated',
        () => ({ id: me.id, name: EMAIL, details: { role: 'admin' } }),
        () => house.ok('PATCH', `/v1/members/${me.id}`, { role: 'admin' }),
      );
      await does(
        'member.removed',
        () => ({ id: me.id, name: EMAIL }),
        () => house.ok('DELETE', `/v1/members/${me.id}`),
      );
    });

    it('[MEM-11] organizations', async () => {
      const [{ id: own }] = await house.ok('GET', '/v1/organizations');
      const patch = { feature_flags: ['AGENTIC_SEARCH', 'SOURCE_RATE_LIMITING'] };
      await does(
        'organization.updated',
        () => ({ id: own, name: 'My organization', details: patch }),
        () => house.ok('PATCH', `/v1/organizations/${own}`, patch),
      );
      const { id } = await house.ok('POST', '/v1/organizations', { name: 'Second' });
      const headers = { 'x-organization-id': id };
      const theirs = async (): Promise<Shown[]> =>
        (await house.call('GET', '/v1/audit-events', undefined, headers)).body;
      assert.deepEqual(
        (await theirs()).map(({ action, target }) => [action, target.id]),
        [['organization.created', id]],
      );
      seen.add('organization.created');
      await house.ok('PATCH', `/v1/organizations/${id}`, { name: 'Other' });
      const [first] = await theirs();
      assert.deepEqual(
        [first?.action, first?.target.name, first?.details],
        ['organization.updated', 'Other', { name: 'Other' }],
      );
      await does(
        'organization.deleted',
        () => ({ id, name: 'Other' }),
        () => house.ok('DELETE', `/v1/organizations/${id}`),
      );
    });

    it('[MEM-11] collections, connections and held-back deletions', async () => {
      const collection = await does(
        'collection.created',
        ({ id }: { id: string }) => ({ id, name: 'audited' }),
        () => house.ok('POST', '/v1/collections', { name: 'Audited', readable_id: 'audited' }),
      );
      const target = { id: collection.id, name: 'audited' };
      const rename = () => house.ok('PATCH', '/v1/collections/audited', { name: 'Renamed' });
      await does(
        'collection.updated',
        () => ({ ...target, details: { fields: ['name'] } }),
        rename,
      );
      assert.deepEqual(await recordsOf(rename), [], 'nothing has changed');

      world.items = whole(...Array.from({ length: 60 }, (_, i) => page(`p${i}`)));
      const connection = await does(
        'source_connection.created',
        ({ id }: { id: string }) => ({ id, name: 'World', details: { source: 'world' } }),
        () =>
          house.ok('POST', '/v1/source-connections', {
            name: 'World',
            short_name: 'world',
            readable_collection_id: 'audited',
            authentication: { credentials: { password: 'right' } },
            schedule: { cron: null },
          }),
      );
      await house.settled(connection.id);
      const url = `/v1/source-connections/${connection.id}`;
      world.items = whole(page('p0'));
      const synced = await recordsOf(() => house.sync(connection.id, '?force_full_sync=true'));
      assert.deepEqual(synced, [], 'a sync is not an administrative act');
      const [held] = await house.ok('GET', `${url}/jobs`);
      await does(
        'sync_job.deletions_confirmed',
        ({ id }: { id: string }) => ({
          id,
          name: 'World',
          details: { source_connection_id: connection.id },
        }),
        () => house.ok('POST', `${url}/jobs/${held.id}/confirm-deletions`),
      );
      await house.settled(connection.id);
      await does(
        'source_connection.updated',
        () => ({
          id: connection.id,
          name: 'Earth',
          details: { fields: ['name', 'authentication'] },
        }),
        () =>
          house.ok('PATCH', url, {
            name: 'Earth',
            authentication: { credentials: { password: 'right' } },
          }),
      );
      await does(
        'source_connection.deleted',
        () => ({ id: connection.id, name: 'Earth' }),
        () => house.ok('DELETE', url),
      );
      await does(
        'collection.deleted',
        () => target,
        () => house.ok('DELETE', '/v1/collections/audited'),
      );
    });

    it('[MEM-11] a person signs in to a source in a browser', async () => {
      const made = await house.waiting({ sync_immediately: false });
      const again = await does(
        'source_connection.sign_in_renewed',
        () => ({ id: made.id, name: 'My notebook' }),
        () => house.ok('POST', `/v1/source-connections/${made.id}/reinitiate-oauth`),
      );
      const link = (again as { auth: { auth_url: string } }).auth.auth_url;
      secrets.push(must(link.split('/').at(-1)));
      const [signedIn] = await recordsOf(() => house.signIn(link));
      assert.deepEqual(
        [signedIn?.action, signedIn?.target.id, signedIn?.actor.email],
        ['source_connection.signed_in', made.id, 'owner@localhost'],
      );
    });

    it('[MEM-11] auth providers, transformers, webhooks and limits', async () => {
      const provider = await does(
        'auth_provider.created',
        ({ id }: { id: string }) => ({ id, name: 'vault', details: { short_name: 'custom' } }),
        () =>
          house.ok('POST', '/v1/auth-providers', {
            ...{ name: 'Vault', readable_id: 'vault', short_name: 'custom' },
            credentials: { url: peer.baseUrl, secret: 'a-secret-of-the-provider' },
          }),
      );
      const ofProvider = { id: provider.id, name: 'vault' };
      await does(
        'auth_provider.updated',
        () => ({ ...ofProvider, details: { fields: ['credentials'] } }),
        () =>
          house.ok('PUT', '/v1/auth-providers/vault', {
            credentials: { url: peer.baseUrl, secret: 'a-secret-of-the-provider' },
          }),
      );
      await does(
        'auth_provider.deleted',
        () => ofProvider,
        () => house.ok('DELETE', '/v1/auth-providers/vault'),
      );

      const transformer = await does(
        'transformer.created',
        ({ id }: { id: string }) => ({ id, name: 'Copy' }),
        () =>
          house.ok('POST', '/v1/transformers', {
            ...{ name: 'Copy', module_name: 'copy.mjs', method_name: 'copy', config_schema: {} },
            ...{ input_entity_definition_ids: [], output_entity_definition_ids: [] },
          }),
      );
      const ofTransformer = { id: transformer.id, name: 'Copies' };
      const url = `/v1/transformers/${transformer.id}`;
      await does(
        'transformer.updated',
        () => ({ ...ofTransformer, details: { fields: ['name'] } }),
        () => house.ok('PUT', url, { name: 'Copies' }),
      );
      await does(
        'transformer.deleted',
        () => ofTransformer,
        () => house.ok('DELETE', url),
      );

      const subscriptions = '/v1/webhooks/subscriptions';
      const hook = await does(
        'webhook.created',
        ({ id }: { id: string }) => ({
          id,
          name: 'hooks.example.com',
          details: { event_types: ['sync.failed'] },
        }),
        () =>
          house.ok('POST', subscriptions, {
            url: 'https://hooks.example.com/a-path-with-a-token',
            event_types: ['sync.failed'],
          }),
      );
      secrets.push('a-path-with-a-token');
      const ofHook = { id: hook.id, name: 'hooks.example.com' };
      await does(
        'webhook.updated',
        () => ({ ...ofHook, details: { fields: ['disabled'] } }),
        () => house.ok('PATCH', `${subscriptions}/${hook.id}`, { disabled: true }),
      );
      await does(
        'webhook.secret_rotated',
        () => ofHook,
        () => house.ok('POST', `${subscriptions}/${hook.id}/rotate-secret`),
      );
      await does(
        'webhook.deleted',
        () => ofHook,
        () => house.ok('DELETE', `${subscriptions}/${hook.id}`),
      );

      const limit = '/v1/source-rate-limits/provider_proxy';
      const ofLimit = { id: 'provider_proxy', name: null };
      const body = { limit: 5, window_seconds: 60 };
      await does(
        'source_rate_limit.set',
        () => ({ ...ofLimit, details: body }),
        () => house.ok('PUT', limit, body),
      );
      const remove = () => house.call('DELETE', limit);
      await does('source_rate_limit.removed', () => ofLimit, remove);
      assert.deepEqual(await recordsOf(remove), [], 'it was removed before');
    });

    it('[MEM-11] backups, which the operator makes', async () => {
      const operator = caller(house.api, OPERATOR_KEY);
      const made = await operator('POST', '/v1/backups');
      const url = `/v1/backups/${made.body.name}`;
      await until(async () => (await operator('GET', url)).body.status === 'COMPLETED');
      await operator('GET', `${url}/content`);
      await operator('DELETE', url);
      const acts = (await log('?limit=3')).map(({ action, actor, target }) => {
        seen.add(action);
        return [action, actor.type, target.name];
      });
      assert.deepEqual(
        acts,
        ['backup.deleted', 'backup.downloaded', 'backup.created'].map((action) => [
          ...[action, 'operator', made.body.name],
        ]),
      );
    });

    it('[MEM-11] every act of the list was done above, and no record has a secret', async () => {
      assert.deepEqual([...seen].toSorted(), [...AUDIT_ACTIONS].toSorted());
      const rows = await house.db.selectFrom('audit_events').selectAll().execute();
      const text = JSON.stringify(rows);
      for (const secret of secrets) assert.ok(!text.includes(secret), secret);
    });

    it('[MEM-11] an act that fails leaves no record', async () => {
      const refused = await recordsOf(async () => {
        const [{ id }] = (await house.ok('GET', '/v1/members')).filter(
          ({ email }: { email: string }) => email === 'owner@localhost',
        );
        await house.db.deleteFrom('api_keys').where('name', '=', 'Rescue').execute();
        const { status } = await house.call('DELETE', `/v1/members/${id}`);
        assert.equal(status, 409);
      });
      assert.deepEqual(refused, []);
    });

    it('[MEM-11] the log is filtered by action, actor and time, and comes in pages', async () => {
      const keys = await log('?action=api_key.created');
      assert.deepEqual(new Set(keys.map(({ action }) => action)), new Set(['api_key.created']));
      const byAnn = await log(`?actor=${EMAIL}`);
      assert.ok(byAnn.length >= 6);
      const id = must(byAnn[0]?.actor.id);
      assert.deepEqual(await log(`?actor=${id}`), byAnn);
      const all = await house.call('GET', '/v1/audit-events?skip=1&limit=2');
      const total = Number(all.headers['x-total-count']);
      const whole = await log('?limit=1000');
      assert.deepEqual([all.body, total], [whole.slice(1, 3), whole.length]);
      const newest = must(whole[0]);
      await house.db
        .updateTable('audit_events')
        .set((eb) => ({ created_at: eb('created_at', '-', DAY) }))
        .where('id', '<>', newest.id)
        .execute();
      assert.deepEqual(await log(`?since=${newest.created_at}`), [newest]);
      const later = new Date(Date.parse(newest.created_at) + 1).toISOString();
      assert.deepEqual(await log(`?since=${later}`), []);
      assert.equal((await house.call('GET', '/v1/audit-events?action=nothing')).status, 422);
    });

    it('[MEM-11] a record is kept for 365 days', async () => {
      const [newest] = await log('?limit=1');
      const at = Date.parse(must(newest).created_at);
      for await (const _ of forgetActs(house.db, at + 365 * DAY - 1));
      assert.deepEqual(await log(), [newest]);
      for await (const _ of forgetActs(house.db, at + 365 * DAY));
      assert.deepEqual(await log(), []);
    });
  });
