/** Tests how the service sends the files of the dashboard, and to whom. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openTestQuarry, type TestQuarry } from '../../server/src/test/app/quarry.ts';
import { DATABASES } from '../../server/src/test/databases.ts';
import { must } from '../../server/src/util.ts';
import { buildDashboard } from '../tools/build.ts';
import { isDashboardStale } from '../tools/state.ts';

const ASSETS = fileURLToPath(new URL('../../server/ui/assets', import.meta.url));
/** The first load may take so much of a slow line. */
const FIRST_LOAD_BYTES = 200_000;

describe('the files of the dashboard', () => {
  let quarry: TestQuarry;
  before(async () => {
    if (isDashboardStale()) await buildDashboard();
    quarry = await openTestQuarry(await must(DATABASES[0]).open());
  });
  after(() => quarry.close());

  const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  const get = (url: string, headers: Record<string, string> = BROWSER) =>
    quarry.api.inject({ url, headers });

  it('[UI-03] are a page for browsers at any address, under a policy without inline scripts', async () => {
    for (const url of ['/', '/collections/notes?q=1', '/nothing/at/all']) {
      const { statusCode, headers, body } = await get(url);
      assert.equal(statusCode, 200);
      assert.match(String(headers['content-type']), /^text\/html/);
      assert.match(body, /<div id="root"><\/div>/);
      const policy = String(headers['content-security-policy']);
      assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/);
      assert.doesNotMatch(policy, /unsafe/);
      assert.equal(headers['cache-control'], 'no-cache');
    }
  });

  it('leave errors as JSON to programs, and below the paths of the API', async () => {
    for (const [url, headers] of [
      ['/', { accept: '*/*' }],
      ['/nothing', {}],
      ['/v1/nothing', BROWSER],
      ['/mcp/nothing', BROWSER],
      ['/assets/nothing.js', BROWSER],
      ['/assets/..%2findex.html', BROWSER],
      ['/assets/..%2f..%2fpackage.json', BROWSER],
      ['/assets/..%5c..%5cpackage.json', BROWSER],
      ['/assets/', BROWSER],
    ] as const) {
      const { statusCode, body } = await get(url, headers);
      assert.equal(statusCode, 404, url);
      assert.equal(JSON.parse(body).code, 'not_found', url);
    }
    const { statusCode } = await quarry.api.inject({ method: 'POST', url: '/', headers: BROWSER });
    assert.equal(statusCode, 404);
  });

  it('are compressed, kept for a year, and small enough for a first load', async () => {
    const compressed = { ...BROWSER, 'accept-encoding': 'br, gzip' };
    const page = await get('/', compressed);
    assert.equal(page.headers['content-encoding'], 'br');
    const { body } = await get('/');
    const urls = [...body.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, url]) =>
      must(url),
    );
    // The fonts are named in the styles, and a page in English needs the Latin one.
    const latin = readdirSync(ASSETS).find((name) => name.startsWith('geist-latin-wght'));
    let bytes = 0;
    for (const url of [...urls, `/assets/${latin}`]) {
      const { statusCode, headers, rawPayload } = await get(url, compressed);
      assert.equal(statusCode, 200, url);
      assert.match(String(headers['cache-control']), /max-age=31536000, immutable/);
      bytes += rawPayload.length;
    }
    assert.ok(urls.length > 2);
    assert.ok(bytes < FIRST_LOAD_BYTES, `${bytes} bytes`);
  });
});
