/** Tests what a proxy may not do: reach private hosts, hide headers, and keep old credentials. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keyRefused } from '../auth-providers/faults.ts';
import type { Forwarding } from '../auth-providers/kind.ts';
import { SourceError } from '../errors.ts';
import { cloudHosts } from '../net/addresses.ts';
import type { HttpResponse, Send } from '../net/guarded-send.ts';
import { openDownloads } from '../sources/downloads.ts';
import { openHttp } from '../sources/kit/http.ts';
import { selfOf } from '../sources/slack/api.ts';
import { refusal } from '../sources/slack/refusal.ts';
import { anywhere } from '../test/environment.ts';
import { forwardBy, routeBy } from './through-proxy.ts';

const ref = { shortName: 'custom', readableId: 'p' } as const;
const answerOf = (
  status: number,
  headers: Record<string, string> = {},
  text = '',
): HttpResponse => ({
  status,
  headers: new Headers(headers),
  body: (async function* () {
    yield Buffer.from(text);
  })(),
});
const asked = {
  method: 'GET',
  headers: { accept: 'text/plain' },
  body: null,
  signal: new AbortController().signal,
};
const forwarding: Forwarding<unknown, unknown> = {
  wrap: (access, place, { url, headers }) => ({
    url: new URL(`https://proxy.example.com${url.pathname}`),
    headers: { ...headers, key: String(access.credentials), place: String(place) },
  }),
  mayBeOwn: ({ status }) => status >= 400,
  refusal: (_, { status, body }) =>
    status === 401 && body === 'own' ? keyRefused(ref) : undefined,
  passedHeaders: new Set(['content-type']),
};

function proxied(answers: readonly HttpResponse[], keys: readonly string[] = ['k1']) {
  const sent: { url: string; headers: object }[] = [];
  let opened = 0;
  const send: Send = async (url, { headers }) => {
    sent.push({ url: url.href, headers });
    return answers[sent.length - 1] ?? answerOf(500);
  };
  const forward = forwardBy(send, {
    ref,
    forwarding,
    place: 'ann',
    open: async () => ({ ref, credentials: keys[Math.min(opened++, keys.length - 1)] }),
    allowHost: cloudHosts(false, async () => ['93.184.216.34']),
  });
  return { forward, sent, opened: () => opened };
}

const TARGET = new URL('https://api.example.com/a');

describe('forwardBy', () => {
  it('reads the credentials of the provider once, and gives them to each request', async () => {
    const { forward, sent, opened } = proxied([answerOf(200), answerOf(200)]);
    await forward(TARGET, asked);
    await forward(TARGET, asked);
    const headers = { accept: 'text/plain', key: 'k1', place: 'ann' };
    assert.deepEqual(sent, Array(2).fill({ url: 'https://proxy.example.com/a', headers }));
    assert.equal(opened(), 1);
  });

  for (const host of ['10.0.0.7', '127.0.0.1', '169.254.169.254', '[::1]'])
    it(`lets the provider send nothing to ${host}`, async () => {
      const { forward, sent } = proxied([]);
      await assert.rejects(forward(new URL(`https://${host}/`), asked), { kind: 'config' });
      assert.deepEqual(sent, []);
    });

  it('gives the answer of the service as it is, an error of it too', async () => {
    const { forward } = proxied([answerOf(401, { 'x-reason': 'why' }, 'of the service')]);
    const { status, headers, body } = await forward(TARGET, asked);
    assert.deepEqual([status, headers.get('x-reason')], [401, 'why']);
    assert.equal(await textOf(body), 'of the service');
  });

  it('reads no more than the beginning of an error', async () => {
    let read = 0;
    const body = (async function* () {
      for (;;) {
        read++;
        yield Buffer.alloc(16_384);
      }
    })();
    const { forward } = proxied([{ ...answerOf(500), body }]);
    assert.equal((await forward(TARGET, asked)).status, 500);
    assert.equal(read, 5);
  });

  it('says that the provider refuses its credentials, unless it has new ones meanwhile', async () => {
    const own = () => answerOf(401, {}, 'own');
    const same = proxied([own()]);
    await assert.rejects(same.forward(TARGET, asked), {
      kind: 'config',
      message: /refuses its own/,
    });
    const { forward, sent } = proxied([own(), answerOf(200)], ['k1', 'k2']);
    await assert.rejects(forward(TARGET, asked), { kind: 'transient' });
    await forward(TARGET, asked);
    assert.deepEqual(sent[1]?.headers, { ...asked.headers, key: 'k2', place: 'ann' });
  });

  it('does not let a header that the proxy hides look like one that is missing', async () => {
    const shown = { 'content-type': 'text/plain', link: '<x>' };
    const { forward } = proxied([answerOf(200, shown), answerOf(200)]);
    const { headers } = await forward(TARGET, asked);
    assert.deepEqual([headers.get('content-type'), headers.get('Link')], ['text/plain', '<x>']);
    assert.equal([...headers].length, 2);
    const second = await forward(TARGET, asked);
    assert.equal(second.headers.get('content-type'), null);
    assert.throws(
      () => second.headers.get('link'),
      (error) =>
        error instanceof SourceError && /does not pass on the header 'link'/.test(error.message),
    );
  });

  it('[AUTH-35] shows refusals of Slack with status 200 as what they are, without headers that the proxy hides', async (t) => {
    const downloads = openDownloads(anywhere.downloadsFolder);
    t.after(() => downloads.close());
    const says = (body: object) =>
      answerOf(200, { 'content-type': 'application/json' }, JSON.stringify(body));
    const { forward } = proxied([
      says({ ok: true, url: 'https://b.slack.com/', team: 'B', team_id: 'T1', user: 'ann' }),
      says({ ok: false, error: 'not_in_channel' }),
      says({ ok: false, error: 'token_revoked' }),
      answerOf(200, { 'content-type': 'text/html; charset=utf-8' }, '<html>Sign in</html>'),
    ]);
    const http = openHttp(
      {
        send: forward,
        meter: { requests: 0, bytes: 0 },
        signal: asked.signal,
        authorizer: { sign: async ({ url }) => ({ url, headers: {}, stamp: null }) },
        downloads,
      },
      { baseUrl: 'https://slack.com', refusal },
    );
    assert.equal((await selfOf(http)).scopes, null);
    await assert.rejects(selfOf(http), { kind: 'skip' });
    await assert.rejects(selfOf(http), { kind: 'auth' });
    const page = { name: 'page.html', size: 20 };
    await assert.rejects(http.file({ path: 'files-pri/T1-F1/page.html' }, page), { kind: 'skip' });
  });

  it('asks other origins than those of the source directly', async () => {
    const to: string[] = [];
    const sender =
      (name: string): Send =>
      async () => {
        to.push(name);
        return answerOf(200);
      };
    const send = routeBy(new Set(['https://api.example.com']), {
      proxied: sender('proxied'),
      direct: sender('direct'),
    });
    for (const url of [
      'https://api.example.com/x',
      'https://api.example.com:444/',
      'https://files.example.com/',
    ])
      await send(new URL(url), asked);
    assert.deepEqual(to, ['proxied', 'direct', 'direct']);
  });
});

async function textOf(body: HttpResponse['body']): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body ?? []) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}
