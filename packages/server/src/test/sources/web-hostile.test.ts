/** Reads websites that are broken or hostile. */
import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { web } from '../../sources/catalog/web.ts';
import type { SourceItem } from '../../sources/items.ts';
import { createSourceEnvironment } from '../../sources/source-environment.ts';
import { must } from '../../util.ts';
import { NO_DATA_DIR } from '../environment.ts';
import { skipWaits } from '../skip-waits.ts';
import { json, openCloudPeer, type PeerAnswer, type PeerRequest } from './cloud-peer.ts';
import { contextOf, entitiesOf, itemsOf, lastCursor, pullAll } from './harness.ts';

type Answers = Readonly<Record<string, PeerAnswer | ((request: PeerRequest) => PeerAnswer)>>;

const MISSING = '/quarry-asks-for-a-page-that-is-not-there';
const UNKNOWN = new Set([MISSING, '/robots.txt']);

const html = (body: string, headers = {}): PeerAnswer => ({
  status: 200,
  headers: { 'content-type': 'text/html', ...headers },
  body,
});
const links = (...to: string[]) =>
  html(`<title>${to.length}</title>${to.map((one) => `<a href="${one}">x</a>`).join('')}`);
const xml = (body: string | Buffer): PeerAnswer => ({
  status: 200,
  headers: { 'content-type': 'application/xml' },
  body,
});

