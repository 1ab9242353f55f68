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

  /** Connects the world to a collection, and returns the connection after its first sync. */
  async function connect(collection: string): Promise<string> {
    const { id } = await quarry.ok('POST', '/v1/source-connections', {
      ...{ name: 'The world', short_name: 'world', readable_collection_id: collection },
      auth: { direct: { credentials: { password: 'right' } } },
    });
    assert.equal((await quarry.settled(id)).status, 'completed');
    return id;
  }

  it('are browsed by source and breadcrumb, and a record says where it comes from and who may see it', async () => {
    await quarry.ok('POST', '/v1/collections', { name: 'Birds', readable_id: 'birds' });
    const folder = (id: string) => ({ id, name: `<i>${id}</i>`, type: 'folder' });
    const access = { viewers: ['user:ann@example.com'], isPublic: false };
    world.items = whole(
      record('heron', { breadcrumbs: [folder('water'), folder('reeds')], access }),
      record('finch'),
    );
    await connect('birds');
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
      await page.getByLabel('Check who can see it').fill(typed);
      await page.getByRole('button', { name: 'Check' }).click();
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

  it('a record that was deleted is not shown to somebody who comes back to it', async () => {
    await quarry.ok('POST', '/v1/collections', { name: 'Nests', readable_id: 'nests' });
    world.items = whole(record('heron'), record('finch'));
    const id = await connect('nests');
    const page = await quarry.owner();
    await page.goto('/collections/nests/contents');
    await page.getByRole('link', { name: 'finch' }).click();
    await page.getByRole('heading', { name: 'finch' }).waitFor();
    await page.getByRole('link', { name: 'Contents' }).click();
    await page.getByRole('link', { name: 'finch' }).waitFor();
    world.items = whole(record('heron'));
    await quarry.sync(id);
    await page.goBack();
    await page.getByText('This record was deleted, or never existed.').waitFor();
    await page.getByRole('link', { name: 'See the contents' }).click();
    await page.getByRole('link', { name: 'heron' }).waitFor();
    await page.context().close();
  });

  it('a filter is typed without a jump of the cursor or of the page, and asks once', async () => {
    await quarry.ok('POST', '/v1/collections', { name: 'Many birds', readable_id: 'many-birds' });
    const finches = Array.from({ length: 60 }, (_, i) => record(`finch ${i}`));
    world.items = whole(record('heron'), ...finches);
    await connect('many-birds');
    const page = await quarry.owner({ viewport: { width: 1000, height: 400 } });
    await page.goto('/collections/many-birds/contents');
    await page.getByRole('link', { name: 'heron' }).waitFor();
    const asked: string[] = [];
    page.on('request', (request) => {
      const name = new URL(request.url()).searchParams.get('name');
      if (name !== null) asked.push(name);
    });
    const field = page.getByLabel('Name', { exact: true });
    await field.pressSequentially('hern');
    await field.press('ArrowLeft');
    await field.press('o');
    await page.waitForURL((url) => url.searchParams.get('name') === 'heron');
    assert.equal(await field.inputValue(), 'heron');
    await page.getByRole('link', { name: 'finch 7', exact: true }).waitFor({ state: 'detached' });
    assert.equal(asked.at(-1), 'heron');
    assert.ok(asked.length < 4, String(asked));
    await page.evaluate('window.scrollTo(0, 150)');
    const before = await page.evaluate('window.scrollY');
    await page.getByLabel('Type').selectOption({ index: 1 });
    await page.waitForURL((url) => url.searchParams.has('type'));
    await page.waitForLoadState('networkidle');
    assert.ok(Number(await page.evaluate('window.scrollY')) > 0, `from ${before} to the top`);
    await page.context().close();
  });

  it('a passage deep in a long record is opened, and what stands before it can be read', async () => {
    await quarry.ok('POST', '/v1/collections', { name: 'Long', readable_id: 'long-record' });
    const chapter = (i: number) => `## Chapter ${i}\n\n${`The heron of ${i} waits. `.repeat(70)}`;
    const text = Array.from({ length: 300 }, (_, i) => chapter(i)).join('\n\n');
    world.items = whole(record('book', { text }));
    const id = await connect('long-record');
    const page = await quarry.owner();
    await page.goto(`/collections/long-record/record?id=${id}:book&at=250`);
    const passage = page.locator('.chunk.meant');
    await passage.waitFor();
    assert.equal(await passage.getAttribute('aria-label'), 'Passage 251');
    await page.getByRole('button', { name: 'Show earlier' }).click();
    await page.locator('#passage-190').waitFor();
    const positions: string[] = await page.evaluate(
      '[...document.querySelectorAll(".chunk")].map((chunk) => chunk.id.split("-")[1])',
    );
    assert.deepEqual(
      positions.map(Number),
      positions.map((_, i) => Number(positions[0]) + i),
    );
    await page.context().close();
  });
});
