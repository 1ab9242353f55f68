/** Tests the page of the system in Chromium: a damaged index is found, said in words, repaired, and made again. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { page as record, testWorld, whole } from '../../server/src/test/app/source.ts';
import { skipWithoutChromium } from '../../server/src/test/browser/chromium.ts';
import { type Dashboard, openDashboard } from './dashboard.ts';

describe('the page of the system', { skip: skipWithoutChromium }, () => {
  const { source, world } = testWorld();
  let quarry: Dashboard;
  before(async () => {
    quarry = await openDashboard({ sources: new Map([['world', source]]) });
  });
  after(() => quarry.close());

  it('finds what is wrong, says it in words, repairs it, and makes the index again', async () => {
    await quarry.ok('POST', '/v1/collections', { name: 'Birds', readable_id: 'birds' });
    world.items = whole(record('heron'), record('otter'));
    const { id } = await quarry.ok('POST', '/v1/source-connections', {
      ...{ name: 'The world', short_name: 'world', readable_collection_id: 'birds' },
      auth: { direct: { credentials: { password: 'right' } } },
    });
    assert.equal((await quarry.settled(id)).status, 'completed');
    await quarry.db.deleteFrom('chunk_bodies').execute();
    const page = await quarry.owner();
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    await page.getByRole('link', { name: 'System' }).click();
    await page.getByText('Not checked yet').waitFor();
    // Without HTTPS a browser has no clipboard, but copies what is selected.
    await page.evaluate(
      "Object.defineProperty(window, 'isSecureContext', { value: false });" +
        "document.addEventListener('copy', () => { window.copied = String(getSelection()); });",
    );
    await button('Copy for a bug report').click();
    await page.getByText('Copied', { exact: true }).waitFor();
    assert.match(await page.evaluate('window.copied'), /"version": /);
    await button('Check all').click();
    await page.getByRole('heading', { name: '2 passages have no text' }).waitFor();
    await button('Repair').first().click();
    await page.getByText('Not checked yet').waitFor();
    // The page asks again by itself until the repair has ended.
    await page.getByText('Being worked on').waitFor({ state: 'detached' });
    await button('Check Birds').click();
    await page.getByText('Nothing is wrong').waitFor();
    await button('Reindex Birds').click();
    await page.getByText('Nothing is wrong').waitFor();
    const runs = await quarry.ok('GET', '/v1/collections/birds/maintenance');
    assert.deepEqual(
      runs.map(({ kind }: { kind: string }) => kind),
      ['reindex', 'doctor'],
    );
    await page.context().close();
  });
});
