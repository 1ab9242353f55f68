/** Tests the keys of the dashboard and what "Find anything" finds, in Chromium and against the real service. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { skipWithoutChromium } from '../../server/src/test/browser/chromium.ts';
import { type Dashboard, faultsOf, openDashboard } from './dashboard.ts';

describe('finding by keys', { skip: skipWithoutChromium }, () => {
  let quarry: Dashboard;
  before(async () => {
    quarry = await openDashboard();
  });
  after(() => quarry.close());

  it('[UI-02] [UI-03] finds a collection by name, goes to pages by two keys, and can switch single keys off', async () => {
    await quarry.ok('POST', '/v1/collections', { name: 'Limestone samples' });
    const page = await quarry.owner();
    const find = page.getByRole('dialog', { name: 'Find anything' });
    await page.goto('/jobs');
    await page.getByRole('heading', { name: 'Jobs', exact: true }).waitFor();
    await page.keyboard.press('Control+k');
    await find.getByText('API keys').waitFor();
    assert.deepEqual(await faultsOf(page, 'the palette'), []);
    await page.keyboard.type('limest');
    await find.getByRole('option', { name: 'Limestone samples' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Limestone samples' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('k');
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keys' });
    await keys.getByLabel('Single keys work').uncheck();
    assert.deepEqual(await faultsOf(page, 'the list of keys'), []);
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'detached' });
    await page.keyboard.press('g');
    await page.keyboard.press('j');
    await page.keyboard.press('?');
    await page.keyboard.press('Control+k');
    await find.waitFor();
    assert.equal(new URL(page.url()).pathname, '/keys');
    await page.context().close();
  });
});
