/** Tests the first run in Chromium, from an empty installation to an answer. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { catalog } from '../../server/src/sources/catalog.ts';
import { skipWithoutChromium } from '../../server/src/test/browser/chromium.ts';
import { must } from '../../server/src/util.ts';
import { type Dashboard, faultsOf, openDashboard } from './dashboard.ts';

describe('the first run', { skip: skipWithoutChromium }, () => {
  let quarry: Dashboard;
  let folder: string;
  before(async () => {
    folder = join(mkdtempSync(join(tmpdir(), 'quarry-folder-')), 'weirs');
    mkdirSync(folder);
    writeFileSync(join(folder, 'weir.md'), '# The weir\n\nThe sluice of the weir opens at dawn.\n');
    writeFileSync(join(folder, 'old locks.pdf'), 'this is not a PDF');
    const sources = ['files', 'postgresql'].map((name) => must(catalog.get(name)));
    quarry = await openDashboard({
      sources: new Map(sources.map((one) => [one.shortName, one])),
    });
  });
  after(async () => {
    rmSync(join(folder, '..'), { recursive: true, force: true });
    await quarry.close();
  });

  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
  const link = (page: Page, name: string | RegExp) => page.getByRole('link', { name });
  const open = async () => {
    const page = await quarry.page(await quarry.person());
    await page.goto(must(await quarry.startLink()).url);
    await page.getByRole('heading', { level: 1 }).waitFor();
    return page;
  };

  it('[UI-01] [MEM-10] leads from the link of the start to an answer out of one’s own folder', async () => {
    const page = await open();
    await page.waitForURL('**/welcome');
    assert.ok(!page.url().includes('token'), 'the token is not kept in the address');
    await page.locator('input:focus').waitFor();
    await page.getByLabel('Name').fill('Weir keepers');
    await page.keyboard.press('Enter');
    await page.locator('h2:focus', { hasText: 'What should Quarry read first?' }).waitFor();
    await link(page, /^A folder/).click();
    await page.getByLabel('Folder', { exact: true }).fill('/nowhere/at/all');
    await button(page, 'Read this folder').click();
    await page.getByRole('alert').getByText('The path /nowhere/at/all does not exist.').waitFor();
    assert.deepEqual(await quarry.ok('GET', '/v1/collections'), [], 'nothing is left of it');
    await page.getByLabel('Folder', { exact: true }).fill(folder);
    await button(page, 'Read this folder').click();
    await page.locator('h2:focus', { hasText: /^Read/ }).waitFor();
    await page.getByText('record can be searched').waitFor();
    await page.getByText('the file is broken or is not a PDF').waitFor();
    await page.reload();
    await button(page, 'weir').click();
    await page.getByRole('region', { name: 'The best result' }).getByText('weir.md').waitFor();
    await page.getByLabel('Question or words').fill('when does the sluice open?');
    await page.keyboard.press('Enter');
    await page.locator('mark', { hasText: 'sluice' }).waitFor();
    await button(page, 'Put a new key in').click();
    await page.getByText('The key is in it now').waitFor();
    const command = await page
      .getByLabel('the command for Claude Code', { exact: true })
      .innerText();
    assert.match(command, /^claude mcp add .*\/mcp/);
    const [, key = ''] = must(/X-API-Key: (quarry_[^"]+)"/.exec(command));
    await page.getByText('Waiting for the first call').waitFor();
    const found = await fetch(`${quarry.origin}/v1/collections`, { headers: { 'x-api-key': key } });
    assert.equal(found.status, 200);
    await page.getByText('Connected: its key was used').waitFor();
    assert.deepEqual(await faultsOf(page, 'welcome'), []);
    const shape = (): Promise<string> =>
      page.evaluate(`(() => {
        const step = document.querySelector('.step');
        const { padding, color, borderLeftWidth } = getComputedStyle(step);
        return [padding, color, borderLeftWidth, getComputedStyle(step, '::before').left].join();
      })()`);
    const before = await shape();
    await link(page, 'Why first?').click();
    const score = Number(await page.locator('.explain tfoot .num').innerText());
    const parts = await page.locator('.explain tbody .num').allInnerTexts();
    const sum = parts.reduce((total, part) => total + Math.round(Number(part) * 1000), 0);
    assert.equal(sum, Math.round(score * 1000));
    await link(page, 'weir.md').click();
    await page.getByText('The sluice of the weir opens at dawn.').waitFor();
    await page.goBack();
    await page.goBack();
    await page.locator('.step').first().waitFor();
    assert.equal(await shape(), before, 'the styles of the search page stay there');
    await page.context().close();
  });

  it('[UI-01] is over once there is a collection with a source, and can be found again', async () => {
    const page = await open();
    await page.waitForURL('**/collections');
    await page.getByText('Weir keepers').waitFor();
    await page.setViewportSize({ width: 360, height: 800 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.goto('/welcome?kind=database&step=source');
    await link(page, 'PostgreSQL').click();
    await page.getByLabel('URL').fill('postgres://me:pw@127.0.0.1:1/locks');
    await button(page, 'Connect and sync').click();
    await page.getByText('127.0.0.1:1 cannot be reached').waitFor();
    assert.deepEqual(await faultsOf(page, 'welcome with a database'), []);
    await page.context().close();
  });
});
