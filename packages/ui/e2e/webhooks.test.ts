/** Tests what people do with webhooks in the dashboard, in Chromium and against the real service. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { skipWithoutChromium } from '../../server/src/test/browser/chromium.ts';
import { type Dashboard, openDashboard } from './dashboard.ts';

describe('webhooks in the dashboard', { skip: skipWithoutChromium }, () => {
  let quarry: Dashboard;
  before(async () => {
    quarry = await openDashboard();
  });
  after(() => quarry.close());

  it('[UI-01] [WHK-01] [WHK-02] [WHK-12] adds a webhook, refuses a wrong URL at its field, shows the secret when asked, and deletes', async () => {
    const page = await quarry.owner();
    const button = (name: string) => page.getByRole('button', { name });
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByText('No webhooks yet').waitFor();
    await page.getByRole('link', { name: 'Add a webhook' }).first().click();
    const url = page.getByLabel('URL');
    for (const [given, said] of [
      ['hooks.example.com', 'Write the whole URL'],
      ['http://hooks.example.com/', 'Use an https URL.'],
      ['https://10.0.0.1/', 'The URL must lead to a public address.'],
    ] as const) {
      await url.fill(given);
      await button('Add the webhook').click();
      await page.getByText(said).waitFor();
      assert.equal(await url.getAttribute('aria-invalid'), 'true');
    }
    await url.fill('https://hooks.invalid/in');
    for (const name of ['A sync has ended well', 'A sync has failed'])
      await page.getByLabel(name).uncheck();
    await button('Add the webhook').click();
    await page.getByText('Choose at least one event.').waitFor();
    await page.getByLabel('A collection was made').check();
    await button('Add the webhook').click();
    await page.getByRole('heading', { name: 'hooks.invalid' }).waitFor();
    await button('Send a test message').click();
    await page.getByRole('heading', { name: /^The test message/ }).waitFor();
    const id = page.url().split('/').at(-1) ?? '';
    const path = `/v1/webhooks/subscriptions/${id}`;
    const { secret } = await quarry.ok('GET', `${path}?include_secret=true`);
    assert.ok(!(await page.content()).includes(secret));
    await button('Show the secret').click();
    const shown = page.getByLabel('the secret', { exact: true });
    assert.equal((await shown.innerText()).trim(), secret);
    // An edit that was not saved stays while the secret is replaced and the endpoint is switched.
    const description = page.getByLabel('What it is for');
    await description.fill('To the hooks');
    await button('Replace it').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replace it' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await button('More for this webhook').click();
    await button('Switch off').click();
    await page.getByText('This webhook is switched off').waitFor();
    assert.equal((await quarry.ok('GET', path)).disabled, true);
    await button('Switch on').last().click();
    await page.getByText('This webhook is switched off').waitFor({ state: 'detached' });
    assert.equal(await description.inputValue(), 'To the hooks');
    await button('More for this webhook').click();
    await button('Delete').click();
    await button('Delete the webhook').click();
    await page.getByText('No webhooks yet').waitFor();
    await button('Test message').waitFor();
    assert.deepEqual(await quarry.ok('GET', '/v1/webhooks/subscriptions'), []);
    await page.context().close();
  });

  it('[UI-06] tells somebody who only reads who may open webhooks', async () => {
    const person = await quarry.person();
    const page = await quarry.page(person);
    await page.goto(await quarry.invite('reader@example.com', 'read'));
    await page.getByLabel('Password').fill('correct horse');
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('heading', { name: 'Collections', exact: true }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Webhooks' }).count(), 0);
    await page.goto('/webhooks');
    await page.getByText('Only members and admins can open this page').waitFor();
    await person.close();
  });
});
