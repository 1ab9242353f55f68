/** Tests what people do with transformers in the dashboard, in Chromium and against the real service. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { skipWithoutChromium } from '../../server/src/test/browser/chromium.ts';
import { type Dashboard, faultsOf, openDashboard } from './dashboard.ts';

describe('transformers in the dashboard', { skip: skipWithoutChromium }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'quarry-modules-'));
  let quarry: Dashboard;
  before(async () => {
    writeFileSync(
      join(folder, 'shout.js'),
      'export async function shout(entities, { suffix }) {\n' +
        '  return entities.map((one) => ({ ...one, text: [one.text, suffix].join() }));\n' +
        '}\n',
    );
    quarry = await openDashboard({ env: { QUARRY_TRANSFORMERS_DIR: folder } });
  });
  after(async () => {
    await quarry.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('[UI-01] [TRF-01] adds one, refuses a wrong one at its field, uses it in a connection, and keeps it while it is used', async () => {
    await quarry.ok('POST', '/v1/collections', { name: 'Cranes', readable_id: 'cranes' });
    const { id } = await quarry.ok('POST', '/v1/source-connections', {
      ...{ name: 'Pushed', short_name: 'push', readable_collection_id: 'cranes' },
    });
    await quarry.ok('POST', `/v1/source-connections/${id}/entities`, {
      entities: [{ entity_id: 'a', name: 'A crane', text: 'Write to ann@example.com.' }],
    });
    await quarry.settled(id);
    const page = await quarry.owner();
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    await page.getByRole('link', { name: 'Transformers' }).click();
    await page.getByRole('link', { name: /^Redaction/ }).waitFor();
    assert.deepEqual(await faultsOf(page, 'the transformers'), []);
    await page.getByRole('link', { name: 'Add a transformer' }).click();
    await page.getByLabel('Name').fill('Shout');
    await page.getByLabel('Module').fill('shout.js');
    await page.getByRole('textbox', { name: 'Function' }).fill('whisper');
    const schema = page.getByLabel('Schema of its settings');
    await schema.fill('[]');
    await button('Add the transformer').click();
    await page.getByText('This is not an object in JSON.').waitFor();
    await schema.fill(
      '{"type": "object", "properties": {"suffix": {"type": "string"}}, "required": ["suffix"]}',
    );
    for (const part of ['gets', 'may return']) {
      await page.getByLabel(`Find a type: Records that it ${part}`).fill('pushed');
      const group = page.getByRole('group', { name: `Records that it ${part}` });
      await group.getByRole('checkbox', { name: /Pushed/ }).check();
    }
    await button('Add the transformer').click();
    await page.locator('[aria-invalid]').waitFor();
    assert.deepEqual(await faultsOf(page, 'the form of a transformer'), []);
    await page.getByRole('textbox', { name: 'Function' }).fill('shout');
    await button('Add the transformer').click();
    await page.getByRole('heading', { name: 'Shout', level: 1 }).waitFor();
    const shout = page.url();

    await page.goto(`/collections/cranes/connections/${id}`);
    const add = page.getByLabel('Add a transformer');
    await add.selectOption({ label: 'Shout' });
    await button('Use these settings').click();
    await page.getByText('This is needed.').waitFor();
    await page.getByLabel('suffix').fill('ZEPPELIN');
    assert.deepEqual(await faultsOf(page, 'the settings of a transformer'), []);
    await button('Use these settings').click();
    await add.selectOption({ label: 'Redaction' });
    await page.getByRole('checkbox', { name: 'email' }).check();
    await button('Use these settings').click();
    await button('Redaction: earlier').click();
    await button('Save').click();
    await button('Transform them now').click();
    await button('Transform them now').waitFor({ state: 'detached' });
    await quarry.settled(id);
    const { transformers } = await quarry.ok('GET', `/v1/source-connections/${id}`);
    assert.deepEqual(
      transformers.map(({ config }: { config: object }) => config),
      [{ kinds: ['email'] }, { suffix: 'ZEPPELIN' }],
    );
    assert.deepEqual(await quarry.find('cranes', 'zeppelin'), ['a__chunk_0']);
    const [entity] = (await quarry.ok('POST', '/v1/collections/cranes/search', { query: 'crane' }))
      .results;
    assert.doesNotMatch(entity.md_content, /ann@example/);

    await page.goto(shout);
    const remove = async () => {
      await button('Delete this transformer').click();
      await button('Delete the transformer').click();
    };
    await remove();
    await page.getByText('That was not done').waitFor();
    await button('Cancel').click();
    await page.goto(`/collections/cranes/connections/${id}`);
    await button('Shout: remove').click();
    await button('Save').click();
    await button('Transform them now').waitFor();
    await page.goto(shout);
    await remove();
    await page.getByRole('heading', { name: 'Transformers', level: 1 }).waitFor();
    await page.getByRole('link', { name: /^Redaction/ }).waitFor();
    assert.equal(await page.getByRole('link', { name: /^Shout/ }).count(), 0);
    await page.context().close();
  });
});
