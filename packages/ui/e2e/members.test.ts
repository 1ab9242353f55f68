/** Tests what people do with members, and with themselves, in Chromium and against the real service. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { skipWithoutChromium } from '../../server/src/test/browser/chromium.ts';
import { must } from '../../server/src/util.ts';
import { type Dashboard, openDashboard } from './dashboard.ts';

describe('the members of an organization', { skip: skipWithoutChromium }, () => {
  let quarry: Dashboard;
  before(async () => {
    quarry = await openDashboard();
  });
  after(() => quarry.close());

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const heading = (page: Page, name: string) =>
    page.getByRole('heading', { name, level: 1, exact: true });
  async function join(page: Page, invitation: string): Promise<void> {
    // Another part after # loads no page.
    await page.goto('about:blank');
    await page.goto(invitation);
    await page.getByLabel('Password').fill('correct horse');
    await button(page, 'Join').click();
    await heading(page, 'Collections').waitFor();
  }
  const memberOf = async (wanted: string): Promise<{ id: string; role: string }> => {
    const members: { id: string; role: string; email: string }[] = await quarry.ok(
      'GET',
      '/v1/members',
    );
    return must(members.find(({ email }) => email === wanted));
  };

  it('[MEM-03] a role that was changed elsewhere is shown, and is not offered for a change back', async () => {
    await quarry.invite('ann@example.com', 'read');
    const page = await quarry.owner();
    await page.goto('/members');
    const role = page.getByLabel('Role of ann@example.com');
    await role.waitFor();
    const { id } = await memberOf('ann@example.com');
    await quarry.ok('PATCH', `/v1/members/${id}`, { role: 'member' });
    await page.getByLabel('E-mail address').fill('bob@example.com');
    await button(page, 'Invite').click();
    await page.getByLabel('Role of bob@example.com').waitFor();
    assert.equal(await role.inputValue(), 'member');
    assert.equal(await button(page, 'Save').count(), 0);
    await page.context().close();
  });

  it('[MEM-03] [UI-06] who gives up the own role no longer sees what it showed', async () => {
    const page = await quarry.page(await quarry.person());
    await join(page, await quarry.invite('cleo@example.com', 'admin'));
    await page.goto('/members');
    await page.getByLabel('Role of cleo@example.com').selectOption('read');
    await button(page, 'Save').click();
    await page.getByText('Only an admin can open this page').waitFor();
    assert.equal(await page.getByRole('link', { name: 'API keys' }).count(), 0);
    await page.context().close();
  });

  it('[MEM-02] [MEM-03] who joins a second organization begins there, and is there alone after leaving the first', async () => {
    const other = await quarry.ok('POST', '/v1/organizations', { name: 'The other one' });
    const page = await quarry.page(await quarry.person());
    await join(page, await quarry.invite('dora@example.com', 'admin'));
    const invited = await quarry.api.inject({
      ...{ method: 'POST', url: '/v1/members' },
      headers: { 'x-api-key': quarry.key, 'x-organization-id': other.id },
      payload: { email: 'dora@example.com', role: 'member' },
    });
    await join(page, invited.json().invitation_url);
    const choice = page.getByLabel('Organization');
    assert.equal(await choice.inputValue(), other.id);

    await choice.selectOption({ label: 'My organization' });
    await page.getByRole('link', { name: 'Members' }).click();
    await button(page, 'Remove dora@example.com').click();
    await button(page, 'Remove the person').click();
    await page.waitForURL('**/collections');
    await heading(page, 'Collections').waitFor();
    await page.getByText('The other one').waitFor();
    assert.equal(await page.getByRole('link', { name: 'Members' }).count(), 0);
    await page.context().close();
  });
});
