/** Tests sign-ins through an issuer that answers as it should not. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { must } from '../../util.ts';
import { DATABASES } from '../databases.ts';
import { type Issuer, json, makeKey, openIssuer } from '../mcp/oauth/issuer.ts';
import { cookieOf, ORIGIN } from './browser.ts';
import { openTestApi, type TestApi } from './harness.ts';

const CLIENT = { id: 'us', secret: 'our secret' };

for (const database of DATABASES)
  describe(`a sign-in through a strange issuer on ${database.name}`, () => {
    let api: TestApi;
    let issuer: Issuer;
    /** The token endpoint was asked with these. */
    let asked: { authorization: string | undefined; form: Record<string, string> }[];
    before(async () => {
      issuer = await openIssuer();
      const issuerSignIn = { issuer: issuer.issuer, client: CLIENT, role: 'member' as const };
      api = await openTestApi(await database.open(), { issuerSignIn });
    });
    after(async () => {
      await api.close();
      await issuer.close();
    });

    const METADATA = () => ({
      ...issuer.metadata,
      authorization_endpoint: `${issuer.issuer}/authorize?tenant=one`,
      token_endpoint: `${issuer.issuer}/token`,
    });
    const get = (url: string, headers = {}) => api.call('GET', url, { key: null, headers });
    const begin = () => get('/v1/auth/issuer');
    const hasSession = (answer: { headers: Record<string, unknown> }) =>
      String(answer.headers['set-cookie']).includes('quarry_session=');

    /** Begins a sign-in. Returns what the issuer was asked, and how the browser comes back. */
    async function begun() {
      const answer = await begin();
      assert.equal(answer.status, 303, JSON.stringify(answer.body));
      const params = Object.fromEntries(new URL(String(answer.headers.location)).searchParams);
      const cookie = cookieOf(answer);
      const back = (query: Record<string, string> = {}) => {
        const all = new URLSearchParams({ code: 'a code', state: must(params.state), ...query });
        return get(`/v1/auth/callback?${all}`, { cookie });
      };
      return { params, back };
    }
    /** The token endpoint answers with an ID token that has these claims. */
    function issue(
      claims: Record<string, unknown>,
      { header = {}, key = issuer.main, more = {} } = {},
    ): void {
      issuer.answers['/token'] = async (req, res, body) => {
        const { authorization } = req.headers;
        asked.push({ authorization, form: Object.fromEntries(new URLSearchParams(body)) });
        const id_token = await issuer.sign(claims, { typ: 'JWT', ...header }, key);
        json({ access_token: 'opaque', token_type: 'Bearer', id_token, ...more })(req, res, '');
      };
    }
    beforeEach(() => {
      issuer.heal();
      issuer.answers[issuer.METADATA] = json(METADATA());
      asked = [];
    });
    const person = { email: 'ann@example.com', email_verified: true, aud: CLIENT.id };

    // This test is the first one, because known metadata are kept for an hour.
    it('[MEM-09] a browser stays here while the issuer has no metadata', async () => {
      issuer.answers[issuer.METADATA] = json({}, 500);
      const { status, headers, body } = await begin();
      assert.deepEqual([status, headers.location], [503, undefined]);
      assert.match(String(body), /does not answer as it should: try again in a moment/);
    });

    it('[MEM-09] the code is exchanged with the verifier of the challenge, and with the secret of the client', async () => {
      const { params, back } = await begun();
      assert.equal(params.tenant, 'one');
      issue({ ...person, nonce: params.nonce, azp: CLIENT.id });
      const answer = await back({ iss: issuer.issuer });
      assert.deepEqual([answer.status, answer.headers.location], [303, `${ORIGIN}/`]);
      assert.ok(hasSession(answer));
      assert.equal(answer.headers['cache-control'], 'no-store');
      const [{ authorization, form }] = asked as [(typeof asked)[number]];
      const { code_verifier = '', ...rest } = form;
      assert.deepEqual(rest, {
        grant_type: 'authorization_code',
        code: 'a code',
        redirect_uri: `${ORIGIN}/v1/auth/callback`,
      });
      const challenge = createHash('sha256').update(code_verifier).digest('base64url');
      assert.equal(challenge, params.code_challenge);
      const basic = Buffer.from(`${CLIENT.id}:our+secret`).toString('base64');
      assert.equal(authorization, `Basic ${basic}`);
    });

    it('[MEM-09] the address of the callback does not tell the verifier or the nonce', async () => {
      const [one, other] = [await begun(), await begun()];
      for (const name of ['state', 'nonce', 'code_challenge'])
        assert.notEqual(one.params[name], other.params[name]);
      issue({ ...person, nonce: other.params.nonce });
      assert.equal((await one.back()).status, 401);
    });

    it('[MEM-09] an ID token of another sign-in, client, issuer or key is refused', async () => {
      const foreign = await makeKey('main');
      const past = Math.floor(Date.now() / 1000) - 60;
      const cases: readonly [string, (nonce: string) => void][] = [
        ['no nonce', () => issue(person)],
        ['another nonce', () => issue({ ...person, nonce: 'x' })],
        ['another audience', (nonce) => issue({ ...person, nonce, aud: 'them' })],
        ['another client', (nonce) => issue({ ...person, nonce, azp: 'them' })],
        ['another issuer', (nonce) => issue({ ...person, nonce, iss: 'https://evil.example' })],
        ['another key', (nonce) => issue({ ...person, nonce }, { key: foreign })],
        ['expired', (nonce) => issue({ ...person, nonce, exp: past })],
        [
          'of another type',
          (nonce) => issue({ ...person, nonce }, { header: { typ: 'dpop+jwt' } }),
        ],
      ];
      for (const [what, answer] of cases) {
        const { params, back } = await begun();
        answer(must(params.nonce));
        const refused = await back();
        assert.deepEqual([refused.status, hasSession(refused)], [401, false], what);
      }
      const { params, back } = await begun();
      issue({ ...person, nonce: params.nonce });
      assert.equal((await back({ iss: 'https://evil.example' })).status, 401);
      assert.equal((await back()).status, 303, 'the sign-in itself was right');
    });

    it('[MEM-09] an e-mail counts only when the issuer says that it is verified', async () => {
      const { email, aud } = person;
      issuer.answers['/userinfo'] = json({ sub: 'somebody' });
      const cases: readonly [object, number][] = [
        [{ email }, 403],
        [{ email, email_verified: false }, 403],
        [{ email, email_verified: 'false' }, 403],
        [{ email_verified: true }, 403],
        [{ email: 'not an e-mail', email_verified: true }, 403],
        [{ email, email_verified: 'true' }, 303],
      ];
      for (const [claims, status] of cases) {
        const { params, back } = await begun();
        issue({ aud, nonce: params.nonce, ...claims });
        assert.equal((await back()).status, status, JSON.stringify(claims));
      }
      // The userinfo endpoint may know what the ID token does not say, but only about the same person.
      for (const [sub, status] of [
        ['somebody', 303],
        ['somebody else', 401],
      ] as const) {
        issuer.answers['/userinfo'] = json({ sub, email, email_verified: true });
        const { params, back } = await begun();
        issue({ aud, nonce: params.nonce });
        assert.equal((await back()).status, status, sub);
      }
    });

    it('[MEM-09] an issuer that refuses or does not answer is said to the person', async () => {
      const page = async (answer: Promise<{ status: number; body: unknown; headers: object }>) => {
        const { status, body } = await answer;
        return [status, String(body)] as const;
      };
      issuer.answers['/token'] = json({ error: 'invalid_grant' }, 400);
      const [status, text] = await page((await begun()).back());
      assert.equal(status, 401);
      assert.match(text, /<h1>Not signed in<\/h1>.*is not valid: sign in again/);
      for (const answer of [json({ error: 'invalid_client' }, 401), json({}, 500)]) {
        issuer.answers['/token'] = answer;
        const [failed, words] = await page((await begun()).back());
        assert.equal(failed, 503);
        assert.match(words, /does not answer as it should/);
        assert.ok(!words.includes(CLIENT.secret));
      }
    });

    it('[MEM-09] neither a missing state nor a callback without a code asks the issuer', async () => {
      const { back } = await begun();
      for (const query of [
        { state: 'unknown' },
        { state: '' },
        { error: 'access_denied' },
        { code: '' },
      ])
        assert.equal((await back(query as Record<string, string>)).status, 401);
      assert.equal((await get('/v1/auth/callback')).status, 401);
      assert.equal(issuer.count('/token'), 0);
      const head = await api.api.inject({ method: 'HEAD', url: '/v1/auth/callback' });
      assert.equal(head.statusCode, 204);
    });
  });