describe('web on a broken or hostile site', () => {
  let waits: ReturnType<typeof skipWaits>;
  before(() => {
    waits = skipWaits(450);
  });
  after(() => waits.restore());

  /** Unknown addresses answer 404. */
  async function open(t: TestContext, answers: Answers) {
    const peer = await openCloudPeer((request) => {
      const { pathname } = request.url;
      const other = UNKNOWN.has(pathname) ? undefined : answers['*'];
      const answer = answers[pathname] ?? other ?? { status: 404, body: '' };
      return typeof answer === 'function' ? answer(request) : answer;
    });
    t.after(() => peer.close());
    const settings = (config: object = {}) => ({
      config: { start_urls: [peer.baseUrl], ...config },
      credentials: null,
    });
    return {
      peer,
      pull: (config: object = {}, options = {}) => pullAll(web, settings(config), options),
      pathsOf: (items: readonly SourceItem[]) =>
        [...itemsOf(items, 'stub').map(({ id }) => id), ...entitiesOf(items).map(({ id }) => id)]
          .map((id) => id.replace(peer.baseUrl, ''))
          .toSorted(),
      leftOut: (items: readonly SourceItem[]) =>
        [...itemsOf(items, 'skip'), ...itemsOf(items, 'fail')].map(({ id, reason }) => [
          id.replace(peer.baseUrl, ''),
          reason,
        ]),
    };
  }

  it('reads nothing while robots.txt fails, and everything when there is none', async (t) => {
    let status = 500;
    const site = await open(t, {
      '/robots.txt': () => ({ status, body: 'User-agent: *\nDisallow: /' }),
      '/': links(),
    });
    await assert.rejects(site.pull(), { kind: 'transient', message: /robots.txt answered 500/ });
    assert.ok(site.peer.requests.every(({ url }) => url.pathname === '/robots.txt'));
    status = 403;
    assert.deepEqual(site.pathsOf(await site.pull()), ['/']);
  });

  it('pauses between requests as robots.txt asks', async (t) => {
    const before = waits.waits.length;
    const site = await open(t, {
      '/robots.txt': { status: 200, body: 'User-agent: *\nCrawl-delay: 7' },
      '/': links('a', 'b', 'c'),
      '*': links(),
    });
    await site.pull();
    const pauses = waits.waits.slice(before).filter((ms) => ms > 5000);
    assert.ok(pauses.length >= 3, `${pauses}`);
  });

  it('ends redirects and links that have no end', async (t) => {
    const site = await open(t, {
      '/': links('/loop/a', '/calendar/1', '/hop/1'),
      '/loop/a': { status: 302, headers: { location: '/loop/b' }, body: '' },
      '/loop/b': { status: 302, headers: { location: '/loop/a' }, body: '' },
      '*': ({ url }) => {
        const [, kind, n] = url.pathname.split('/');
        if (kind === 'calendar')
          return links(`/calendar/${Number(n) + 1}`, `/calendar/${Number(n) + 2}`);
        if (kind === 'hop')
          return { status: 302, headers: { location: `/hop/${Number(n) + 1}` }, body: '' };
        return { status: 404, body: '' };
      },
    });
    const items = await site.pull({ max_pages: 60, max_depth: 5 });
    assert.equal(site.pathsOf(items).length, 10);
    assert.ok(site.peer.requests.length < 80, String(site.peer.requests.length));
    const cut = itemsOf(items, 'skip').map(({ id }) => id);
    assert.deepEqual(cut.toSorted(), ['limit:depth', 'limit:pages']);
  });

  it('does not take the page of an error for a page, although its status is 200', async (t) => {
    const error = ({ url }: PeerRequest) =>
      html(`<title>Sorry</title><p>There is no ${url.pathname}, request ${Math.random()}</p>`);
    const answers: Record<string, Answers[string]> = {
      '/': links('a', 'b'),
      '/a': links(),
      '*': error,
      [MISSING]: error,
    };
    const site = await open(t, answers);
    const first = await site.pull();
    assert.deepEqual(site.pathsOf(first), ['/', '/a']);
    answers['/'] = error;
    await assert.rejects(site.pull({}, { cursor: lastCursor(first) }), {
      kind: 'transient',
      message: /shows the same as an address that does not exist/,
    });
  });

  it('finds a page gone only at the second look', async (t) => {
    let looks = 0;
    const site = await open(t, {
      '/': links('flickering', 'gone'),
      '/flickering': () => (looks++ === 0 ? { status: 404, body: '' } : links('found')),
      '/found': links(),
    });
    assert.deepEqual(site.pathsOf(await site.pull()), ['/', '/flickering', '/found']);
    const gone = site.peer.requests.filter(({ url }) => url.pathname === '/gone');
    assert.equal(gone.length, 2);
  });

  it('deletes nothing of a host while links of its pages are not known', async (t) => {
    const answers: Record<string, Answers[string]> = {
      '/': links('a'),
      '/a': links('b'),
      '/b': links(),
    };
    for (const path of ['/', '/a', '/b'])
      answers[path] = {
        ...(answers[path] as PeerAnswer),
        headers: { 'content-type': 'text/html', etag: `"${path}"` },
      };
    const site = await open(t, answers);
    const first = await site.pull();
    assert.equal(itemsOf(first, 'listed').length, 1);
    answers['/a'] = { status: 500, body: '' };
    const fresh = await site.pull();
    assert.deepEqual(site.leftOut(fresh), [['/a', `${site.peer.baseUrl}/a answered 500`]]);
    assert.deepEqual([itemsOf(fresh, 'listed').length, itemsOf(fresh, 'lost').length], [0, 1]);
    const remembering = await site.pull({}, { cursor: lastCursor(first) });
    assert.deepEqual(site.pathsOf(remembering), ['/', '/b']);
    assert.deepEqual(
      [itemsOf(remembering, 'listed').length, itemsOf(remembering, 'lost').length],
      [1, 0],
    );
  });

  it('fails when a sitemap ends in the middle, is none, or is a bomb', async (t) => {
    const url = '<url><loc>/a</loc></url>';
    const site = await open(t, {
      '/half.xml': xml(`<urlset>${url}`),
      '/index.xml': xml('<sitemapindex><sitemap><loc>/page</loc></sitemap></sitemapindex>'),
      '/page': links(),
      '/bomb.xml.gz': {
        status: 200,
        headers: { 'content-type': 'application/gzip' },
        body: gzipSync(Buffer.alloc(60 * 2 ** 20)),
      },
      '/entities.xml': xml(
        `<!DOCTYPE urlset [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]><urlset><url><loc>/&b;</loc></url><url><loc>/&f;x</loc></url>${url}</urlset>`,
      ),
      '/a': links(),
    });
    const of = (path: string) => site.pull({ start_urls: [site.peer.baseUrl + path] });
    await assert.rejects(of('/half.xml'), { kind: 'transient', message: /ends in the middle/ });
    await assert.rejects(of('/bomb.xml.gz'), { kind: 'transient', message: /larger than 50 MB/ });
    const index = await of('/index.xml');
    assert.deepEqual([itemsOf(index, 'listed').length, itemsOf(index, 'lost').length], [0, 1]);
    const paths = site.pathsOf(await of('/entities.xml'));
    assert.deepEqual(paths, ['/a']);
  });

  it('leaves out a page that is too large, and stops reading it', async (t) => {
    const large = Buffer.alloc(30 * 2 ** 20, 'a');
    const site = await open(t, {
      '/': links('large', 'bomb', 'fine'),
      '/large': { ...html(''), body: large },
      '/bomb': { ...html('', { 'content-encoding': 'gzip' }), body: gzipSync(large) },
      '/fine': links(),
    });
    const items = await site.pull();
    assert.deepEqual(site.leftOut(items), [
      ['/large', 'too large'],
      ['/bomb', 'too large'],
    ]);
    assert.deepEqual(site.pathsOf(items), ['/', '/fine']);
  });

  it('reads pages with millions of links and tags without holding up the process', async (t) => {
    const many = Array.from({ length: 400_000 }, (_, i) => `<a href="/p/${i}">x</a>`).join('');
    const deep = '<div>'.repeat(500_000) + '</p>'.repeat(500_000);
    const site = await open(t, {
      '/': html(`${many}${deep}<a href="${'x'.repeat(10_001)}">`),
      '*': links(),
    });
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const items = await site.pull({ max_pages: 5 });
    clearInterval(timer);
    assert.equal(site.pathsOf(items).length, 5);
    assert.ok(turns > 100, `other work got ${turns} turns`);
  });

  it('refuses addresses that are too long, and keeps those of every script', async (t) => {
    const site = await open(t, {
      '/': html(
        `<meta charset="utf-8"><a href="/${'x'.repeat(3000)}">1</a><a href="/größe?q=ä ö">2</a><a href="/\ud83d\ude00">3</a>`,
        { 'content-type': 'text/html; charset=utf-8' },
      ),
      '*': links(),
    });
    assert.deepEqual(site.pathsOf(await site.pull()), [
      '/',
      '/%F0%9F%98%80',
      '/gr%C3%B6%C3%9Fe?q=%C3%A4%20%C3%B6',
    ]);
  });

  it('reads the encoding that the server, the page or its bytes name', async (t) => {
    const latin2 = Buffer.from('<title>\xb1</title>', 'latin1');
    const site = await open(t, {
      '/': links('header', 'meta', 'wrong'),
      '/header': { ...html('', { 'content-type': 'text/html; charset=ISO-8859-2' }), body: latin2 },
      '/meta': {
        ...html(''),
        body: Buffer.concat([Buffer.from('<meta charset=iso-8859-2>'), latin2]),
      },
      '/wrong': {
        ...html('', { 'content-type': 'text/html; charset=utf-8' }),
        body: Buffer.from('<title>\xe9</title>', 'latin1'),
      },
    });
    const names = entitiesOf(await site.pull()).map(({ name }) => name);
    assert.deepEqual(names, ['3', 'ą', 'ą', 'é']);
  });

  it('goes on at its bookmark, and asks for no page twice', async (t) => {
    let refuses = true;
    const answers: Record<string, Answers[string]> = {
      '/': links(...Array.from({ length: 40 }, (_, i) => `p${i}`)),
    };
    for (let i = 0; i < 40; i++) answers[`/p${i}`] = links();
    answers['/p5'] = { status: 500, body: '' };
    answers['/p30'] = () =>
      refuses ? { status: 429, headers: { 'retry-after': '3600' }, body: '' } : links();
    const site = await open(t, answers);
    const { pull } = web;
    const items: SourceItem[] = [];
    const read = async (bookmark: unknown) => {
      const settings = { config: { start_urls: [site.peer.baseUrl] }, credentials: null };
      for await (const item of pull?.(contextOf(web, settings, { bookmark })) ?? [])
        items.push(item);
    };
    await assert.rejects(read(null), { kind: 'rate_limited', retryAfter: 3600 });
    const marks = itemsOf(items, 'bookmark').map(({ position }) => position);
    assert.ok(marks.length > 1);
    assert.equal(entitiesOf(items).length, 30);
    refuses = false;
    const from = site.peer.requests.length;
    await read(JSON.parse(JSON.stringify(marks.at(-1))));
    const asked = site.peer.requests.slice(from).map(({ url }) => url.pathname);
    const again = Array.from({ length: 10 }, (_, i) => `/p${30 + i}`);
    assert.deepEqual([...new Set(asked)].toSorted(), [...again, MISSING, '/robots.txt'].toSorted());
    assert.equal(new Set(entitiesOf(items).map(({ id }) => id)).size, 40);
    assert.deepEqual(itemsOf(items, 'listed'), [], 'the page that failed may have had links');
  });

  it('deletes nothing of any host while a sitemap is not known', async (t) => {
    const other = await open(t, { '*': links() });
    const site = await open(t, {
      '/index.xml': xml('<sitemapindex><sitemap><loc>/one.xml</loc></sitemap></sitemapindex>'),
      '/one.xml': { status: 500, body: '' },
    });
    const hosts = [site, other].map(({ peer }) => new URL(peer.baseUrl).host);
    const items = await site.pull({
      start_urls: [`${site.peer.baseUrl}/index.xml`],
      hosts: [must(hosts[1])],
    });
    assert.deepEqual(itemsOf(items, 'listed'), []);
    assert.deepEqual(
      itemsOf(items, 'lost').map(({ partition }) => partition),
      hosts,
    );
  });

  it('reads a page of a sitemap that is missing once, and leaves out one that must not be indexed', async (t) => {
    let looks = 0;
    const entry = (path: string) => `<url><loc>${path}</loc><lastmod>2026-01-02</lastmod></url>`;
    const site = await open(t, {
      '/map.xml': xml(`<urlset>${entry('/flickering')}${entry('/hidden')}</urlset>`),
      '/flickering': () => (looks++ === 0 ? { status: 404, body: '' } : links()),
      '/hidden': html('<meta name="robots" content="noindex"><title>Hidden</title>'),
    });
    const start_urls = [`${site.peer.baseUrl}/map.xml`];
    const stubs = itemsOf(await site.pull({ start_urls }), 'stub');
    const read = new Map<string, string>();
    const context = contextOf(web, { config: { start_urls }, credentials: null });
    for await (const item of must(web.hydrate)(context, stubs))
      if (item.kind === 'upsert') read.set(item.entity.id, 'read');
      else read.set(item.id, item.reason);
    assert.deepEqual(
      stubs.map(({ id }) => read.get(id)),
      ['read', 'not to be indexed, as it says itself'],
    );
  });

  it('fails a page that never answers, and goes on with the others', async (t) => {
    const site = await open(t, { '/': links('cut', 'b'), '/cut': links(), '/b': links() });
    site.peer.fault = ({ url }) => (url.pathname === '/cut' ? 'cut' : undefined);
    const items = await site.pull();
    assert.deepEqual(site.pathsOf(items), ['/', '/b']);
    assert.equal(itemsOf(items, 'fail').length, 1);
  });

  it('never asks another host, and never sends a password there', async (t) => {
    const other = await open(t, { '*': links() });
    const site = await open(t, {
      '/': links(`${other.peer.baseUrl}/a`, '/away', 'http://169.254.169.254/latest'),
      '/away': { status: 302, headers: { location: `${other.peer.baseUrl}/b` }, body: '' },
    });
    await site.pull();
    assert.equal(other.peer.requests.length, 0);
    const host = new URL(other.peer.baseUrl).host;
    const credentials = { username: 'ann', password: 'secret' };
    await pullAll(web, { config: { start_urls: [site.peer.baseUrl], hosts: [host] }, credentials });
    assert.ok(other.peer.requests.length > 0);
    assert.ok(other.peer.requests.every(({ headers }) => headers.authorization === undefined));
    assert.ok(site.peer.requests.slice(-1).every(({ headers }) => headers.authorization));
  });

  it('refuses names of private addresses unless the operator allows them', async (t) => {
    const site = await open(t, { '*': links() });
    const environmentOf = (networks: string[]) =>
      createSourceEnvironment(
        {
          singleUser: false,
          QUARRY_DATA_DIR: NO_DATA_DIR,
          QUARRY_SOURCE_NETWORKS: networks,
          QUARRY_FILES_ROOTS: [],
          QUARRY_ALLOW_LOOPBACK: false,
        },
        async () => ['127.0.0.1'],
      );
    const check = async (networks: string[]) => {
      const environment = environmentOf(networks);
      const { port } = new URL(site.peer.baseUrl);
      const settings = {
        config: { start_urls: [`http://intranet.example:${port}/`] },
        credentials: null,
      };
      const send = environment.sendToProvider;
      await web.check?.({ ...contextOf(web, settings, { environment }), send });
    };
    await assert.rejects(check([]), { kind: 'config', message: /not at a public address/ });
    await check(['127.0.0.0/8']);
  });

  it('says what is wrong with a start address that leads to nothing', async (t) => {
    const site = await open(t, {
      '/json': json(200, {}),
      '/closed': { status: 401, body: '' },
      '/robots.txt': { status: 200, body: 'User-agent: *\nDisallow: /forbidden' },
    });
    const of = (path: string) => site.pull({ start_urls: [site.peer.baseUrl + path] });
    await assert.rejects(of('/json'), { kind: 'config', message: /neither a page/ });
    await assert.rejects(of('/closed'), { kind: 'auth', message: /asks for a user name/ });
    await assert.rejects(of('/forbidden'), { kind: 'config', message: /robots.txt forbids it/ });
  });

  it('is not held up by a robots.txt of rules that match slowly', async (t) => {
    const rule = `Disallow: /${'*a'.repeat(140)}b\n`;
    const site = await open(t, {
      '/robots.txt': { status: 200, body: `User-agent: *\n${rule.repeat(1700)}` },
      '/': links(...Array.from({ length: 20 }, (_, i) => `/${'a'.repeat(1900)}${i}`)),
      '*': links(),
    });
    assert.equal(site.pathsOf(await site.pull()).length, 21);
  });
});
