/** Tests in Chromium that what somebody types or sees for one thing never reaches another thing. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { catalog } from '../../server/src/sources/catalog.ts';
import { testWorld } from '../../server/src/test/app/source.ts';
import { skipWithoutChromium } from '../../server/src/test/browser/chromium.ts';
import { type Dashboard, openDashboard } from './dashboard.ts';

describe('what belongs to one thing', { skip: skipWithoutChromium }, () => {
  const { source } = testWorld();
  let quarry: Dashboard;
  before(async () => {
    quarry = await openDashboard({
      sources: new Map([...catalog.values(), source].map((one) => [one.shortName, one])),
    });
  });
  after(() => quarry.close());

  const heading = (page: Page, name: string) =>
    page.getByRole('heading', { name, level: 1, exact: true });

  /** Opens what "Find anything" finds first. */
  async function find(page: Page, typed: string): Promise<void> {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill(typed);
    await page.getByRole('option', { name: typed }).first().waitFor();
    await page.keyboard.press('Enter');
  }

  it('[UI-01] a secret that was typed for one vendor is not in the form of the next', async () => {
    const { readable_id } = await quarry.ok('POST', '/v1/collections', { name: 'Secrets' });
    const page = await quarry.owner();
    await page.goto(`/collections/${readable_id}/connect/notion`);
    await page.getByLabel('Name').fill('The secret place');
    await page.locator('form input[type=password]').first().fill('hush');
    await find(page, 'Connect Linear');
    await heading(page, 'Connect Linear').waitFor();
    assert.equal(await page.getByLabel('Name').inputValue(), 'Linear');
    for (const input of await page.locator('form input[type=password]').all())
      assert.equal(await input.inputValue(), '');
    await page.context().close();
  });

  it('[UI-01] the choices that one key may see are not offered with another key', async () => {
    const { readable_id } = await quarry.ok('POST', '/v1/collections', { name: 'Choices' });
    const page = await quarry.owner();
    const json = [{ value: 'OPS', title: 'Operations', description: null }];
    await page.route('**/v1/sources/linear/options', (route) => route.fulfill({ json }));
    await page.goto(`/collections/${readable_id}/connect/linear`);
    const key = page.locator('form input[type=password]').first();
    await key.fill('of Ann');
    const show = page.getByRole('button', { name: 'Show the choices' });
    await show.click();
    const choice = page.getByRole('checkbox', { name: 'Operations' });
    await choice.check();
    await key.fill('of Bob');
    await choice.waitFor({ state: 'detached' });
    await show.click();
    await choice.waitFor();
    await page.context().close();
  });

  it('[UI-01] choices stay while something is chosen in another field, and can be asked for again', async () => {
    const { readable_id } = await quarry.ok('POST', '/v1/collections', { name: 'Buckets' });
    const page = await quarry.owner();
    await page.route('**/v1/sources/s3/options', (route) => {
      const { field, config } = route.request().postDataJSON();
      const value = field === 'buckets' ? 'photos' : `${config.buckets?.[0] ?? 'any'}/`;
      return route.fulfill({ json: [{ value, title: value, description: null }] });
    });
    await page.goto(`/collections/${readable_id}/connect/s3`);
    const show = page.getByRole('button', { name: 'Show the choices' });
    await show.last().click();
    await page.getByRole('checkbox', { name: 'any/' }).waitFor();
    await show.click();
    await page.getByRole('checkbox', { name: 'photos', exact: true }).check();
    assert.equal(await page.getByRole('checkbox', { name: 'any/' }).count(), 1);
    await page.getByRole('button', { name: 'Ask again' }).click();
    await page.getByRole('checkbox', { name: 'photos/' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Ask again' }).count(), 0);
    await page.context().close();
  });

  it('[UI-01] a change that was not saved stays with its connection', async () => {
    const { readable_id } = await quarry.ok('POST', '/v1/collections', { name: 'Two of them' });
    const made = [];
    for (const name of ['The first one', 'The second one'])
      made.push(
        await quarry.ok('POST', '/v1/source-connections', {
          ...{ name, short_name: 'world', readable_collection_id: readable_id },
          auth: { direct: { credentials: { password: 'right' } } },
          ...{ sync_immediately: false, schedule: { cron: null } },
        }),
      );
    const page = await quarry.owner();
    await page.goto(`/collections/${readable_id}/connections/${made[0].id}`);
    await page.getByLabel('Syncs', { exact: true }).selectOption('own');
    await page.getByLabel('Cron expression').fill('17 3 * * 1-5');
    await find(page, 'The second one');
    await heading(page, 'The second one').waitFor();
    assert.equal(await page.getByLabel('Cron expression').count(), 0);
    await page.context().close();
  });

  it('[UI-06] a tab stays in its organization while another tab changes to the next', async () => {
    const other = await quarry.ok('POST', '/v1/organizations', { name: 'The other one' });
    await quarry.ok('POST', '/v1/collections', { name: 'Of the first' });
    const page = await quarry.owner();
    const choice = page.getByLabel('Organization');
    const own = await choice.inputValue();
    const second = await quarry.page(page.context());
    await second.goto('/collections');
    await second.getByLabel('Organization').selectOption(other.id);
    await second.getByText('Of the first').waitFor({ state: 'detached' });
    const asked = await page.waitForRequest((request) => request.url().includes('/v1/sync/jobs'));
    assert.equal((await asked.allHeaders())['x-organization-id'], own);
    await page.reload();
    await heading(page, 'Collections').waitFor();
    assert.equal(await choice.inputValue(), own);
    const third = await quarry.page(page.context());
    await third.goto('/collections');
    await heading(third, 'Collections').waitFor();
    assert.equal(await third.getByLabel('Organization').inputValue(), other.id);
    await page.context().close();
  });

  it('[MEM-04] an organization that is no longer the person’s does not keep the person out', async () => {
    const page = await quarry.owner();
    const gone = JSON.stringify(randomUUID());
    await page.evaluate(`localStorage.setItem('quarry.organization', ${gone})`);
    const tab = await quarry.page(page.context());
    await tab.goto('/collections');
    await heading(tab, 'Collections').waitFor();
    await tab.getByRole('link', { name: 'API keys' }).click();
    await heading(tab, 'API keys').waitFor();
    await page.context().close();
  });
});
