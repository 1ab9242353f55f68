/** Tests the page of a connection in Chromium: a running sync, deletions that wait, and the schedule. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { page as record, testWorld, whole } from '../../server/src/test/app/source.ts';
import { skipWithoutChromium } from '../../server/src/test/browser/chromium.ts';
import { until } from '../../server/src/test/until.ts';
import { type Dashboard, faultsOf, openDashboard } from './dashboard.ts';

describe('the page of a connection', { skip: skipWithoutChromium }, () => {
  const { source, world } = testWorld();
  let quarry: Dashboard;
  let id: string;
  let path: string;
  before(async () => {
    quarry = await openDashboard({ sources: new Map([['world', source]]) });
    const { readable_id } = await quarry.ok('POST', '/v1/collections', { name: 'World' });
    const made = await quarry.ok('POST', '/v1/source-connections', {
      ...{ name: 'The world', short_name: 'world', readable_collection_id: readable_id },
      auth: { direct: { credentials: { password: 'right' } } },
      ...{ sync_immediately: false, schedule: { cron: null } },
    });
    id = made.id;
    path = `/collections/${readable_id}/connections/${id}`;
  });
  after(() => quarry.close());

  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
  const many = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => record(`page-${from + i}`));

  it('[UI-05] compares a running full sync with the one before, and shows what deletions wait for', async (t) => {
    world.items = whole(...many(0, 100));
    await quarry.sync(id);
    const { promise, resolve } = Promise.withResolvers<void>();
    // A sync that waits for ever would keep the service from closing.
    t.after(() => resolve());
    world.items = [...many(0, 30), () => promise, ...whole()];
    const page = await quarry.owner();
    await page.goto(path);
    await button(page, 'Full sync').click();
    await page.getByText('of about 100').waitFor();
    resolve();
    await page.getByText('70 of 100 records are no longer in The world').waitFor();
    await button(page, 'See the 70').click();
    const waiting = page.getByRole('region', { name: 'Records that would be deleted' });
    await waiting.getByRole('link', { name: 'page-99', exact: true }).waitFor();
    assert.equal(await waiting.getByRole('link').count(), 70);
    await page.getByText('70 deletions held back').waitFor();
    await page.getByText('Show as table').click();
    await page.getByRole('cell', { name: '100', exact: true }).first().waitFor();
    assert.deepEqual(await faultsOf(page, 'a connection with deletions'), []);
    world.items = whole(...many(0, 30));
    await button(page, 'Delete 70 records').click();
    const dialog = page.getByRole('dialog');
    assert.deepEqual(await faultsOf(page, 'the dialog'), []);
    await dialog.getByRole('button', { name: 'Delete 70 records' }).click();
    await page.getByText('70 deleted').waitFor();
    await page.getByText('Up to date').waitFor();
    await page.context().close();
  });

  it('[UI-05] asks only for the connection until that has changed, and then for its jobs', async () => {
    const page = await quarry.owner();
    await page.clock.install();
    await page.goto(path);
    await page.locator('tr[aria-rowindex="4"]').waitFor();
    await page.waitForLoadState('networkidle');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.clock.runFor(12_000);
    await until(() => asked.includes(`/v1/source-connections/${id}`));
    const others = asked.filter((one) => one !== `/v1/source-connections/${id}`);
    // The frame of every page says how many syncs run.
    assert.deepEqual([...new Set(others)], ['/v1/sync/jobs']);
    await quarry.sync(id);
    await page.clock.runFor(12_000);
    await page.locator('tr[aria-rowindex="5"]').waitFor();
    await page.context().close();
  });

  it('[CON-03] says the schedule in words, and what is wrong with it before it is sent', async () => {
    const page = await quarry.owner({ colorScheme: 'dark', viewport: { width: 360, height: 800 } });
    await page.goto(path);
    await page.getByText('Once an hour is the most for this source. Turn on').waitFor();
    await page.getByLabel('Syncs', { exact: true }).selectOption('own');
    const cron = page.getByLabel('Cron expression');
    await cron.fill('every day');
    await page.getByText('Five fields are needed').waitFor();
    await cron.fill('*/10 * * * *');
    await page.getByText('Once an hour is the most for this source.', { exact: true }).waitFor();
    await cron.press('Enter');
    assert.deepEqual(await faultsOf(page, 'a refused schedule'), []);
    assert.equal((await quarry.ok('GET', `/v1/source-connections/${id}`)).schedule.cron, null);
    await cron.fill('17 3 * * 1-5');
    await page.getByText('At 03:17, Monday through Friday, UTC.').waitFor();
    assert.equal(await page.locator('.runs li').count(), 3);
    await button(page, 'Save the schedule').click();
    await page.getByText('The next sync:').waitFor();
    const { schedule } = await quarry.ok('GET', `/v1/source-connections/${id}`);
    assert.equal(schedule.cron, '17 3 * * 1-5');
    await button(page, 'Delete this connection').click();
    await page.getByText(/30 records, the history of 4 syncs, and its settings/).waitFor();
    await button(page, 'Delete the connection').click();
    await page.getByText('No source yet.').waitFor();
    await page.context().close();
  });
});
