/** Tests sign-ins through an issuer that answers as it should not. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { must } from '../../util.ts';
import { DATABASES } from '../databases.ts';
import type { Answer } from '../inject.ts';
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
    const begin = (to?: string) =>
      get(`/v1/auth/issuer${to === undefined ? '' : `?to=${encodeURIComponent(to)}`}`);
    /** Returns why the person is not signed in, and to which page the sign-in page leads on. */
    function refusalIn({ status, headers }: Pick<Answer, 'status' | 'headers'>) {
      const url = new URL(String(headers.location));
      assert.deepEqual([status, url.origin, url.pathname], [303, ORIGIN, '/sign-in']);
      assert.equal(headers['cache-control'], 'no-store');
      assert.ok(!hasSession({ headers }));
      const { refused, ...rest } = Object.fromEntries(url.searchParams);
      return [refused, rest] as const;
    }
    const hasSession = (answer: { headers: Record<string, unknown> }) =>
      String(answer.headers['set-cookie']).includes('quarry_session=');

    /** Begins a sign-in. Returns what the issuer was asked, and how the browser comes back. */
    async function begun(to?: string) {
      const answer = await begin(to);
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
    it('[MEM-09] [MEM-13] a browser stays here while the issuer has no metadata', async () => {
      issuer.answers[issuer.METADATA] = json({}, 500);
      assert.deepEqual(refusalIn(await begin()), ['issuer_unavailable', {}]);
      assert.deepEqual(refusalIn(await begin('/jobs')), ['issuer_unavailable', { to: '/jobs' }]);
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
      assert.deepEqual(refusalIn(await one.back()), ['invalid_answer', {}]);
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
        assert.deepEqual(refusalIn(await back()), ['invalid_answer', {}], what);
      }
      const { params, back } = await begun();
      issue({ ...person, nonce: params.nonce });
      const other = await back({ iss: 'https://evil.example' });
      assert.deepEqual(refusalIn(other), ['invalid_answer', {}]);
      assert.ok(hasSession(await back()), 'the sign-in itself was right');
    });

    it('[MEM-09] an e-mail counts only when the issuer says that it is verified', async () => {
      const { email, aud } = person;
      issuer.answers['/userinfo'] = json({ sub: 'somebody' });
      const cases: readonly [object, string][] = [
        [{ email }, 'email_not_verified'],
        [{ email, email_verified: false }, 'email_not_verified'],
        [{ email, email_verified: 'false' }, 'email_not_verified'],
        [{ email_verified: true }, 'email_not_verified'],
        [{ email: 'not an e-mail', email_verified: true }, 'email_not_usable'],
      ];
      for (const [claims, code] of cases) {
        const { params, back } = await begun();
        issue({ aud, nonce: params.nonce, ...claims });
        const answer = await back();
        assert.deepEqual(refusalIn(answer), [code, {}], JSON.stringify(claims));
        assert.ok(!String(answer.headers.location).includes('ann'), 'the address has no e-mail');
      }
      const right = await begun();
      issue({ aud, nonce: right.params.nonce, email, email_verified: 'true' });
      assert.ok(hasSession(await right.back()));
      // The userinfo endpoint may know what the ID token does not say, but only about the same person.
      for (const [sub, isRight] of [
        ['somebody', true],
        ['somebody else', false],
      ] as const) {
        issuer.answers['/userinfo'] = json({ sub, email, email_verified: true });
        const { params, back } = await begun();
        issue({ aud, nonce: params.nonce });
        assert.equal(hasSession(await back()), isRight, sub);
      }
    });

    it('[MEM-09] [MEM-13] an issuer that refuses or does not answer is said to the person', async () => {
      issuer.answers['/token'] = json({ error: 'invalid_grant' }, 400);
      const answer = await (await begun('/jobs?state=failed#x')).back();
      assert.deepEqual(refusalIn(answer), ['invalid_answer', { to: '/jobs?state=failed#x' }]);
      for (const token of [json({ error: 'invalid_client' }, 401), json({}, 500)]) {
        issuer.answers['/token'] = token;
        assert.deepEqual(refusalIn(await (await begun()).back()), ['issuer_unavailable', {}]);
      }
    });

    it('[MEM-09] [MEM-13] neither a missing state nor a callback without a code asks the issuer', async () => {
      const { back } = await begun('/jobs');
      const cases: readonly (readonly [Record<string, string>, string, object])[] = [
        [{ state: 'unknown' }, 'expired', {}],
        [{ state: '' }, 'expired', {}],
        [{ state: 'unknown', error: 'access_denied' }, 'expired', {}],
        [{ error: 'access_denied' }, 'refused_by_issuer', { to: '/jobs' }],
        [{ error: '<b>call 555-0100</b>' }, 'refused_by_issuer', { to: '/jobs' }],
        [{ error: 'temporarily_unavailable' }, 'issuer_unavailable', { to: '/jobs' }],
        [{ code: '' }, 'refused_by_issuer', { to: '/jobs' }],
      ];
      for (const [query, code, more] of cases) {
        const answer = await back({ error_description: 'evil text', ...query });
        assert.deepEqual(refusalIn(answer), [code, more], JSON.stringify(query));
        assert.doesNotMatch(String(answer.headers.location), /evil|555/);
      }
      assert.deepEqual(refusalIn(await get('/v1/auth/callback')), ['expired', {}]);
      assert.equal(issuer.count('/token'), 0);
      const head = await api.api.inject({ method: 'HEAD', url: '/v1/auth/callback' });
      assert.equal(head.statusCode, 204);
    });

    it('[MEM-13] a sign-in leads back to the page that was asked for, and never to another site', async () => {
      const from = async (to: string) => {
        const { params, back } = await begun(to);
        issue({ ...person, nonce: params.nonce });
        const answer = await back();
        assert.ok(hasSession(answer), to);
        return answer.headers.location;
      };
      const page = '/collections/weirs/contents?type=File&name=a%20b';
      assert.equal(await from(page), `${ORIGIN}${page}`);
      assert.equal(await from(`/${'x'.repeat(1999)}`), `${ORIGIN}/${'x'.repeat(1999)}`);
      for (const evil of [
        '//evil.example',
        '/\\evil.example',
        '/.//evil.example',
        '/\t/evil.example',
        '/a\r\nset-cookie: quarry_session=x',
        'https:',
        'https://evil.example',
        'javascript:alert(1)',
        `/${'x'.repeat(2000)}`,
      ]) {
        assert.match(cookieOf(await begin(evil)), /^quarry_issuer_\w{16}=[\w-]{43}$/);
        assert.equal(await from(evil), `${ORIGIN}/`, JSON.stringify(evil));
      }
    });

    it('[MEM-13] a page that somebody else has written into the cookie is not opened', async () => {
      const answer = await begin('/jobs');
      const { state, nonce } = Object.fromEntries(
        new URL(String(answer.headers.location)).searchParams,
      );
      const [name = '', value = ''] = cookieOf(answer).split('=');
      const back = (to: string) => {
        const forged = `${value.split('.')[0]}.${Buffer.from(to).toString('base64url')}`;
        const query = new URLSearchParams({ code: 'a code', state: must(state) });
        return get(`/v1/auth/callback?${query}`, { cookie: `${name}=${forged}` });
      };
      issue({ ...person, nonce });
      assert.deepEqual(refusalIn(await back('//evil.example')), ['invalid_answer', {}]);
      assert.deepEqual(refusalIn(await back('/keys')), ['invalid_answer', { to: '/keys' }]);
      assert.ok(hasSession(await back('/jobs')));
    });

    it('[MEM-13] without an issuer both addresses lead to the sign-in page', async () => {
      const alone = await openTestApi(await database.open());
      for (const url of ['/v1/auth/issuer', '/v1/auth/callback?state=x&code=y'])
        assert.deepEqual(refusalIn(await alone.call('GET', url, { key: null })), ['no_issuer', {}]);
      await alone.close();
    });
  });
