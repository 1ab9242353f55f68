import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { SourceError, type SourceErrorKind } from '../errors.ts';
import { cloudHosts } from '../net/addresses.ts';
import { createSend } from '../net/guarded-send.ts';
import type { OAuthFlow } from '../sources/auth.ts';
import { slack } from '../sources/catalog/slack.ts';
import { slackHistory } from '../sources/catalog/slack-history.ts';
import type { Source } from '../sources/define.ts';
import { json, openTokenPeer, type TokenPeer } from '../test/sign-in/token-peer.ts';
import { must } from '../util.ts';
import { requestTokens } from './token-endpoint.ts';

const SECRET = 'a-client-secret-of-the-tests';

describe('the answer of a token endpoint', () => {
  let peer: TokenPeer;
  before(async () => {
    peer = await openTokenPeer();
  });
  after(() => peer.close());
  const send = createSend(cloudHosts(true));

  const ask = (
    respond?: (response: ServerResponse) => void,
    {
      url = peer.tokenUrl,
      ...rules
    }: { url?: string; flow?: OAuthFlow<never>; isClientOfUser?: boolean } = {},
  ) => {
    if (respond) peer.instead.push((_, response) => respond(response));
    const form = {
      grant_type: 'refresh_token',
      client_secret: SECRET,
      refresh_token: 'a-refresh-token',
    };
    const asked = { url, form, headers: { authorization: 'Basic bm9ib2R5OnNlY3JldA==' } };
    const meter = { requests: 0, bytes: 0 };
    return requestTokens({ send, meter }, asked, { isClientOfUser: false, ...rules });
  };
  const answers = (body: object, status = 200, headers = {}) =>
    ask((response) => json(response, status, body, headers));
  const isA =
    (kind: SourceErrorKind, message = /./) =>
    (error: unknown) => {
      assert.ok(error instanceof SourceError, String(error));
      assert.equal(error.kind, kind, error.message);
      assert.match(error.message, message);
      return true;
    };
  const good = { access_token: 'a', token_type: 'bearer' };

  it('[AUTH-23] is read as RFC 6749 defines it', async () => {
    const whole = { ...good, refresh_token: 'r', expires_in: 60, scope: 'read write' };
    assert.deepEqual(await answers(whole), {
      accessToken: 'a',
      refreshToken: 'r',
      lifeMs: 60_000,
      scopes: ['read', 'write'],
    });
    const sent = peer.headers.at(-1);
    assert.equal(sent?.['content-type'], 'application/x-www-form-urlencoded');
    assert.equal(sent?.accept, 'application/json');
  });

  it('may lack optional fields, or have them in another form', async () => {
    const least = { refreshToken: null, lifeMs: null, scopes: null };
    assert.deepEqual(await answers({ access_token: 'a' }), { accessToken: 'a', ...least });
    const odd = { ...good, refresh_token: '', expires_in: '60', scope: ['read', 'write'] };
    assert.deepEqual(await answers(odd), {
      accessToken: 'a',
      refreshToken: null,
      lifeMs: 60_000,
      scopes: ['read', 'write'],
    });
    const nulls = { ...good, refresh_token: null, expires_in: null, scope: null };
    assert.deepEqual(await answers(nulls), { accessToken: 'a', ...least });
  });

  it('has an unknown end when its end lies in the past or is not a number', async () => {
    for (const expires_in of [0, -1, 'soon', {}])
      assert.equal((await answers({ ...good, expires_in })).lifeMs, null);
    const ages = await answers({ ...good, expires_in: 1e15 });
    assert.ok((ages.lifeMs ?? 0) < 4e11, String(ages.lifeMs));
  });

  it("[AUTH-23] of Slack is read from the example in Slack's document", async () => {
    const example = {
      access_token: 'xoxb-17653672481',
      app_id: 'A0KRD7HC3',
      authed_user: {
        access_token: 'xoxp-1234',
        id: 'U1234',
        scope: 'chat:write',
        token_type: 'user',
      },
      bot_user_id: 'U0KRQLJ9H',
      ok: true,
      scope: 'commands,incoming-webhook',
      token_type: 'bot',
    };
    const tokenOf = async (source: { readonly auth: Source['auth'] }, body: object) => {
      const flow = must(source.auth.oauth) as OAuthFlow<never>;
      return (await ask((response) => json(response, 200, body), { flow })).accessToken;
    };
    assert.equal(await tokenOf(slackHistory, example), 'xoxb-17653672481');
    assert.equal(await tokenOf(slack, example), 'xoxp-1234');
    await assert.rejects(
      tokenOf(slackHistory, { ...example, token_type: 'mac' }),
      isA('fatal', /'mac'/),
    );
  });

  it('is refused when a header cannot contain the token, or when it is another type of token', async () => {
    for (const access_token of ['a\nb', 'a\r\nx: y', 'a b', 'ä', ''])
      await assert.rejects(answers({ ...good, access_token }), isA('fatal'));
    await assert.rejects(answers({ ...good, refresh_token: 'a\nb' }), isA('fatal', /characters/));
    await assert.rejects(answers({ ...good, token_type: 'DPoP' }), isA('fatal', /'DPoP'/));
  });

  it('[AUTH-36] does not end the sign-in when the endpoint is down, slow, broken or another service', async (t) => {
    const html = (status: number) => (response: ServerResponse) => {
      response.writeHead(status, { 'content-type': 'text/html' });
      response.end('<h1>Bad gateway</h1>');
    };
    for (const status of [200, 302, 400, 403, 500, 502, 503])
      await assert.rejects(ask(html(status)), isA('transient'), String(status));
    await assert.rejects(answers({ error: 'invalid_grant' }, 500), isA('transient'));
    await assert.rejects(answers({ error: 'temporarily_unavailable' }, 400), isA('transient'));
    const cut = (response: ServerResponse) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"access_token":"a"', () => response.destroy());
    };
    await assert.rejects(ask(cut), isA('transient'));
    await assert.rejects(
      ask((response) => response.destroy()),
      isA('transient'),
    );
    const gone = await openTokenPeer();
    await gone.close();
    await assert.rejects(ask(undefined, { url: gone.tokenUrl }), isA('transient'));

    t.mock.timers.enable({ apis: ['setTimeout'] });
    const slow = ask(() => t.mock.timers.tick(20_000));
    await assert.rejects(slow, isA('transient', /20000 ms/));
  });

  it('[AUTH-36] of Atlassian for a refresh token that has ended ends the sign-in', async () => {
    const ended = { error: 'unauthorized_client', error_description: 'refresh_token is invalid' };
    await assert.rejects(answers(ended, 403), isA('auth'));
    await assert.rejects(answers({ error: 'unauthorized_client' }, 403), isA('config'));
    await assert.rejects(answers({ ...ended, error: 'invalid_client' }, 403), isA('config'));
    // The operator has not allowed the client to renew tokens.
    const unallowed = "Grant type 'refresh_token' not allowed for the client";
    await assert.rejects(answers({ ...ended, error_description: unallowed }, 403), isA('config'));
  });

  it('asks to wait with 429 or Retry-After', async () => {
    const waits = async (asked: Promise<unknown>, seconds: number | undefined) =>
      assert.rejects(asked, (error) => {
        isA('rate_limited')(error);
        assert.equal((error as SourceError).retryAfter, seconds);
        return true;
      });
    await waits(answers({}, 429), undefined);
    await waits(answers({ error: 'slow' }, 429, { 'retry-after': '7' }), 7);
    await waits(answers({}, 503, { 'retry-after': '9' }), 9);
  });

  it('[AUTH-36] ends the sign-in only with an error code for it, even with status 200', async () => {
    const words = { error: 'invalid_grant', error_description: 'Token has been revoked.' };
    await assert.rejects(answers(words, 400), isA('auth', /invalid_grant: Token has been revoked/));
    await assert.rejects(answers({ error: 'bad_refresh_token' }), isA('auth'));
    for (const error of ['invalid_request', 'invalid_scope', 'unsupported_grant_type', 'strange'])
      await assert.rejects(answers({ error }, 400), isA('fatal'));
    await assert.rejects(answers({ token: 'a' }), isA('fatal', /unknown form \(access_token\)/));
  });

  it('blames the operator or the user for a refused client, whoever registered it', async () => {
    await assert.rejects(answers({ error: 'invalid_client' }, 401), isA('config'));
    const asked = ask((response) => json(response, 401, { error: 'invalid_client' }), {
      isClientOfUser: true,
    });
    await assert.rejects(asked, isA('auth'));
  });

  it('[AUTH-12] an error of the endpoint is quoted without the secrets that it repeats, and only up to a limited length', async () => {
    const error_description = `no ${SECRET}, a-refresh-token, bm9ib2R5OnNlY3JldA== ${'x'.repeat(1000)}`;
    await assert.rejects(answers({ error: 'invalid_grant', error_description }, 400), (error) => {
      const { message } = error as Error;
      assert.match(message, /no \[secret\], \[secret\], \[secret\] x/);
      return message.length < 500;
    });
  });

  it('is not requested without TLS, except on this machine', () =>
    assert.rejects(ask(undefined, { url: 'http://example.com/token' }), isA('config', /https/)));
});
