/** People sign in to the service through a real issuer, in a browser. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { must } from '../../util.ts';
import type { TestQuarry } from '../app/quarry.ts';
import { DATABASES } from '../databases.ts';
import { openBrowser } from './browser.ts';
import { type IssuerHouse, openIssuerHouse } from './issuer-house.ts';
import { CLIENT } from './person-issuer.ts';

type Who = 'members' | 'read';

for (const database of DATABASES)
  for (const who of ['members', 'read'] as const satisfies readonly Who[])
    describe(`a sign-in through an issuer (${who}) on ${database.name}`, () => {
      let quarry: TestQuarry;
      let origin: string;
      let peer: IssuerHouse['peer'];
      let made = 0;
      let email: string;
      let close: () => Promise<void>;
      before(async () => {
        ({ quarry, origin, peer, close } = await openIssuerHouse(await database.open(), who));
      });
      after(() => close());
      beforeEach(() => {
        email = `person-${made++}@example.com`;
        peer.person = { email, email_verified: true };
      });

      const begin = () => `${origin}/v1/auth/issuer`;
      const invite = (role: string, headers = {}) =>
        quarry.ok('POST', '/v1/members', { email, role }, headers);
      const account = () =>
        quarry.db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();
      /** Signs in, and returns the last page with what the account then is. */
      async function signIn(browser = openBrowser()) {
        const page = await browser.open(begin());
        const pair = browser.cookies.find((one) => one.pair.startsWith('quarry_session='))?.pair;
        const me = await fetch(`${origin}/v1/auth/me`, { headers: { cookie: pair ?? '' } });
        return { page, status: me.status, me: (await me.json()) as any };
      }

      it('[MEM-09] leads to the issuer with PKCE, a state and a nonce, and back into a session', async () => {
        await invite('member');
        const { issuer } = await quarry.ok('GET', '/v1/auth/methods');
        assert.deepEqual(issuer, { name: new URL(peer.issuer).host, url: begin() });
        const browser = openBrowser();
        const { status, location } = await browser.peek(begin());
        const asked = new URL(must(location));
        const { state, nonce, code_challenge, ...rest } = Object.fromEntries(asked.searchParams);
        assert.deepEqual(
          [status, asked.origin, rest],
          [
            303,
            peer.issuer,
            {
              response_type: 'code',
              client_id: CLIENT.id,
              redirect_uri: `${origin}/v1/auth/callback`,
              scope: 'openid email',
              code_challenge_method: 'S256',
            },
          ],
        );
        for (const secret of [state, nonce, code_challenge])
          assert.match(secret ?? '', /^[\w-]{43}$/);
        const [cookie] = browser.cookies;
        assert.match(
          cookie?.header ?? '',
          /^quarry_issuer_\w{16}=[\w-]{43}; Max-Age=600; Path=\/v1\/auth\/callback; HttpOnly; SameSite=Lax$/,
        );
        const { page, me } = await signIn(browser);
        assert.equal(page.url.href, `${origin}/`);
        assert.deepEqual([me.user.email, me.user.has_password, me.role], [email, false, 'member']);
        const session = browser.cookies.find((one) => one.pair.startsWith('quarry_session='));
        assert.match(session?.header ?? '', /HttpOnly; SameSite=Strict$/);
        const acts = await quarry.ok('GET', `/v1/audit-events?actor=${email}`);
        assert.deepEqual(
          acts.map((one: { action: string; details: object }) => [one.action, one.details]),
          [
            ['session.opened', { way: 'issuer' }],
            ['member.joined', { role: 'member' }],
          ],
        );
        // The invitation is used up, and the account is the same, however the issuer writes its e-mail.
        assert.deepEqual(await quarry.db.selectFrom('invitations').selectAll().execute(), []);
        peer.person = { email: email.toUpperCase(), email_verified: true };
        assert.equal((await signIn()).me.user.id, me.user.id);
      });

      it('[MEM-09] somebody invited to several organizations joins them all, with the role in each', async () => {
        const other = await quarry.ok('POST', '/v1/organizations', { name: 'Other' });
        await invite('member');
        await invite('admin', { 'x-organization-id': other.id });
        const { me } = await signIn();
        assert.deepEqual(
          me.organizations
            .map(({ name, role }: { name: string; role: string }) => [name, role])
            .toSorted(),
          [
            ['My organization', 'member'],
            ['Other', 'admin'],
          ],
        );
      });

      it(`[MEM-09] somebody unknown ${who === 'members' ? 'is refused' : 'joins with the role of the setting'}`, async () => {
        const { page, status, me } = await signIn();
        if (who === 'read') {
          assert.deepEqual([me.user.email, me.role], [email, 'read']);
          const [first] = await quarry.ok('GET', '/v1/organizations?skip=1');
          assert.equal(me.organization.name, first?.name ?? 'My organization');
          return;
        }
        assert.equal(page.url.href, `${origin}/sign-in?refused=unknown_account`);
        assert.equal(status, 401);
        assert.equal(await account(), undefined);
      });

      it('[MEM-09] somebody for whose e-mail the issuer does not vouch is refused', async () => {
        await invite('admin');
        peer.person = { email, email_verified: false };
        const { page, status } = await signIn();
        assert.equal(page.url.href, `${origin}/sign-in?refused=email_not_verified`);
        assert.equal(status, 401);
        assert.equal(await account(), undefined);
      });

      it('[MEM-09] somebody whom the issuer refuses is not signed in', async () => {
        await invite('admin');
        peer.person = null;
        const { page, status } = await signIn();
        assert.equal(page.url.href, `${origin}/sign-in?refused=refused_by_issuer`);
        assert.equal(status, 401);
      });

      it('[MEM-09] the browser of somebody else cannot finish a sign-in, and a code works once', async () => {
        await invite('read');
        const attacker = openBrowser();
        const { url } = await attacker.open(begin(), `${origin}/v1/auth/callback`);
        const victim = openBrowser();
        // The victim has begun a sign-in, too, whose cookie belongs to another state.
        await victim.peek(begin());
        const stolen = await victim.open(url.href);
        assert.equal(stolen.url.href, `${origin}/sign-in?refused=expired`);
        assert.ok(!victim.cookies.some(({ pair }) => pair.startsWith('quarry_session=')));
        const own = await attacker.open(url.href);
        assert.equal(own.url.href, `${origin}/`);
        const again = await attacker.open(url.href);
        assert.equal(again.url.href, `${origin}/sign-in?refused=invalid_answer`);
      });
    });
