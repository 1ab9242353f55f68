/** Tests in Chromium what pages say, and how they go on, while the service refuses, is busy or has failed. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { skipWithoutChromium } from '../../server/src/test/browser/chromium.ts';
import { until } from '../../server/src/test/until.ts';
import { type Dashboard, faultsOf, openDashboard } from './dashboard.ts';

describe('a fault of the service', { skip: skipWithoutChromium }, () => {
  let quarry: Dashboard;
  before(async () => {
    quarry = await openDashboard();
    await quarry.ok('POST', '/v1/collections', { name: 'Birds of the quay', readable_id: 'birds' });
  });
  after(() => quarry.close());

  const refuse = (page: Page, path: string, status: number, wait?: number) =>
    page.route(
      (url) => url.pathname === path,
      (route) =>
        route.fulfill({
          status,
          contentType: 'application/json',
          body: JSON.stringify({ detail: 'the database is away' }),
          ...(wait !== undefined && { headers: { 'retry-after': String(wait) } }),
        }),
    );

  it('[UI-01] a page that failed says so in its heading, and is shown when it is tried again', async () => {
    const page = await quarry.owner();
    await refuse(page, '/v1/collections/birds', 500);
    await page.goto('/collections/birds');
    const title = 'This page could not be shown';
    await page.getByRole('heading', { name: title, level: 1 }).waitFor();
    assert.equal(await page.title(), `${title} · Collections · Quarry`);
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'H1');
    await page.getByText('The database is away.').waitFor();
    assert.deepEqual(await faultsOf(page, 'a page that failed'), []);
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Birds of the quay', level: 1 }).waitFor();
    await page.goto('/collections/no-birds');
    await page.getByRole('heading', { name: 'This is not here', level: 1 }).waitFor();
    await page.getByRole('navigation', { name: 'Where you are' }).getByText('Collections').click();
    await page.getByRole('heading', { name: 'Collections', level: 1 }).waitFor();
    await page.context().close();
  });

  it('[UI-01] a file that cannot be loaded takes nothing away that was typed, and its page is shown when it can be', async () => {
    const page = await quarry.owner();
    await page.goto('/collections/birds/settings');
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill('Birds of the');
    const isFile = (url: URL) => /^\/assets\/(jobs|palette)-/.test(url.pathname);
    const isAway = (url: URL) => isFile(url) || url.pathname === '/health';
    await page.route(isAway, (route) => route.abort());
    const jobs = page.getByRole('link', { name: 'Jobs', exact: true });
    const failed = page.waitForEvent('requestfailed', (request) => isFile(new URL(request.url())));
    await jobs.hover();
    await failed;
    await page.keyboard.press('Control+k');
    await page.getByText('This cannot be opened now').waitFor();
    assert.equal(await name.inputValue(), 'Birds of the');
    await page.evaluate('window.isSamePage = true');
    await jobs.click();
    const fault = page.getByRole('heading', { name: 'This page could not be shown', level: 1 });
    await fault.waitFor();
    await page.getByText('Quarry does not answer.', { exact: true }).waitFor();
    assert.ok(await page.evaluate('window.isSamePage'), 'a service that is away shows no page');
    assert.deepEqual(await faultsOf(page, 'a page without its file'), []);
    // The service is back, in a version without this file: the page is loaded again, once by itself.
    await page.unrouteAll();
    await page.route(isFile, (route) => route.fulfill({ status: 404 }));
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.waitForFunction('!window.isSamePage');
    await page.getByText('A file of it is missing').waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
    await page.context().close();
  });

  it('[UI-01] what is gone leaves the page, and what was read before stays below another fault', async () => {
    await quarry.ok('POST', '/v1/collections', { name: 'Short-lived', readable_id: 'short' });
    const page = await quarry.owner();
    await page.goto('/collections/short');
    await page.getByRole('heading', { name: 'Short-lived', level: 1 }).waitFor();
    await quarry.ok('DELETE', '/v1/collections/short');
    await page.getByRole('heading', { name: 'This is not here', level: 1 }).waitFor();
    await page.goto('/members');
    const me = page.getByText('(you)');
    await me.waitFor();
    const failed = page.getByText('The members could not be loaded');
    const refetch = async (status: number) => {
      await page.unrouteAll();
      let isAsked = false;
      page.on('request', (request) => {
        isAsked ||= new URL(request.url()).pathname === '/v1/members';
      });
      await refuse(page, '/v1/members', status);
      // A second request could be answered after the refusal has ended, and take the button away.
      await until(async () => {
        if (!isAsked) await page.evaluate('window.dispatchEvent(new Event("visibilitychange"))');
        return isAsked;
      });
      await failed.waitFor();
    };
    await refetch(500);
    assert.ok(await me.isVisible());
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await failed.waitFor({ state: 'detached' });
    await refetch(403);
    assert.equal(await me.count(), 0);
    await page.context().close();
  });

  it('[UI-01] a busy service is asked again, and the page says why it waits', async () => {
    const page = await quarry.owner();
    for (const [path, address] of [
      ['/v1/auth/me', '/keys'],
      ['/v1/members', '/members'],
      ['/v1/collections/birds', '/collections/birds/settings'],
    ] as const) {
      await refuse(page, path, 503, 3);
      await page.goto(address);
      await page.getByText('The database is away.').waitFor();
      await page.getByText(/^Trying again in \d s/).waitFor();
      await page.unrouteAll();
      await page.getByText('The database is away.').waitFor({ state: 'detached' });
      await page.getByRole('heading', { level: 1 }).waitFor();
    }
    await refuse(page, '/v1/collections/birds/search', 429, 3);
    await page.goto('/search?c=birds&q=heron');
    await page.getByText(/^Trying again in \d s/).waitFor();
    assert.deepEqual(await faultsOf(page, 'a search that waits'), []);
    await page.unrouteAll();
    await page.getByText('This collection is empty.').waitFor();
    await page.context().close();
  });
});
