/** Reads websites from a real Apache HTTP Server. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { web } from '../../sources/catalog/web.ts';
import type { SourceItem } from '../../sources/items.ts';
import { skipWaits } from '../skip-waits.ts';
import { type Apache, passwordFile, startApache, withoutApache } from './apache.ts';
import { contextOf, entitiesOf, itemsOf, lastCursor, pullAll, testSource } from './harness.ts';

const RULES = `
RewriteEngine On
Redirect permanent /old.html /guide/new.html
Redirect temp /away.html http://other.invalid/
Redirect /loop/a /loop/b
Redirect /loop/b /loop/a
Redirect gone /was-here.html
<Location /hidden-by-header.html>
  Header set X-Robots-Tag "googlebot: nofollow, quarry: noindex"
</Location>
<Location /denied.html>
  Require all denied
</Location>
<Location /packed>
  SetOutputFilter DEFLATE
</Location>
`;

const page = (title: string, body = '', head = '') =>
  `<!doctype html><html lang="en"><head><title>${title}</title>${head}</head><body><h1>${title}</h1><p>About ${title}.</p>${body}</body></html>`;
const linksTo = (...paths: string[]) => paths.map((path) => `<a href="${path}">x</a>`).join('');

describe('web on Apache', { skip: withoutApache }, () => {
  let apache: Apache;
  let waits: ReturnType<typeof skipWaits>;
  before(async () => {
    apache = await startApache(RULES);
    waits = skipWaits(450);
  });
  after(async () => {
    waits.restore();
    await apache.stop();
  });
  beforeEach(() => {
    apache.write('index.html', page('Home', linksTo('/guide/', 'notes.txt?utm_source=mail#top')));
    apache.write('guide/index.html', page('Guide', linksTo('new.html')));
    apache.write('guide/new.html', page('New', linksTo('/')));
    apache.write('notes.txt', 'Notes about herons.');
    apache.write('robots.txt', 'User-agent: *\nDisallow:\n');
  });

  const pull = (config: object = {}, options = {}) =>
    pullAll(web, { config: { start_urls: [apache.url], ...config }, credentials: null }, options);
  const pathsOf = (items: readonly SourceItem[]) =>
    [...itemsOf(items, 'stub').map(({ id }) => id), ...entitiesOf(items).map(({ id }) => id)]
      .map((id) => id.replace(apache.url, ''))
      .toSorted();
  const reasonsOf = (items: readonly SourceItem[]) =>
    Object.fromEntries(
      itemsOf(items, 'skip').map(({ id, reason }) => [id.replace(apache.url, ''), reason]),
    );

  testSource(web, async () => {
    apache.write('index.html', page('Home', linksTo('/guide/', 'notes.txt')));
    apache.write('guide/index.html', page('Guide'));
    apache.write('notes.txt', 'Notes about herons.');
    return {
      config: { start_urls: [apache.url] },
      credentials: null,
      wrong: [
        {
          name: 'missing page',
          config: { start_urls: [`${apache.url}/none`] },
          kind: 'config',
          says: /\/none answered 404/,
        },
        {
          name: 'redirect to another host',
          config: { start_urls: [`${apache.url}/away.html`] },
          kind: 'config',
          says: /redirects to http:\/\/other.invalid\//,
        },
        {
          name: 'redirect without an end',
          config: { start_urls: [`${apache.url}/loop/a`] },
          kind: 'config',
          says: /redirects without an end/,
        },
        {
          name: 'denied',
          config: { start_urls: [`${apache.url}/denied.html`] },
          kind: 'config',
          says: /answered 403/,
        },
        {
          name: 'no server',
          config: { start_urls: ['http://127.0.0.1:3/'] },
          kind: 'transient',
          says: /robots.txt could not be read.*nothing is read/,
        },
      ],
    };
  });

  it('follows links within the site, and gives a page one id however it is linked', async () => {
    apache.write(
      'index.html',
      page(
        'Home',
        linksTo(
          ...[
            'guide/#a',
            '/guide/?utm_medium=x',
            './guide/../guide/',
            'HTTP://127.0.0.1/x',
            '/%67uide/',
          ],
          ...[
            'mailto:ann@example.org',
            'javascript:alert(1)',
            'data:text/html,x',
            '//other.invalid/',
          ],
          ...['/picture.png', '/old.html', '/loop/a', '/was-here.html', '/denied.html', 'http://'],
        ),
      ),
    );
    const items = await pull();
    assert.deepEqual(pathsOf(items), ['/', '/guide/', '/guide/new.html']);
    assert.deepEqual(reasonsOf(items), { '/denied.html': 'may not be read' });
    assert.deepEqual(itemsOf(items, 'listed').length, 1);
    assert.ok(!(await apache.requests()).some((line) => line.includes('picture')));
  });

  it('makes a record of a page with what the page says about itself', async () => {
    apache.write(
      'guide/new.html',
      page(
        'Herons &amp; weirs',
        '',
        `<meta name="description" content="All about  herons"><meta property="article:published_time" content="2026-01-02T03:04:05Z">
        <script type="application/ld+json">{"dateModified": "2026-02-03T00:00:00Z"}</script>`,
      ),
    );
    const found = entitiesOf(await pull()).find(({ id }) => id.endsWith('/guide/new.html'));
    assert.equal(found?.name, 'Herons & weirs');
    assert.equal(found?.createdAt?.toISOString(), '2026-01-02T03:04:05.000Z');
    assert.equal(found?.updatedAt?.toISOString(), '2026-02-03T00:00:00.000Z');
    assert.deepEqual(found?.fields, {
      host: new URL(apache.url).host,
      path: '/guide/new.html',
      language: 'en',
      description: 'All about herons',
    });
    assert.deepEqual(
      found?.breadcrumbs?.map(({ id }) => id.replace(apache.url, '')),
      ['/', '/guide/'],
    );
  });

  it('asks for unchanged pages only by conditional requests, which a second pull counts', async () => {
    const first = await pull();
    await apache.requests();
    const second = await pull({}, { cursor: lastCursor(first) });
    assert.deepEqual((await apache.requests()).toSorted(), [
      '200 /robots.txt',
      '304 /',
      '304 /guide/',
      '304 /guide/new.html',
      '304 /notes.txt',
    ]);
    assert.deepEqual(entitiesOf(second), []);
    assert.deepEqual(pathsOf(second), pathsOf(first));
    const versions = new Map(
      [...itemsOf(first, 'upsert'), ...itemsOf(first, 'stub')].map((item) => [
        item.kind === 'stub' ? item.id : item.entity.id,
        item.version,
      ]),
    );
    for (const { id, version } of itemsOf(second, 'stub')) assert.equal(version, versions.get(id));
    apache.write('guide/new.html', page('Newer'));
    const third = await pull({}, { cursor: lastCursor(second) });
    assert.deepEqual(
      entitiesOf(third).map(({ name }) => name),
      ['Newer'],
    );
  });

  it('asks conditionally for pages that Apache compresses, whose tags it changes', async () => {
    apache.write('packed/index.html', page('Packed', 'long '.repeat(1000)));
    const start_urls = [`${apache.url}/packed/`];
    const first = await pull({ start_urls });
    await apache.requests();
    await pull({ start_urls }, { cursor: lastCursor(first) });
    assert.ok((await apache.requests()).includes('304 /packed/'));
  });

  it('obeys robots.txt, noindex, nofollow and canonical links', async () => {
    apache.write(
      'robots.txt',
      'User-agent: *\nDisallow: /\n\nUser-agent: quarry\nDisallow: /private/\nAllow: /private/open\n',
    );
    const paths = ['/private/a.html', '/private/open.html', 'hidden.html', 'hidden-by-header.html'];
    apache.write('index.html', page('Home', linksTo(...paths, 'copy.html', 'dead-end.html')));
    for (const path of ['private/a.html', 'private/open.html', 'hidden-by-header.html'])
      apache.write(path, page(path));
    apache.write(
      'hidden.html',
      page('Hidden', linksTo('seen.html'), '<meta name="robots" content="noindex">'),
    );
    apache.write('seen.html', page('Seen'));
    apache.write('copy.html', page('Copy', '', '<link rel="canonical" href="/original.html">'));
    apache.write('original.html', page('Original'));
    apache.write(
      'dead-end.html',
      page('End', linksTo('unseen.html'), '<meta name="robots" content="nofollow">'),
    );
    apache.write('unseen.html', page('Unseen'));
    const items = await pull();
    assert.deepEqual(pathsOf(items), [
      '/',
      '/dead-end.html',
      '/original.html',
      '/private/open.html',
      '/seen.html',
    ]);
    assert.deepEqual(reasonsOf(items), {
      '/hidden.html': 'not to be indexed, as it says itself',
      '/hidden-by-header.html': 'not to be indexed, as it says itself',
    });
    const again = await pull({}, { cursor: lastCursor(items) });
    assert.deepEqual(pathsOf(again), pathsOf(items));
    apache.write('robots.txt', 'User-agent: *\nDisallow: /other/\n');
    const third = await pull({}, { cursor: lastCursor(again) });
    assert.ok(
      pathsOf(third).includes('/private/a.html'),
      'a link that was forbidden is followed now',
    );
  });

  it('keeps a page whose canonical page does not exist, or names it in turn', async () => {
    apache.write('index.html', page('Home', linksTo('a.html', 'b.html', 'c.html')));
    apache.write('a.html', page('A', '', '<link rel="canonical" href="/none.html">'));
    apache.write('b.html', page('B', '', '<link rel="canonical" href="/c.html">'));
    apache.write('c.html', page('C', '', '<link rel="canonical" href="/b.html">'));
    const first = await pull();
    assert.deepEqual(pathsOf(first), ['/', '/a.html', '/c.html']);
    assert.deepEqual(pathsOf(await pull({}, { cursor: lastCursor(first) })), pathsOf(first));
  });

  it('reads what include and exclude choose, and no more than the limits', async () => {
    const all = ['/', '/guide/', '/guide/new.html', '/notes.txt'];
    assert.deepEqual(pathsOf(await pull()), all);
    assert.deepEqual(pathsOf(await pull({ include: ['/guide/'] })), all.slice(1, 3));
    assert.deepEqual(pathsOf(await pull({ exclude: ['*.txt$', '/guide/n'] })), all.slice(0, 2));
    const shallow = await pull({ max_depth: 1 });
    assert.deepEqual(pathsOf(shallow), ['/', '/guide/', '/notes.txt']);
    assert.deepEqual(reasonsOf(shallow), { 'limit:depth': 'beyond the limit of depth' });
    apache.write(
      'guide/index.html',
      page('Guide', linksTo(...Array.from({ length: 30 }, (_, i) => `p${i}`))),
    );
    for (let i = 0; i < 30; i++) apache.write(`guide/p${i}`, page(`P${i}`));
    const few = await pull({ max_pages: 3 });
    assert.deepEqual(reasonsOf(few), { 'limit:pages': 'beyond the limit of pages' });
    assert.deepEqual(pathsOf(few), ['/', '/guide/', '/notes.txt']);
  });

  it('follows links that were too deep when the page comes nearer, although it has not changed', async () => {
    apache.write('index.html', page('Home', linksTo('a.html')));
    apache.write('a.html', page('A', linksTo('b.html')));
    apache.write('b.html', page('B', linksTo('c.html')));
    apache.write('c.html', page('C'));
    const first = await pull({ max_depth: 2 });
    assert.deepEqual(pathsOf(first), ['/', '/a.html', '/b.html']);
    apache.write('index.html', page('Home', linksTo('a.html', 'b.html')));
    const second = await pull({ max_depth: 2 }, { cursor: lastCursor(first) });
    assert.deepEqual(pathsOf(second), ['/', '/a.html', '/b.html', '/c.html']);
  });

  it('follows the links of a page that a sitemap names and another page links', async () => {
    const lastmod = '<lastmod>2026-01-02</lastmod>';
    apache.write('map.xml', `<urlset><url><loc>/guide/</loc>${lastmod}</url></urlset>`);
    const map = `${apache.url}/map.xml`;
    assert.deepEqual(pathsOf(await pull({ start_urls: [map] })), ['/guide/']);
    const both = await pull({ start_urls: [map, apache.url] });
    assert.deepEqual(pathsOf(both), ['/', '/guide/', '/guide/new.html', '/notes.txt']);
  });

  it('reads a site by its sitemaps, and then asks only for the sitemaps', async () => {
    const entry = (path: string, lastmod = '') =>
      `<url><loc>${apache.url}${path}</loc>${lastmod && `<lastmod>${lastmod}</lastmod>`}<image:image><image:loc>${apache.url}/image.html</image:loc></image:image><xhtml:link rel="alternate" hreflang="de" href="${apache.url}/de.html"/></url>`;
    const urls = (...entries: string[]) =>
      `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join('')}</urlset>`;
    apache.write(
      'map.xml',
      `<sitemapindex><sitemap><loc>${apache.url}/map.xml</loc></sitemap><sitemap><loc>${apache.url}/one.xml.gz</loc></sitemap><sitemap><loc>/two.xml</loc></sitemap></sitemapindex>`,
    );
    apache.write(
      'one.xml.gz',
      gzipSync(
        urls(entry('/guide/', '2026-01-02'), entry('/guide/new.html', '2026-01-02T00:00:00Z')),
      ),
    );
    apache.write(
      'two.xml',
      urls(entry('/notes.txt', '2026-01-03'), `<url><loc>http://other.invalid/</loc></url>`),
    );
    const start_urls = [`${apache.url}/map.xml`];
    await apache.requests();
    const items = await pull({ start_urls });
    assert.deepEqual(pathsOf(items), ['/guide/', '/guide/new.html', '/notes.txt']);
    assert.deepEqual(reasonsOf(items), { '/two.xml': 'on a host that is not named' });
    assert.deepEqual((await apache.requests()).toSorted(), [
      ...['200 /map.xml', '200 /one.xml.gz', '200 /robots.txt', '200 /two.xml'],
    ]);
    const stubs = itemsOf(items, 'stub');
    const read = [];
    for await (const item of web.hydrate?.(
      contextOf(web, { config: { start_urls }, credentials: null }),
      stubs,
    ) ?? [])
      read.push(item.kind === 'upsert' ? item.entity.name : item.reason);
    assert.deepEqual(read.toSorted(), ['Guide', 'New', 'notes.txt']);
  });

  it('reads the pages of a feed, and entries of other hosts as records of their own', async () => {
    apache.write(
      'news.rss',
      `<rss><channel><title>News</title><link>${apache.url}</link>
      <item><title>New</title><link>${apache.url}/guide/new.html?utm_source=rss</link></item>
      <item><title>Elsewhere &amp; far</title><guid>http://other.invalid/1</guid><description><![CDATA[<p>Far away</p>]]></description><pubDate>Fri, 02 Jan 2026 00:00:00 GMT</pubDate></item></channel></rss>`,
    );
    apache.write(
      'atom.xml',
      `<feed xmlns="http://www.w3.org/2005/Atom"><title>Atom</title><entry><title>Guide</title><link rel="edit" href="/edit"/><link href="/guide/"/><id>1</id></entry></feed>`,
    );
    const items = await pull({ start_urls: [`${apache.url}/news.rss`, `${apache.url}/atom.xml`] });
    assert.deepEqual(pathsOf(items), ['/guide/', '/guide/new.html', 'http://other.invalid/1']);
    const own = entitiesOf(items).find(({ type }) => type === 'WebFeedEntry');
    assert.deepEqual([own?.name, own?.html], ['Elsewhere & far', '<p>Far away</p>']);
    assert.equal(own?.createdAt?.toISOString(), '2026-01-02T00:00:00.000Z');
  });

  it('signs in by HTTP Basic, and says when the password is wrong or missing', async () => {
    apache.write('users', passwordFile('ann', 'right'));
    const folder = 'closed';
    apache.write(
      `${folder}/.htaccess`,
      `AuthType Basic\nAuthName x\nAuthUserFile ${apache.folder}/site/users\nRequire valid-user\n`,
    );
    apache.write(`${folder}/index.html`, page('Closed'));
    const config = { start_urls: [`${apache.url}/${folder}/`] };
    const read = (credentials: object | null) => pullAll(web, { config, credentials });
    assert.deepEqual(pathsOf(await read({ username: 'ann', password: 'right' })), ['/closed/']);
    for (const credentials of [{ username: 'ann', password: 'wrong' }, null])
      await assert.rejects(read(credentials), { kind: 'auth' });
  });
});
