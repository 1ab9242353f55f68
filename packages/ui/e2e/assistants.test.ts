/** Tests the page of assistants in Chromium: the command for all collections or one, and when the assistant has called. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { skipWithoutChromium } from '../../server/src/test/browser/chromium.ts';
import { type Dashboard, openDashboard } from './dashboard.ts';

describe('the page of assistants', { skip: skipWithoutChromium }, () => {
  let quarry: Dashboard;
  before(async () => {
    quarry = await openDashboard();
    await quarry.ok('POST', '/v1/collections', { name: 'Birds', readable_id: 'birds' });
  });
  after(() => quarry.close());

  it('leads to all collections or to one, and sees the first call of the key', async () => {
    const page = await quarry.owner();
    await page.goto('/assistants');
    const command = page.getByLabel('the command for Claude Code', { exact: true });
    await command.waitFor();
    assert.doesNotMatch(await command.innerText(), /X-Collection-Readable-ID/);
    await page.getByLabel('Collection').selectOption('Birds');
    await page.getByText('X-Collection-Readable-ID: birds').waitFor();
    const body = { name: 'Cursor', role: 'read', collections: ['birds'] };
    const { key } = await quarry.ok('POST', '/v1/api-keys', body);
    const card = page.getByRole('region', { name: 'Cursor' });
    await card.getByText('Waiting for the first call').waitFor();
    await fetch(`${quarry.origin}/v1/collections`, { headers: { authorization: `Bearer ${key}` } });
    await card.getByText('Connected: its key was used').waitFor();
    await page.getByLabel('Collection').selectOption('All collections');
    await card.getByText('Connected').waitFor({ state: 'detached' });
    await page.context().close();
  });
});
