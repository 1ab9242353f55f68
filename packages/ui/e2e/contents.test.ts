/** Tests in Chromium how people browse the records of a collection, and what an admin learns about one of them. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { page as record, testWorld, whole } from '../../server/src/test/app/source.ts';
import { skipWithoutChromium } from '../../server/src/test/browser/chromium.ts';
import { type Dashboard, faultsOf, openDashboard } from './dashboard.ts';

describe('the contents of a collection', { skip: skipWithoutChromium }, () => {
  const { source, world } = testWorld();
  let quarry: Dashboard;
  before(async () => {
    quarry = await openDashboard({ sources: new Map([['world', source]]) });
  });
  after(() => quarry.close());

  it('are browsed by source and breadcrumb, and a record says where it comes from and who may see it', async () => {
    await quarry.ok('POST', '/v1/collections', { name: 'Birds', readable_id: 'birds' });
    const folder = (id: string) => ({ id, name: `<i>${id}</i>`, type: 'folder' });
    const access = { viewers: ['user:ann@example.com'], isPublic: false };
    world.items = whole(
      record('heron', { breadcrumbs: [folder('water'), folder('reeds')], access }),
      record('finch'),
    );
    const { id } = await quarry.ok('POST', '/v1/source-connections', {
      ...{ name: 'The world', short_name: 'world', readable_collection_id: 'birds' },
      auth: { direct: { credentials: { password: 'right' } } },
    });
    assert.equal((await quarry.settled(id)).status, 'completed');
    const page = await quarry.owner();
    await page.goto('/collections/birds/contents');
    await page.getByRole('link', { name: /^The world/ }).click();
    await page.getByRole('link', { name: 'finch' }).waitFor();
    await page.getByRole('link', { name: '<i>water</i>' }).click();
    await page.getByRole('link', { name: '<i>reeds</i>' }).click();
    await page.getByRole('link', { name: 'heron' }).waitFor();
    // The address alone leads to the same place.
    await page.goto(page.url());
    await page
      .getByRole('navigation', { name: 'Place in the source' })
      .getByText('reeds')
      .waitFor();
    assert.deepEqual(await faultsOf(page, 'a part of the contents'), []);
    await page.getByRole('link', { name: 'heron' }).click();
    await page.getByText('a sync that began').waitFor();
    await page.getByText('ann@example.com').waitFor();
    const ask = async (typed: string) => {
      await page.getByLabel('May somebody see it?').fill(typed);
      await page.getByRole('button', { name: 'Ask' }).click();
    };
    await ask('');
    await page.locator('[aria-invalid]').waitFor();
    await ask('ann@example.com');
    await page.getByText('ann@example.com sees this record').waitFor();
    await ask('bob@example.com');
    await page.getByText('bob@example.com does not see this record').waitFor();
    assert.deepEqual(await faultsOf(page, 'a record'), []);
    await page.context().close();
  });
});
