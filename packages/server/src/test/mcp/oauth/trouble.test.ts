import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { z } from 'zod';
import { createAsk } from '../../../issuer/issuer-client.ts';
import { must } from '../../../util.ts';
import { DATABASES } from '../../databases.ts';
import { anywhere } from '../../environment.ts';
import { type OAuthHouse, openOAuthHouse } from './house.ts';
import { type Answer, type Issuer, json, openIssuer } from './issuer.ts';

const CLIENT = { id: 'us', secret: 'secret' };

/** In each of these ways, an issuer fails to give a valid answer. */
const TROUBLE: Readonly<Record<string, Answer>> = {
  'an error': json({ error: 'server_error' }, 500),
  'an error of a proxy': (_req, res) => res.writeHead(502).end('<html>bad gateway</html>'),
  'no JSON': (_req, res) => res.end('<html></html>'),
  'another form': json([]),
  'half a body': (_req, res) => {
    res.writeHead(200, { 'content-length': '1000' }).write('{"keys": [', () => res.destroy());
  },
  'half a body that nobody measured': (_req, res) => res.end('{"keys": [{"kty": "RSA"'),
  'a line that breaks': (req) => req.socket.destroy(),
  'a body without an end': (_req, res) => {
    const more = () => {
      while (!res.destroyed && res.write(' '.repeat(65_536)));
    };
    res.on('drain', more);
    more();
  },
  'a redirect': (_req, res) => res.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
};

/** Nothing about an issuer is in the database, so one kind of database is enough. */
describe('an issuer that fails', () => {
  let issuer: Issuer;
  let house: OAuthHouse;
  let good: { aud: string; email: string; email_verified: boolean };

  before(async () => {
    issuer = await openIssuer();
    house = await openOAuthHouse(must(DATABASES[0]), issuer.issuer, { client: CLIENT });
    const { email } = await house.stranger();
    good = { aud: house.resource, email, email_verified: true };
  });
  after(async () => {
    await house.close();
    await issuer.close();
  });
  beforeEach(() => issuer.heal());

  async function nobodyCanSay(token: string, why: string): Promise<void> {
    const { status, body, headers } = await house.list(token);
    const seen = [status, body.error?.code, headers.get('retry-after')];
    assert.deepEqual(seen, [503, -32603, '5'], `${why}: ${JSON.stringify(body)}`);
    assert.match(body.error.message, /^The issuer of OAuth tokens does not answer as it should/);
    assert.equal(headers.get('www-authenticate'), null);
  }

  async function accepted(token: string, why: string): Promise<void> {
    const { status, body } = await house.list(token);
    assert.equal(status, 200, `${why}: ${JSON.stringify(body)}`);
  }

  // Metadata and keys are cached after the first valid answer, so they must fail before that.
  it('answers 503 for a token while its metadata cannot be read, and the next request asks it again', async () => {
    const token = await issuer.sign(good);
    for (const [why, answer] of Object.entries(TROUBLE)) {
      issuer.answers[issuer.METADATA] = answer;
      await nobodyCanSay(token, why);
    }
    for (const other of [{ issuer: 'https://evil.example' }, { jwks_uri: 'http://[::1' }]) {
      issuer.answers[issuer.METADATA] = json({ ...issuer.metadata, ...other });
      await nobodyCanSay(token, JSON.stringify(other));
    }
    delete issuer.answers[issuer.METADATA];
    await nobodyCanSay(token, 'no metadata');
  });

  it('answers 503 for a token while its keys cannot be read, and the next request asks it again', async () => {
    const token = await issuer.sign(good);
    for (const [why, answer] of Object.entries(TROUBLE)) {
      issuer.answers['/jwks'] = answer;
      await nobodyCanSay(token, why);
    }
    issuer.heal();
    await accepted(token, 'all is well again');
  });

  it('answers 503 for a token while its introspection fails, and the next request asks it again', async () => {
    const said = { active: true, sub: 'somebody', exp: Date.now() / 1000 + 600, ...good };
    for (const [why, answer] of Object.entries({
      ...TROUBLE,
      'our credentials are refused': json({ error: 'invalid_client' }, 401),
      'our credentials are refused in another way': json({ error: 'invalid_client' }, 400),
    })) {
      issuer.answers['/introspect'] = answer;
      await nobodyCanSay('opaque', why);
    }
    issuer.answers['/introspect'] = json(said);
    await accepted('opaque', 'all is well again');
  });

  it('answers 503 for a token while its userinfo fails, and the next request asks it again', async () => {
    const token = await issuer.sign({ aud: house.resource });
    for (const [why, answer] of Object.entries(TROUBLE)) {
      issuer.answers['/userinfo'] = answer;
      await nobodyCanSay(token, why);
    }
    issuer.answers['/userinfo'] = json({ sub: 'somebody', ...good });
    await accepted(token, 'all is well again');
  });
});

describe('a request to an issuer', () => {
  it('has a deadline, which holds in the middle of an answer too', async () => {
    for (const begin of [() => {}, (res: { write(text: string): void }) => res.write('{')]) {
      const server = createServer((_req, res) => begin(res)).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const ask = createAsk(at, anywhere.send, 50);
      const failure = { name: 'IssuerFailure', message: `${at}/x did not answer in 50 ms` };
      await assert.rejects(ask(new URL(`${at}/x?secret`), z.object({})), failure);
      server.close();
      server.closeAllConnections();
    }
  });

  it('goes to another origin only over https and by the rules for cloud services', async () => {
    const gone: string[] = [];
    const ask = createAsk('https://issuer.example', async (url) => {
      gone.push(url.href);
      throw new Error('not this way');
    });
    const asked = (url: string) => ask(new URL(url), z.object({}));
    await assert.rejects(asked('http://127.0.0.1:9/keys'), /the address .* must begin with https:/);
    await assert.rejects(asked('https://other.example/keys'), /could not be read \(not this way\)/);
    assert.deepEqual(gone, ['https://other.example/keys']);
  });

  it('fails when the answer is too large', async () => {
    const issuer = await openIssuer();
    const ask = createAsk(issuer.issuer, anywhere.send);
    const asked = (bytes: number) => {
      issuer.answers['/x'] = json({ x: 'x'.repeat(bytes) });
      return ask(new URL(`${issuer.issuer}/x`), z.object({ x: z.string() }));
    };
    assert.equal((await asked(500_000)).value?.x.length, 500_000);
    await assert.rejects(asked(600_000), { name: 'IssuerFailure', message: /over 524288 bytes/ });
    await issuer.close();
  });

  it('fails with a message when nobody listens at the address', async () => {
    const ask = createAsk('http://127.0.0.1:9', anywhere.send);
    const asked = ask(new URL('http://127.0.0.1:9/keys'), z.object({}));
    await assert.rejects(asked, { name: 'IssuerFailure', message: /could not be read \(/ });
  });
});
