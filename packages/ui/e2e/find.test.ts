/** Tests the keys of the dashboard and what "Find anything" finds, in Chromium and against the real service. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { skipWithoutChromium } from '../../server/src/test/browser/chromium.ts';
import { type Dashboard, faultsOf, openDashboard } from './dashboard.ts';

describe('finding by keys', { skip: skipWithoutChromium }, () => {
  let quarry: Dashboard;
  before(async () => {
    quarry = await openDashboard();
  });
  after(() => quarry.close());

  const finder = (page: Page) => page.getByRole('dialog', { name: 'Find anything' });
  /** Keys that are pressed before the dialog has the focus belong to the page. */
  const openFinder = async (page: Page) => {
    await page.keyboard.press('Control+k');
    await finder(page).locator('input:focus').waitFor();
  };
  const pathOf = (page: Page) => new URL(page.url()).pathname;

  async function collectionOf(name: string): Promise<{ id: string; connection: string }> {
    const { readable_id: id } = await quarry.ok('POST', '/v1/collections', { name });
    const { id: connection } = await quarry.ok('POST', '/v1/source-connections', {
      ...{ name: `${name} pushed`, short_name: 'push', readable_collection_id: id },
    });
    return { id, connection };
  }

  it('[UI-02] [UI-03] finds pages, collections, connections and sources by their names, without a mouse', async () => {
    const { id, connection } = await collectionOf('Limestone samples');
    const page = await quarry.owner();
    const find = finder(page);
    await page.keyboard.press('Control+k');
    await find.getByRole('option', { name: 'API keys' }).waitFor();
    await find.getByRole('option', { name: 'Limestone samples pushed' }).waitFor();
    assert.deepEqual(await faultsOf(page, 'the palette'), []);
    for (const [typed, option, path] of [
      ['api', 'API keys', '/keys'],
      ['SAMPLES lime', 'Limestone samples', `/collections/${id}`],
      ['lime push', 'Limestone samples pushed', `/collections/${id}/connections/${connection}`],
      ['connect git', 'Connect Git', `/collections/${id}/connect/git`],
      ['old red bricks', 'Search for “old red bricks”', '/search'],
    ] as const) {
      await openFinder(page);
      await page.keyboard.type(typed);
      await find.getByRole('option', { name: option }).first().waitFor();
      await page.keyboard.press('Enter');
      await find.waitFor({ state: 'detached' });
      await page.waitForURL((url) => url.pathname === path);
    }
    assert.equal(new URL(page.url()).searchParams.get('q'), 'old red bricks');
    await openFinder(page);
    await page.keyboard.press('Escape');
    await find.waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('[UI-03] says that nothing has this name, and offers a search for the words', async () => {
    await collectionOf('Shale samples');
    const page = await quarry.owner();
    await page.keyboard.press('Control+k');
    const nothing = finder(page).getByText('Nothing has this name.');
    await finder(page).getByRole('option', { name: 'Shale samples', exact: true }).waitFor();
    assert.equal(await nothing.count(), 0);
    await page.keyboard.type('zzyzx');
    await nothing.waitFor();
    const options = await finder(page).getByRole('option').allInnerTexts();
    assert.deepEqual(
      options.map((text) => text.split('\n')[0]),
      ['Search for “zzyzx”'],
    );
    assert.deepEqual(await faultsOf(page, 'nothing found by name'), []);
    await finder(page).getByRole('combobox').fill('shale');
    await nothing.waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('[UI-03] a reader is offered no page and no source that a reader may not open', async () => {
    await collectionOf('Sandstone samples');
    const page = await quarry.page(await quarry.person());
    await page.goto(await quarry.invite('reader@example.org', 'read'));
    await page.getByLabel('Password').fill('correct horse');
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('heading', { name: 'Collections', exact: true }).waitFor();
    await openFinder(page);
    await page.keyboard.type('sand');
    await finder(page).getByRole('option', { name: 'Sandstone samples', exact: true }).waitFor();
    for (const typed of ['api keys', 'connect git']) {
      await finder(page).getByRole('combobox').fill(typed);
      const options = finder(page).getByRole('option');
      await options.filter({ hasText: `Search for “${typed}”` }).waitFor();
      assert.equal(await options.count(), 1, typed);
    }
    await page.context().close();
  });

  it('[UI-03] moves in lists and acts on rows by single keys, which can be switched off', async () => {
    const { id, connection } = await collectionOf('Marble samples');
    const page = await quarry.owner();
    await page.goto(`/collections/${id}`);
    const row = page.getByRole('link', { name: 'Marble samples pushed' });
    await row.waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname.endsWith(connection));
    await page.goBack();
    await row.waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('.');
    await page.getByRole('link', { name: 'Open', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('c');
    await page.getByRole('heading', { name: 'Connect a source' }).waitFor();
    await page.goto('/search');
    const box = page.getByRole('searchbox', { name: 'Question or words' });
    await box.waitFor();
    await page.keyboard.press('/');
    const isInBox = 'document.activeElement.type === "search"';
    assert.ok(await page.evaluate(isInBox));
    assert.equal(await box.inputValue(), '');
    await page.getByRole('link', { name: 'Jobs', exact: true }).focus();
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
    await finder(page).waitFor();
    assert.equal(pathOf(page), '/keys');
    await page.goto('/search');
    await box.waitFor();
    await page.keyboard.press('/');
    assert.ok(!(await page.evaluate(isInBox)));
    await page.context().close();
  });

  it('[UI-03] opens by Ctrl+K right after Escape, while the browser has not yet said that a dialog is closed', async () => {
    const page = await quarry.owner();
    // The palette is not loaded yet when it is asked for the first time.
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keys' });
    await keys.waitFor();
    for (const _dialog of ['the list of keys', 'the palette', 'the palette again']) {
      // One task closes the dialog and presses the keys, so the event of its end comes afterwards.
      await page.evaluate(`{
        const dialog = document.querySelector('dialog[open]');
        dialog.addEventListener('close', () => setTimeout(() => (document.body.dataset.heard = 'yes')));
        dialog.close();
        document.body.dispatchEvent(
          new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, bubbles: true }),
        );
      }`);
      await page.locator('body[data-heard]').waitFor();
      await page.evaluate('delete document.body.dataset.heard');
      await finder(page).waitFor();
      await keys.waitFor({ state: 'detached' });
      await page.keyboard.type('api');
      assert.equal(await finder(page).getByRole('combobox').inputValue(), 'api');
      await page.keyboard.press('Control+k');
      assert.equal(await finder(page).getByRole('combobox').inputValue(), 'api', 'it stays open');
    }
    await page.context().close();
  });

  it('[UI-03] gives the focus back when a dialog closes by its button, or leads to a page', async () => {
    const { id } = await collectionOf('Basalt samples');
    const page = await quarry.owner();
    const focused = 'document.activeElement.innerText';
    const opener = page.getByRole('button', { name: 'New collection' }).first();
    await opener.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(await page.evaluate(focused), await opener.innerText());
    await page.keyboard.press('Control+k');
    await finder(page).getByRole('combobox').fill('basalt');
    await finder(page).getByRole('option', { name: 'Basalt samples', exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Basalt samples', level: 1 }).waitFor();
    assert.equal(await page.evaluate(focused), 'Basalt samples');
    // The one that opened the dialog goes with the collection.
    await page.goto(`/collections/${id}/settings`);
    await page.getByRole('button', { name: 'Delete this collection' }).click();
    await page.getByRole('button', { name: 'Delete the collection' }).click();
    await page.getByRole('heading', { name: 'Collections', level: 1 }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(await page.evaluate(focused), 'Collections');
    await page.context().close();
  });

  it('[UI-03] searches from everywhere for exactly what was typed, in the collection of the page', async () => {
    const { id } = await collectionOf('Granite samples');
    await collectionOf('Gneiss samples');
    const page = await quarry.owner();
    await page.goto(`/search?c=${id}&q=quartz`);
    const box = page.getByRole('searchbox', { name: 'Question or words' });
    await box.waitFor();
    await page.keyboard.press('Control+k');
    await finder(page).getByRole('combobox').fill('1.10');
    await finder(page).getByRole('option', { name: 'Search for “1.10”' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.search.includes('1.10'));
    await page.getByText('This collection is empty.').waitFor();
    assert.equal(await box.inputValue(), '1.10');
    assert.equal(await page.getByLabel('Collection').inputValue(), id);
    await page.goBack();
    await page.waitForURL((url) => url.search.includes('quartz'));
    assert.equal(await box.inputValue(), 'quartz');
    await page.context().close();
  });
});
