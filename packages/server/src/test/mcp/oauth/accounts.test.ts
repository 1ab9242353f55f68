import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { newId } from '../../../util.ts';
import type { Caller } from '../../api/harness.ts';
import { DATABASES } from '../../databases.ts';
import { type OAuthHouse, openOAuthHouse } from './house.ts';
import { type Issuer, json, openIssuer } from './issuer.ts';

for (const database of DATABASES)
  describe(`the account of an OAuth token on ${database.name}`, () => {
    let issuer: Issuer;
    let house: OAuthHouse;
    let ada: Caller;

    before(async () => {
      issuer = await openIssuer();
      house = await openOAuthHouse(database, issuer.issuer);
      ada = await house.stranger();
      await house.addCollection(ada, 'ships');
    });
    after(async () => {
      await house.close();
      await issuer.close();
    });
    beforeEach(() => issuer.heal());

    const tokenOf = (email: unknown, email_verified: unknown = true) =>
      issuer.sign({ aud: house.resource, email, email_verified, jti: newId() });

    async function refused(token: string, message: RegExp): Promise<void> {
      const { status, body } = await house.list(token);
      assert.deepEqual([status, body.error?.code], [403, -32600], JSON.stringify(body));
      assert.match(body.error.message, message);
    }

    const reaches = async (token: string) =>
      assert.ok((await house.toolNames(token)).includes('search-ships'));

    it('[MCP-10] is found by the verified e-mail of the token, in upper or lower case', async () => {
      await reaches(await tokenOf(ada.email));
      await reaches(await tokenOf(ada.email.toUpperCase()));
    });

    it('is not found by an e-mail that only looks similar', async () => {
      const userId = newId();
      const email = `kate.${userId}@example.com`;
      await house.db
        .insertInto('users')
        .values({ id: userId, email, name: null, created_at: 0 })
        .execute();
      await house.join(userId, ada.organizationId, 'read');
      await reaches(await tokenOf(email));
      const alike = email.replace('k', '\u212a');
      assert.equal(alike.toLowerCase(), email);
      await refused(await tokenOf(alike), /^no member of an organization here has the e-mail/);
    });

    it('is not found by an unknown e-mail, and the error says what to do', async () => {
      await refused(
        await tokenOf('stranger@example.com'),
        /^no member of an organization here has the e-mail 'stranger@example\.com': sign in with the e-mail of a member, or use an API key$/,
      );
    });

    it('is not found by an e-mail that is not verified', async () => {
      for (const verified of [false, 'false'])
        await refused(await tokenOf(ada.email, verified), /does not say that the e-mail .* verif/);
      assert.equal(issuer.count('/userinfo'), 0);
    });

    it('is found by the userinfo of the issuer when the token has no verified e-mail', async () => {
      const info = (also: object) => {
        issuer.answers['/userinfo'] = (req, res, body) => {
          assert.match(req.headers.authorization ?? '', /^Bearer ey/);
          json({ sub: 'somebody', email: ada.email, email_verified: true, ...also })(
            req,
            res,
            body,
          );
        };
      };
      info({});
      await reaches(await tokenOf(undefined));
      await reaches(await tokenOf(ada.email, undefined));
      info({ email_verified: undefined });
      await refused(await tokenOf(undefined), /does not say that the e-mail/);
      info({ email: undefined });
      await refused(
        await tokenOf(undefined),
        /^this token does not contain the e-mail of its owner: .*scopes/,
      );
      issuer.answers['/userinfo'] = json({ error: 'insufficient_scope' }, 403);
      await refused(
        await tokenOf(undefined),
        /^this token does not contain the e-mail of its owner/,
      );
      info({ sub: 'another' });
      const { body: foreign } = await house.list(await tokenOf(undefined));
      assert.equal(foreign.error.message, 'Invalid OAuth token');
      issuer.answers['/userinfo'] = json({ error: 'invalid_token' }, 401);
      const { body: revoked } = await house.list(await tokenOf(undefined));
      assert.equal(revoked.error.message, 'Invalid OAuth token');
    });

    it('[MCP-11] reaches no collection as soon as its membership ends, although the token is still valid', async () => {
      const bob = await house.stranger();
      await house.join(bob.userId, ada.organizationId, 'read');
      const token = await tokenOf(bob.email);
      await reaches(token);
      await house.db
        .deleteFrom('memberships')
        .where('user_id', '=', bob.userId)
        .where('organization_id', '=', ada.organizationId)
        .execute();
      assert.deepEqual(await house.toolNames(token), ['get-config']);
      const { message } = await house.callTool(token, 'search-ships', { query: 'x' });
      assert.match(message, /tool 'search-ships' does not exist/);
    });
  });
