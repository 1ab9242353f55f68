/** Tests in Chromium how searches show sources that are searched live, and what is missing in their results. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { SourceError } from '../../server/src/errors.ts';
import { push } from '../../server/src/sources/catalog/push.ts';
import { book, federatedSource } from '../../server/src/test/app/federated-source.ts';
import { skipWithoutChromium } from '../../server/src/test/browser/chromium.ts';
import { type Dashboard, faultsOf, openDashboard } from './dashboard.ts';

describe('a source that is searched live', { skip: skipWithoutChromium }, () => {
  const { source, shelf } = federatedSource();
  let quarry: Dashboard;
  before(async () => {
    const sources = [source, push].map((one) => [one.shortName, one] as const);
    quarry = await openDashboard({ sources: new Map(sources) });
    for (const name of ['Books', 'Nothing']) {
      const readable_id = name.toLowerCase();
      await quarry.ok('POST', '/v1/collections', { name, readable_id });
    }
    await quarry.ok('POST', '/v1/source-connections', {
      ...{ name: 'A shelf', short_name: 'shelf', readable_collection_id: 'books' },
      authentication: { credentials: { password: 'right' } },
    });
  });
  after(() => quarry.close());
  beforeEach(() => {
    shelf.find = () => [];
  });

  const URL_OF_BOOK = 'https://shelf.example.com/books/7';

  it('[UI-01] [FED-01] leads to the original, because nothing of it is stored', async () => {
    shelf.find = () => [
      book('heron', { text: 'The heron waits at the weir.', url: URL_OF_BOOK }),
      book('otter', { text: 'The heron saw an otter.' }),
    ];
    const page = await quarry.owner();
    for (const mode of ['', '&mode=steps']) {
      await page.goto(`/search?c=books&q=heron${mode}`);
      const title = page.getByRole('link', { name: 'heron', exact: true });
      assert.equal(await title.getAttribute('href'), URL_OF_BOOK);
      const original = page.getByRole('link', { name: 'Open the original of heron' });
      assert.equal(await original.getAttribute('href'), URL_OF_BOOK);
      // This one has no address, so there is nothing to open.
      await page.locator('.result-title', { hasText: 'otter' }).waitFor();
      assert.equal(await page.getByRole('link', { name: 'otter', exact: true }).count(), 0);
      assert.deepEqual(await faultsOf(page, 'results of a live source'), []);
    }
    await page.context().close();
  });

  it('[UI-01] [FED-02] says which source has not answered, and calls no collection empty that has one', async () => {
    const page = await quarry.owner();
    await page.goto('/search?c=books&q=heron');
    await page.getByText('Nothing matches').waitFor();
    await page.goto('/search?c=nothing&q=heron');
    await page.getByText('This collection is empty.').waitFor();
    shelf.find = () => {
      throw new SourceError('transient', 'the shelf is being painted');
    };
    for (const mode of ['', '&mode=steps']) {
      await page.goto(`/search?c=books&q=heron${mode}`);
      await page.getByRole('heading', { name: 'Shelf has not answered' }).waitFor();
      await page.getByText('the shelf is being painted').waitFor();
    }
    assert.deepEqual(await faultsOf(page, 'a silent source'), []);
    await page.context().close();
  });

  it('[UI-01] says that nothing was compared by meaning', async () => {
    const page = await quarry.owner();
    await page.route('**/v1/collections/books/search', async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      answer.metadata.degraded.push('embedding');
      await route.fulfill({ response, json: answer });
    });
    await page.goto('/search?c=books&q=heron');
    await page.getByRole('heading', { name: 'Nothing was compared by meaning' }).waitFor();
    await page.context().close();
  });

  it('[UI-01] takes away a type and a source that the collection does not have, and asks again only for somebody', async () => {
    shelf.find = () => [book('heron', { text: 'The heron waits at the weir.' })];
    const page = await quarry.owner();
    await page.clock.install();
    await page.goto('/search?c=books&q=heron&type=Letter&source=gone');
    await page.getByText('Nothing matches').waitFor();
    await page.getByRole('checkbox', { name: 'Letter' }).click();
    await page.getByRole('checkbox', { name: 'gone' }).click();
    await page.locator('.result-title', { hasText: 'heron' }).waitFor();
    const before = shelf.asked.length;
    await page.clock.fastForward('10:00');
    const others = page.waitForRequest((request) => request.url().includes('/contents'));
    await page.evaluate('window.dispatchEvent(new Event("visibilitychange"))');
    await others;
    await page.waitForLoadState('networkidle');
    assert.equal(shelf.asked.length, before);
    await page.context().close();
  });
});
