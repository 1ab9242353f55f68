/** Tests long lists in Chromium: they stay quick, and can be used by keyboard and by screen readers. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { insertConnection, insertSyncJob } from '../../server/src/test/api/rows.ts';
import { testWorld } from '../../server/src/test/app/source.ts';
import { skipWithoutChromium } from '../../server/src/test/browser/chromium.ts';
import { until } from '../../server/src/test/until.ts';
import { must } from '../../server/src/util.ts';
import { type Dashboard, faultsOf, openDashboard } from './dashboard.ts';

const CONNECTIONS = 5000;
const JOBS = 210;

describe('long lists', { skip: skipWithoutChromium }, () => {
  let quarry: Dashboard;
  let path: string;
  before(async () => {
    const { source } = testWorld();
    quarry = await openDashboard({ sources: new Map([['world', source]]) });
    const collection = await quarry.ok('POST', '/v1/collections', { name: 'Many' });
    path = `/collections/${collection.readable_id}`;
    await quarry.db.transaction().execute(async (tx) => {
      for (let i = 0; i < CONNECTIONS; i++)
        await insertConnection(tx, collection, {
          ...{ name: `Number ${i}`, folded_name: `number ${i}`, short_name: 'world' },
        });
      const connection = { id: '', organization_id: collection.organization_id };
      connection.id = await insertConnection(tx, collection, { name: 'The last' });
      for (let i = 0; i < JOBS; i++) await insertSyncJob(tx, connection, 'COMPLETED');
    });
  });
  after(() => quarry.close());

  it('[UI-02] of 5,001 connections only the visible ones are in the page, in order and with their number', async () => {
    const page = await quarry.owner();
    await page.goto(path);
    const rows = page.locator('.connections > li[aria-posinset]');
    await page.getByText('100 of 5,001').waitFor();
    assert.equal(await rows.count(), 100);
    assert.equal(await rows.first().getAttribute('aria-setsize'), '5001');
    // The list may have gone on by itself when its end was near, so it may know more than one has asked for.
    for (const least of [200, 300]) {
      await page.getByRole('button', { name: 'Show more' }).click();
      await until(async () => {
        const known = await page.getByText(/^[\d,]+ of 5,001$/).textContent();
        return Number.parseInt((known ?? '').replace(',', ''), 10) >= least;
      });
    }
    assert.ok((await rows.count()) < 60, `${await rows.count()} rows`);
    // The list goes on by itself while somebody scrolls, and what has the focus stays.
    await page.evaluate('window.scrollTo(0, 0)');
    await page.locator('.connections').getByRole('link', { name: 'The last' }).focus();
    for (let i = 0; i < 2; i++) {
      await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)');
      await until(
        async () => Number(await rows.last().getAttribute('aria-posinset')) > 300 + i * 60,
      );
    }
    assert.ok((await rows.count()) < 80);
    assert.equal(
      await page.evaluate('document.activeElement.innerText.split("\\n")[0]'),
      'The last',
    );
    // The code of the page is a text, because the tests are compiled without the types of a browser.
    const numbers: number[] = await page.evaluate(
      `[...document.querySelectorAll('.connections > li[aria-posinset]')]
        .map((row) => Number(row.getAttribute('aria-posinset')))`,
    );
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    );
    assert.deepEqual(await faultsOf(page, 'many connections'), []);
    await page.context().close();
  });

  it('[UI-02] a list of cards stays where it is when it becomes so long that only a part is in the page', async () => {
    const page = await quarry.owner({ viewport: { width: 360, height: 800 } });
    await page.goto('/jobs');
    await page.getByText('100 of 210').waitFor();
    const row = page.locator('tr[aria-rowindex="41"]');
    // The code of the page is a text, because the tests are compiled without the types of a browser.
    const goTo = `document.querySelector('tr[aria-rowindex="41"]').scrollIntoView()`;
    await page.evaluate(goTo);
    const before = await row.boundingBox();
    assert.ok(before && before.height > 100, 'the row is a card');
    await page.evaluate(
      `[...document.querySelectorAll('button')].find((one) => one.innerText === 'Show more').click()`,
    );
    await page.getByText('200 of 210').waitFor();
    await until(async () => (await page.locator('tr[aria-rowindex]').count()) < 80);
    const later = await row.boundingBox();
    assert.ok(later && Math.abs(later.y - before.y) < 2, `${before.y} became ${later?.y}`);
    await page.context().close();
  });

  it('[UI-02] a table says how many rows it has, and which one each is', async () => {
    const page = await quarry.owner({ colorScheme: 'dark', viewport: { width: 360, height: 800 } });
    await page.goto('/jobs');
    await page.getByRole('button', { name: 'Show more' }).click();
    await until(async () => {
      await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)');
      return (await page.getByText(/ of 210$/).count()) === 0;
    });
    const table = page.getByRole('table');
    assert.equal(await table.getAttribute('aria-rowcount'), '211');
    const rows = table.locator('tr[aria-rowindex]');
    assert.equal(await rows.first().getAttribute('aria-rowindex'), '1');
    assert.ok((await rows.count()) < 80);
    assert.deepEqual(await faultsOf(page, 'many jobs'), []);
    await page.context().close();
  });

  it('[UI-01] the page of a collection leads to the jobs of this collection alone', async () => {
    const collection = await quarry.ok('POST', '/v1/collections', { name: 'Without jobs' });
    const { readable_id } = collection;
    await quarry.db
      .transaction()
      .execute((tx) => insertConnection(tx, collection, { name: 'Silent' }));
    const page = await quarry.owner();
    await page.goto(`/collections/${readable_id}`);
    await page.getByRole('link', { name: 'All jobs of this collection' }).click();
    await page.getByText('No job matches.').waitFor();
    assert.equal(await page.getByLabel('Collection').inputValue(), readable_id);
    await page.getByLabel('Collection').selectOption({ label: 'Many' });
    await page.getByText('100 of 210').waitFor();
    await page.getByLabel('State').selectOption({ label: 'Failed' });
    await page.getByText('No job matches.').waitFor();
    await page.getByRole('link', { name: 'Show all jobs' }).click();
    await page.getByText('100 of 210').waitFor();
    assert.equal(new URL(page.url()).search, '');
    await page.context().close();
  });

  it('[UI-01] a click anywhere on a row of the jobs leads to the job, on every width', async () => {
    for (const width of [360, 1440]) {
      const page = await quarry.owner({ viewport: { width, height: 900 } });
      await page.goto('/jobs?state=completed');
      const row = page.getByRole('row', { name: /The last/ }).first();
      await row.waitFor();
      const link = row.getByRole('link');
      const { pathname, search } = new URL(must(await link.getAttribute('href')), page.url());
      // The link lies over the whole row, also over the result in another cell.
      const result = must(await row.getByText('Completed', { exact: true }).boundingBox());
      await page.mouse.click(result.x + result.width / 2, result.y + result.height / 2);
      await page.waitForURL((url) => url.pathname === pathname && url.search === search);
      assert.match(pathname, /\/connections\/[\w-]+$/);
      await page
        .locator('tbody')
        .filter({ has: page.locator('[aria-expanded=true]') })
        .waitFor();
      await page.context().close();
    }
  });

  it('[UI-02] the audit log can be read on a telephone without scrolling sideways', async () => {
    const page = await quarry.owner({ viewport: { width: 360, height: 800 } });
    await page.goto('/audit');
    await page.getByRole('table').getByText('Collection created: Many').waitFor();
    // The code of the page is a text, because the tests are compiled without the types of a browser.
    const hidden = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('main .table'))`;
    assert.equal(await page.evaluate(hidden), 0);
    assert.deepEqual(await faultsOf(page, 'the audit log'), []);
    await page.context().close();
  });

  it('[UI-02] [CON-17] "Find anything" finds the oldest of many connections, and reads few of them', async () => {
    const page = await quarry.owner();
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname === '/v1/source-connections') asked.push(search);
    });
    await page.keyboard.press('Control+k');
    const find = page.getByRole('dialog', { name: 'Find anything' });
    await find.getByText('The last', { exact: true }).waitFor();
    await find.getByRole('combobox').fill('NUMBER 0');
    await find.getByText('Number 0', { exact: true }).waitFor();
    assert.deepEqual(asked, ['?limit=5', '?search=NUMBER%200&limit=50']);
    assert.deepEqual(await faultsOf(page, 'many connections to find'), []);
    await page.context().close();
  });
});
