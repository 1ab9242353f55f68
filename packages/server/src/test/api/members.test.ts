import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { remove as removeMember } from '../../accounts/member-store.ts';
import { hashPassword } from '../../accounts/password.ts';
import { lockOrganization } from '../../db/organization.ts';
import type { Role } from '../../model/role.ts';
import { must } from '../../util.ts';
import { DATABASES, hasOwnClock, somebodyWaits, type TestDatabase } from '../databases.ts';
import { until } from '../until.ts';
import { signInAt } from './browser.ts';
import { openTestApi, type TestApi } from './harness.ts';

const PASSWORD = 'a password of nine words is long enough here';
const DAY = 24 * 3_600_000;

for (const database of DATABASES)
  describe(`members on ${database.name}`, () => {
    let test: TestDatabase;
    let api: TestApi;
    let made = 0;
    let email: string;
    before(async () => {
      test = await database.open();
      api = await openTestApi(test);
    });
    after(() => api.close());
    beforeEach(() => {
      email = `person-${made++}@example.com`;
    });

    const invite = (body: object, key?: string) =>
      api.call('POST', '/v1/members', { body, ...(key !== undefined && { key }) });
    const accept = (body: object) => api.call('POST', '/v1/auth/accept', { body, key: null });
    const list = async () => (await api.call('GET', '/v1/members')).body;
    async function tokenFor(role: Role, key?: string): Promise<string> {
      const { status, body } = await invite({ email, role }, key);
      assert.equal(status, 200, JSON.stringify(body));
      return must(/^http:\/\/localhost\/accept#token=([\w-]{43})$/.exec(body.invitation_url)?.[1]);
    }
    async function join(role: Role) {
      const { status, body } = await accept({ token: await tokenFor(role), password: PASSWORD });
      assert.equal(status, 200, JSON.stringify(body));
      return {
        id: body.user.id as string,
        browser: await signInAt(api, { email, password: PASSWORD }),
      };
    }
    /** Returns how the list of members names the owner, who invites in these tests. */
    async function me() {
      const { id, name, email } = (await api.call('GET', '/v1/auth/me')).body.user;
      return { id, name, email };
    }
    const changeExpiry = (by: number) =>
      api.db
        .updateTable('invitations')
        .set((eb) => ({ expires_at: eb('expires_at', '+', by) }))
        .where('email', '=', email)
        .execute();

    it('[MEM-01] an invitation is listed, and its link works for 7 days', async () => {
      const { body } = await invite({ email: email.toUpperCase(), role: 'member' });
      const { invitation_url, mail, ...member } = body;
      assert.equal(mail.status, 'off');
      assert.deepEqual(
        { ...member, id: '', created_at: '', expires_at: '' },
        {
          id: '',
          email,
          name: null,
          role: 'member',
          status: 'invited',
          created_at: '',
          expires_at: '',
          invited_by: await me(),
        },
      );
      assert.equal(Date.parse(member.expires_at) - Date.parse(member.created_at), 7 * DAY);
      assert.deepEqual((await list())[0], member);
      const stored = await api.db.selectFrom('invitations').selectAll().execute();
      assert.ok(!JSON.stringify(stored).includes(invitation_url.split('=')[1]));
      await changeExpiry(-7 * DAY);
      assert.ok(!(await list()).some((one: { email: string }) => one.email === email));
      const late = await accept({ token: invitation_url.split('=')[1], password: PASSWORD });
      assert.equal(late.status, 404);
    });

    it('[MEM-01] [MEM-02] an invitation works once, and its person can sign in', async () => {
      const token = await tokenFor('member');
      const { status, body } = await accept({ token, password: PASSWORD, name: 'Ann' });
      assert.equal(status, 200);
      assert.deepEqual([body.user.email, body.user.name, body.role], [email, 'Ann', 'member']);
      const again = await accept({ token, password: PASSWORD });
      assert.equal(again.status, 404);
      assert.match(again.body.detail, /has been used/);
      const browser = await signInAt(api, { email, password: PASSWORD });
      assert.equal((await browser('GET', '/v1/auth/me')).body.user.name, 'Ann');
      const [newest] = await list();
      assert.deepEqual([newest.email, newest.status, newest.expires_at], [email, 'active', null]);
    });

    it('[MEM-01] an invitation says what it is for, only to whoever has its token, and until it is used', async () => {
      const token = await tokenFor('member');
      const ask = (body: object) => api.call('POST', '/v1/auth/invitation', { body, key: null });
      const { status, body } = await ask({ token });
      assert.equal(status, 200);
      const { expires_at, ...terms } = body;
      assert.ok(Date.parse(expires_at) > Date.now());
      const { name } = (await api.call('GET', '/v1/auth/me')).body.organization;
      const invited_by = { name: null, email: null };
      assert.deepEqual(terms, { organization: name, email, role: 'member', invited_by });
      assert.equal((await ask({ token: `${token}x` })).status, 404);
      assert.equal((await accept({ token, password: PASSWORD })).status, 200);
      const used = await ask({ token });
      assert.equal(used.status, 404);
      assert.match(used.body.detail, /has been used/);
      for (let i = 0; i < 8; i++) await ask({ token });
      assert.equal((await ask({ token })).status, 429);
      await api.db.deleteFrom('sign_in_failures').execute();
    });

    it('[MEM-01] a second invitation takes the place of the first, and a member is not invited', async () => {
      const first = await tokenFor('read');
      const second = await tokenFor('admin');
      assert.equal((await accept({ token: first, password: PASSWORD })).status, 404);
      assert.equal((await accept({ token: second, password: PASSWORD })).body.role, 'admin');
      assert.equal((await invite({ email, role: 'read' })).status, 409);
    });

    it('[MEM-01] an invitation says who made it, also one that was made by a key', async () => {
      const { id, browser } = await join('admin');
      const inviter = { name: 'Ada', email };
      await api.db.updateTable('users').set({ name: 'Ada' }).where('id', '=', id).execute();
      const { body: made } = await browser('POST', '/v1/api-keys', {
        body: { name: 'theirs', role: 'admin' },
      });
      const ways = [
        (body: object) => browser('POST', '/v1/members', { body }),
        (body: object) => invite(body, made.key),
      ];
      for (const [i, by] of ways.entries()) {
        const { status, body } = await by({ email: `guest-${i}-of-${email}`, role: 'read' });
        assert.equal(status, 200, JSON.stringify(body));
        assert.deepEqual(body.invited_by, { id, ...inviter });
        assert.deepEqual((await list())[0].invited_by, { id, ...inviter });
        const token = body.invitation_url.split('=')[1];
        const terms = await api.call('POST', '/v1/auth/invitation', { body: { token }, key: null });
        assert.deepEqual(terms.body.invited_by, inviter);
      }
      email = `old-${email}`;
      const old = await tokenFor('read');
      await api.db
        .updateTable('invitations')
        .set({ invited_by: null })
        .where('email', '=', email)
        .execute();
      const terms = await api.call('POST', '/v1/auth/invitation', {
        body: { token: old },
        key: null,
      });
      assert.deepEqual([terms.status, terms.body.invited_by], [200, null]);
    });

    it('[MEM-01] [MEM-03] the invitations of an admin end with the admin, because the admin has their links', async () => {
      for (const end of ['removed', 'demoted'] as const) {
        email = `${end}-${email}`;
        const { id, browser } = await join('admin');
        const guest = async (by: typeof browser | null, name: string) => {
          const body = { email: `${name}-of-${email}`, role: 'admin' };
          const made = await (by ? by('POST', '/v1/members', { body }) : invite(body));
          return made.body.invitation_url.split('=')[1] as string;
        };
        const theirs = await guest(browser, 'theirs');
        const other = await guest(null, 'other');
        const { status } =
          end === 'removed'
            ? await api.call('DELETE', `/v1/members/${id}`)
            : await api.call('PATCH', `/v1/members/${id}`, { body: { role: 'member' } });
        assert.equal(status, 200);
        assert.equal((await accept({ token: theirs, password: PASSWORD })).status, 404);
        const left = (await list()).map((one: { email: string }) => one.email);
        assert.ok(!left.includes(`theirs-of-${email}`));
        assert.equal((await accept({ token: other, password: PASSWORD })).status, 200);
      }
    });

    /** Removes a new admin while a request of this admin waits for the organization. The request is refused. */
    async function whileRemoved(send: (key: string) => ReturnType<typeof api.call>) {
      const { id, browser } = await join('admin');
      const { body: made } = await browser('POST', '/v1/api-keys', {
        body: { name: 'theirs', role: 'admin' },
      });
      const { id: organization } = (await api.call('GET', '/v1/auth/me')).body.organization;
      let isAnswered = false;
      const { sending } = await api.db.transaction().execute(async (tx) => {
        await lockOrganization(tx, organization);
        await removeMember(tx, organization, id);
        const sending = send(made.key).finally(() => {
          isAnswered = true;
        });
        await until(async () => isAnswered || (await somebodyWaits(api.db)));
        return { sending };
      });
      // The note of the key's use may be what has waited. Then the request only finds that its key is gone.
      const { status } = await sending;
      assert.ok([401, 403].includes(status), String(status));
    }

    it('[MEM-03] an admin who is removed meanwhile invites nobody', async (t) => {
      if (!hasOwnClock(test)) return t.skip('one connection cannot have two transactions');
      const body = { email: `accomplice-of-${email}`, role: 'admin' };
      await whileRemoved((key) => invite(body, key));
      assert.ok(!(await list()).some((one: { email: string }) => one.email === body.email));
    });

    it('[MEM-03] an admin who is removed meanwhile changes nobody', async (t) => {
      if (!hasOwnClock(test)) return t.skip('one connection cannot have two transactions');
      const { id } = await join('member');
      email = `other-than-${email}`;
      const body = { role: 'read' };
      const change = (key: string) => api.call('PATCH', `/v1/members/${id}`, { key, body });
      await whileRemoved(change);
      const members: { id: string; role: Role }[] = await list();
      assert.equal(members.find((one) => one.id === id)?.role, 'member');
    });

    it('[MEM-03] an invitation is accepted with the role that it has then', async () => {
      const token = await tokenFor('admin');
      const [invited] = await list();
      // The role is changed after the invitation was read and while its password waits for other hashes.
      const hashes = Array.from({ length: 12 }, () => hashPassword(PASSWORD));
      const accepting = accept({ token, password: PASSWORD });
      const body = { role: 'read' };
      assert.equal((await api.call('PATCH', `/v1/members/${invited.id}`, { body })).status, 200);
      assert.equal((await accepting).body.role, 'read');
      await Promise.all(hashes);
    });

    it('[MEM-02] the password of an account that exists is needed to accept', async () => {
      await join('member');
      const other = await api.stranger();
      const token = await tokenFor('admin', other.key);
      assert.equal((await accept({ token, password: `not ${PASSWORD}` })).status, 401);
      const { body } = await accept({ token, password: PASSWORD });
      assert.deepEqual(
        body.organizations.map(({ role }: { role: Role }) => role),
        ['member', 'admin'],
      );
    });

    it('[MEM-02] an account that exists begins in the organization of the invitation', async () => {
      await join('member');
      const other = await api.stranger();
      const { organization } = (await api.call('GET', '/v1/auth/me', { key: other.key })).body;
      const token = await tokenFor('admin', other.key);
      const { body } = await accept({ token, password: PASSWORD });
      assert.deepEqual([body.organization, body.role], [organization, 'admin']);
    });

    it('[MEM-02] an invitation cannot take over an account without a password', async () => {
      const other = await api.stranger();
      ({ email } = other);
      const token = await tokenFor('admin');
      assert.equal((await accept({ token, password: PASSWORD })).status, 409);
      const user = await api.db
        .selectFrom('users')
        .selectAll()
        .where('id', '=', other.userId)
        .executeTakeFirstOrThrow();
      assert.equal(user.password_hash, null);
    });

    it('[MEM-02] of two invitations that are accepted at the same moment, one chooses the password', async () => {
      const other = await api.stranger();
      const acceptBoth = async () => {
        const tokens = [await tokenFor('read'), await tokenFor('read', other.key)];
        const given = ['the first password', 'the second password'];
        const answers = await Promise.all(
          tokens.map((token, i) => accept({ token, password: must(given[i]) })),
        );
        const statuses = answers.map(({ status }) => status);
        assert.deepEqual(statuses.toSorted(), [200, 409], JSON.stringify(statuses));
        const password = must(given[statuses.indexOf(200)]);
        await signInAt(api, { email, password });
        const again = { token: must(tokens[statuses.indexOf(409)]), password };
        assert.equal((await accept(again)).status, 200);
      };
      await acceptBoth();
      await api.db
        .updateTable('users')
        .set({ password_hash: null })
        .where('email', '=', email)
        .execute();
      await api.db
        .deleteFrom('memberships')
        .where('user_id', 'in', (eb) =>
          eb.selectFrom('users').select('id').where('email', '=', email),
        )
        .execute();
      await acceptBoth();
    });

    it('[MEM-02] passwords that are too short or too long are refused, and the invitation stays', async () => {
      const token = await tokenFor('read');
      for (const password of ['x', 'seven c', ' '.repeat(20), 'x'.repeat(257)]) {
        const { status, body } = await accept({ token, password });
        assert.deepEqual([status, body.detail[0].loc], [422, ['body', 'password']]);
      }
      const huge = await accept({ token, password: 'x'.repeat(2 ** 20) });
      assert.equal(huge.status, 413);
      assert.equal((await accept({ token, password: PASSWORD })).status, 200);
    });

    it('[MEM-03] only an admin lists, invites, changes and removes members', async () => {
      const { id } = await join('read');
      for (const role of ['read', 'member'] as const) {
        const key = await api.keyOf(role);
        const answers = [
          await api.call('GET', '/v1/members', { key }),
          await invite({ email: 'x@example.com', role: 'read' }, key),
          await api.call('PATCH', `/v1/members/${id}`, { key, body: { role: 'admin' } }),
          await api.call('DELETE', `/v1/members/${id}`, { key }),
        ];
        assert.deepEqual(
          answers.map(({ status }) => status),
          [403, 403, 403, 403],
        );
      }
      const other = await api.stranger();
      const foreign = await api.call('DELETE', `/v1/members/${id}`, { key: other.key });
      assert.equal(foreign.status, 404);
      const changed = await api.call('PATCH', `/v1/members/${id}`, { body: { role: 'member' } });
      assert.equal(changed.body.role, 'member');
      const of = async () => (await list()).find((one: { id: string }) => one.id === id);
      assert.equal((await of()).role, 'member');
      assert.equal((await api.call('DELETE', `/v1/members/${id}`)).body.id, id);
      assert.equal(await of(), undefined);
    });

    it('[MEM-03] the role of an invitation is changed, and it is withdrawn', async () => {
      const token = await tokenFor('read');
      const [{ id }] = await list();
      await api.call('PATCH', `/v1/members/${id}`, { body: { role: 'member' } });
      assert.equal((await list())[0].role, 'member');
      await api.call('DELETE', `/v1/members/${id}`);
      assert.equal((await accept({ token, password: PASSWORD })).status, 404);
    });

    it('[MEM-03] the last admin stays, until another one can administer the organization', async () => {
      const alone = await api.stranger();
      const { key, userId } = alone;
      const demote = () =>
        api.call('PATCH', `/v1/members/${userId}`, { key, body: { role: 'member' } });
      const remove = () => api.call('DELETE', `/v1/members/${userId}`, { key });
      assert.deepEqual([(await demote()).status, (await remove()).status], [409, 409]);
      assert.equal((await api.call('GET', '/v1/members', { key })).body[0].role, 'admin');
      const token = await tokenFor('admin', key);
      assert.equal((await remove()).status, 409, 'somebody invited is no admin yet');
      await accept({ token, password: PASSWORD });
      assert.equal((await remove()).status, 200);
      assert.equal((await api.call('GET', '/v1/members', { key })).status, 401);
    });

    it('[MEM-03] a member stays whose key alone administers another organization', async () => {
      const home = await api.stranger('admin', { allOrganizations: true });
      const other = await api.call('POST', '/v1/organizations', {
        key: home.key,
        body: { name: 'Other' },
      });
      assert.equal(other.status, 200);
      await accept({ token: await tokenFor('admin', home.key), password: PASSWORD });
      const { status, body } = await api.call('DELETE', `/v1/members/${home.userId}`, {
        key: home.key,
      });
      assert.equal(status, 409);
      assert.match(body.detail, /another organization/);
    });

    it('[KEY-07] [MEM-03] a key that expires can neither invite somebody nor raise a role', async () => {
      const { id } = await join('member');
      const expires_at = new Date(Date.now() + DAY).toISOString();
      const key = await api.keyOf('admin', { expires_at });
      const change = (target: string, role: Role) =>
        api.call('PATCH', `/v1/members/${target}`, { key, body: { role } });
      const refused = [
        await invite({ email: 'accomplice@example.com', role: 'read' }, key),
        await change(id, 'admin'),
      ];
      for (const { status, body } of refused) {
        assert.equal(status, 403);
        assert.ok(String(body.detail).startsWith(`your key expires at ${expires_at}; it may not `));
      }
      email = 'accomplice@example.com';
      assert.ok(!(await list()).some((one: { email: string }) => one.email === email));
      const token = await tokenFor('read');
      const [invited] = await list();
      assert.equal((await change(invited.id, 'admin')).status, 403);
      assert.equal((await accept({ token, password: PASSWORD })).body.role, 'read');
      assert.equal((await change(id, 'read')).body.role, 'read');
    });

    it('[MEM-06] the sessions and keys of a member who is removed reach nothing, also after a return', async () => {
      const { id, browser } = await join('admin');
      const { body } = await browser('POST', '/v1/api-keys', { body: { name: 'theirs' } });
      assert.equal((await api.call('GET', '/v1/collections', { key: body.key })).status, 200);
      await api.call('DELETE', `/v1/members/${id}`);
      assert.equal((await browser('GET', '/v1/collections')).status, 401);
      await accept({ token: await tokenFor('read'), password: PASSWORD });
      assert.equal((await api.call('GET', '/v1/collections', { key: body.key })).status, 401);
    });
  });
