/** Tests what people do in the dashboard, in Chromium and against the real service. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Page, Request } from 'playwright-core';
import { catalog } from '../../server/src/sources/catalog.ts';
import { page as record, testWorld, whole } from '../../server/src/test/app/source.ts';
import { skipWithoutChromium } from '../../server/src/test/browser/chromium.ts';
import { until } from '../../server/src/test/until.ts';
import { REDACTION } from '../../server/src/transformers/redact/id.ts';
import { must } from '../../server/src/util.ts';
import { type Dashboard, faultsOf, openDashboard } from './dashboard.ts';

/** The full tier looks at each page in both themes, at the width of a telephone and of a desktop. */
const LOOKS = [
  { theme: 'light', width: 360 },
  { theme: 'dark', width: 1440 },
  ...(process.env.TEST_FULL
    ? [{ theme: 'light', width: 1440 } as const, { theme: 'dark', width: 360 } as const]
    : []),
] as const;

describe('the dashboard', { skip: skipWithoutChromium }, () => {
  const { source, world } = testWorld();
  let quarry: Dashboard;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quarry-folder-'));
    writeFileSync(join(folder, 'weir.md'), '# The weir\n\nThe sluice of the weir opens at dawn.\n');
    const files = must(catalog.get('files'));
    quarry = await openDashboard({
      sources: new Map([files, source].map((one) => [one.shortName, one])),
    });
  });
  after(async () => {
    rmSync(folder, { recursive: true, force: true });
    await quarry.close();
  });

  const isApi = (url: URL) => url.pathname.startsWith('/v1/');
  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
  const connectWorld = (name: string, collection: string) =>
    quarry.ok('POST', '/v1/source-connections', {
      ...{ name, short_name: 'world', readable_collection_id: collection },
      auth: { direct: { credentials: { password: 'right' } } },
    });

  it('[UI-01] leads from a new collection to a search over a folder of one’s own', async () => {
    const page = await quarry.owner();
    await button(page, 'New collection').first().click();
    await page.getByLabel('Name').fill('My notes');
    await button(page, 'Make it').click();
    await page.getByRole('link', { name: /^Files Documents/ }).click();
    await page.getByLabel('Folder').fill('/nowhere/at/all');
    await button(page, 'Connect and sync').click();
    await page.getByRole('alert').getByText('The path /nowhere/at/all does not exist.').waitFor();
    await page.getByLabel('Name').fill('abc');
    await button(page, 'Connect and sync').click();
    await page.locator('[aria-invalid]').waitFor();
    await page.getByLabel('Name').fill('My folder');
    await page.getByLabel('Folder').fill(folder);
    await button(page, 'Connect and sync').click();
    await heading(page, 'My notes').waitFor();
    await page.getByText('Up to date').waitFor();
    await page.getByRole('link', { name: /^My folder Files/ }).click();
    await page.getByRole('region', { name: 'What it reads' }).getByText(folder).waitFor();
    await page.getByText(/^Once a day, at \d\d:\d\d$/).waitFor({ state: 'attached' });
    await page.goBack();
    await page.getByRole('navigation', { name: 'Collection' }).getByText('Search').click();
    await page.getByLabel('Question or words').fill('when does the sluice open?');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'weir.md' }).waitFor();
    assert.deepEqual(await page.locator('.results mark').allInnerTexts(), ['sluice', 'opens']);
    await page.context().close();
  });

  it('[UI-04] [KEY-12] shows a new key once, and the key works', async () => {
    const page = await quarry.owner();
    await page.getByRole('link', { name: 'API keys' }).click();
    await button(page, 'Make a key').click();
    await page.getByLabel('Name').fill('<b>Site</b>');
    await button(page, 'Make it').click();
    const key = await page.getByLabel('the key', { exact: true }).innerText();
    const answer = await fetch(`${quarry.origin}/v1/collections`, {
      headers: { 'x-api-key': key },
    });
    assert.equal(answer.status, 200);
    await page.reload();
    await page.getByText('<b>Site</b>').waitFor();
    assert.ok(!(await page.content()).includes(key));
    await button(page, 'More for <b>Site</b>').click();
    await button(page, 'Delete').click();
    await button(page, 'Delete the key').click();
    await page.getByText('<b>Site</b>', { exact: true }).waitFor({ state: 'detached' });
    const gone = await fetch(`${quarry.origin}/v1/collections`, { headers: { 'x-api-key': key } });
    assert.equal(gone.status, 401);
    await button(page, 'Make a key').click();
    await page.getByLabel('Name').fill('Short-lived');
    await button(page, 'Make it').click();
    await page.getByText('Copy it now').waitFor();
    await button(page, 'More for Short-lived').click();
    await button(page, 'Delete').click();
    await button(page, 'Delete the key').click();
    await page.getByText('Copy it now').waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('[KEY-25] changes flags and quotas as the API does', async () => {
    const page = await quarry.owner();
    await page.goto('/settings');
    await page.getByLabel(/^Limits on calls/).uncheck();
    await page.getByLabel('Agentic searches per hour').fill('7');
    await button(page, 'Save').click();
    await page.getByText('Saved').waitFor();
    const [organization] = await quarry.ok('GET', '/v1/organizations');
    assert.deepEqual(organization.feature_flags, ['AGENTIC_SEARCH']);
    assert.equal(organization.quotas.agentic_queries_per_hour, 7);
    await page.getByLabel('Agentic searches per hour').fill('many');
    await button(page, 'Save').click();
    await page.locator('[aria-invalid]').waitFor();
    const [same] = await quarry.ok('GET', '/v1/organizations');
    assert.equal(same.quotas.agentic_queries_per_hour, 7);
    await page.context().close();
  });

  it('[UI-05] shows the progress of a sync, and goes on after the connection was lost', async (t) => {
    const { readable_id } = await quarry.ok('POST', '/v1/collections', { name: 'Slow world' });
    const gate = () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      return { wait: () => promise, open: resolve };
    };
    const [first, second] = [gate(), gate()];
    // A sync that waits for ever would keep the service from closing.
    t.after(() => [first, second].map(({ open }) => open()));
    const many = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => record(`page-${from + i}`));
    world.items = [...many(0, 250), first.wait, ...many(250, 600), second.wait, ...whole()];
    await connectWorld('Slow world', readable_id);
    const page = await quarry.owner();
    await page.goto(`/collections/${readable_id}`);
    const met = page.locator('.type-bars strong');
    const shows = (least: number) =>
      until(async () => Number((await met.allInnerTexts())[0] ?? 0) >= least);
    await shows(200);
    // A proxy says for a moment that the service is away.
    const isStream = (url: URL) => url.pathname.endsWith('/stream');
    const refused = page.waitForResponse((answer) => answer.status() === 502);
    await page.route(isStream, (route) => route.fulfill({ status: 502 }), { times: 1 });
    quarry.api.server.closeAllConnections();
    await refused;
    first.open();
    await shows(400);
    // A tab that nobody sees gives its connection to others, and takes it again.
    const visibility = (state: string) =>
      page.evaluate(`
        Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
        document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
      `);
    const isOfStream = (request: Request) => isStream(new URL(request.url()));
    const ended = page.waitForEvent('requestfailed', isOfStream);
    await visibility('hidden');
    await ended;
    const begun = page.waitForRequest(isOfStream);
    await visibility('visible');
    await begun;
    second.open();
    await page.getByText('Up to date').waitFor();
    await page.getByText('600 new').waitFor();
    await page.context().close();
  });

  it('[UI-06] [MEM-06] gives a person nothing that the person may not see', async () => {
    const { readable_id } = await quarry.ok('POST', '/v1/collections', { name: 'Shared world' });
    const only = (id: string, word: string, viewer: string) =>
      record(id, { text: `It is about ${word}.`, access: { viewers: [viewer], isPublic: false } });
    world.items = whole(
      only('for-ann', 'aquamarine', 'user:ann@example.com'),
      only('for-bob', 'bergamot', 'user:bob@example.com'),
    );
    const { id } = await connectWorld('Shared world', readable_id);
    assert.equal((await quarry.settled(id)).status, 'completed');
    for (const [name, own, other] of [
      ['ann', 'aquamarine', 'bergamot'],
      ['bob', 'bergamot', 'aquamarine'],
    ] as const) {
      const person = await quarry.person();
      const page = await quarry.page(person);
      const bodies: string[] = [];
      // The browser forgets the answers of a page that it leaves, so they are read before it gets them.
      await page.route(isApi, async (route) => {
        const response = await route.fetch();
        bodies.push(await response.text());
        await route.fulfill({ response });
      });
      await page.goto(await quarry.invite(`${name}@example.com`, 'read'));
      await page.getByLabel('Password').fill('correct horse');
      await button(page, 'Join').click();
      await heading(page, 'Collections').waitFor();
      assert.equal(await page.getByRole('link', { name: 'API keys' }).count(), 0);
      await page.goto(`/search?c=${readable_id}&q=${own}`);
      await page.getByRole('link', { name: `for-${name}` }).waitFor();
      await page.goto(`/search?c=${readable_id}&q=${other}`);
      await page
        .getByRole('region', { name: 'Results' })
        .or(page.getByText('Nothing matches'))
        .waitFor();
      await page.goto(`/collections/${readable_id}/contents`);
      await page.getByRole('link', { name: `for-${name}` }).waitFor();
      for (const path of ['', '/settings', `/connections/${id}`]) {
        await page.goto(`/collections/${readable_id}${path}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
      }
      await page.goto('/keys');
      await page.getByText('Only an admin can open this page').waitFor();
      await page.unrouteAll({ behavior: 'wait' });
      const seen = bodies.join('\n');
      assert.ok(seen.includes(own));
      // A search repeats the words that were asked for.
      const told = seen.replaceAll(`"query":"${other}"`, '');
      assert.ok(
        !told.includes(`about ${other}`) && !told.includes(`for-${name === 'ann' ? 'bob' : 'ann'}`),
      );
      await person.close();
    }
  });

  it('[MEM-02] [MEM-04] signs in by password, says no to a wrong one, and comes back to the page that was asked for', async () => {
    const person = await quarry.person();
    const page = await quarry.page(person);
    const invitation = await quarry.invite('cleo@example.com', 'member');
    await page.goto(invitation);
    const terms = page.getByText('An administrator invited you to My organization as a member.');
    await terms.waitFor();
    await page.reload();
    await terms.waitFor();
    await page.getByText('You will sign in as cleo@example.com.').waitFor();
    await page.getByLabel('Password').fill('short');
    await button(page, 'Join').click();
    await page.locator('[aria-invalid]').waitFor();
    await page.getByLabel('Password').fill('correct horse');
    assert.equal(await page.locator('[aria-invalid]').count(), 0, 'the fault is edited away');
    await button(page, 'Join').click();
    await page.getByRole('link', { name: 'cleo@example.com' }).click();
    await button(page, 'Sign out').click();
    await heading(page, 'Sign in to Quarry').waitFor();
    await page.goto(invitation);
    await heading(page, 'This invitation cannot be used').waitFor();
    assert.equal(await page.getByLabel('Password').count(), 0);
    await page.goto('/jobs?state=failed');
    await button(page, 'Sign in').click();
    await page.getByText('Write your e-mail address.').waitFor();
    await page.getByText('Write your password.').waitFor();
    await page.getByLabel('E-mail address').fill('cleo@example.com');
    await page.getByLabel('Password').fill('wrong password');
    await button(page, 'Sign in').click();
    await page.getByText('You are not signed in').waitFor();
    await page.getByLabel('Password').fill('correct horse');
    await button(page, 'Sign in').click();
    await heading(page, 'Jobs').waitFor();
    assert.equal(new URL(page.url()).search, '?state=failed');
    await person.close();
  });

  it('[MEM-01] [MEM-03] says who invited somebody, until the inviter is removed', async () => {
    const admin = await quarry.person();
    const page = await quarry.page(admin);
    await page.goto(await quarry.invite('ada@example.com', 'admin'));
    await page.getByLabel('Your name').fill('Ada');
    await page.getByLabel('Password').fill('correct horse');
    await button(page, 'Join').click();
    await page.getByRole('link', { name: 'Ada' }).waitFor();
    await page.goto('/members');
    await page.getByLabel('E-mail address').fill('guest@example.com');
    await button(page, 'Invite').click();
    const link = await page.getByLabel('the invitation', { exact: true }).innerText();
    await page
      .getByRole('row', { name: /guest@example\.com/ })
      .getByText(/^by Ada, until /)
      .waitFor();
    await admin.close();

    const guest = await quarry.page(await quarry.person());
    await guest.goto(link.trim());
    await guest.getByText('Ada invited you to My organization as a reader.').waitFor();
    const owner = await quarry.owner();
    await owner.goto('/members');
    await owner.getByLabel('Role of ada@example.com').selectOption('member');
    await owner.getByText('Open invitations by this person are withdrawn.').waitFor();
    await button(owner, 'Remove ada@example.com').click();
    await owner.getByRole('dialog').getByText('open invitations by this person').waitFor();
    await button(owner, 'Remove the person').click();
    await owner.getByText('guest@example.com').first().waitFor({ state: 'detached' });
    await owner.context().close();
    await guest.reload();
    await heading(guest, 'This invitation cannot be used').waitFor();
    await guest.context().close();
  });

  it('[MEM-10] leads inside whoever opens a used link while signed in, and says how others get a new one', async () => {
    const person = await quarry.person();
    const page = await quarry.page(person);
    const { url } = must(await quarry.startLink());
    const used = url.replace('/start#', '/start?to=/jobs#');
    for (const _time of ['first', 'again']) {
      await page.goto('about:blank');
      await page.goto(used);
      await heading(page, 'Jobs').waitFor();
    }
    await person.clearCookies();
    await page.goto('about:blank');
    await page.goto(used);
    await page.getByText('It has been used or replaced, or is too old.').waitFor();
    await page.getByText('quarry sign-in-link').waitFor();
    assert.deepEqual(await faultsOf(page, 'a used link'), []);
    await person.close();
  });

  it('[MEM-03] offers no invitation that was withdrawn, no removal of the only admin, and no fault that is over', async () => {
    const page = await quarry.owner();
    await page.goto('/members');
    await page.getByText('Nobody else is an admin.').waitFor();
    const invite = async (email: string) => {
      await page.getByLabel('E-mail address').fill(email);
      await button(page, 'Invite').click();
    };
    /** The list has the same address, and may be asked for at any time. */
    const failOnce = async () => {
      let isOver = false;
      await page.route('**/v1/members', (route) => {
        if (isOver || route.request().method() !== 'POST') return route.fallback();
        isOver = true;
        return route.abort();
      });
    };
    await invite('');
    await page.getByText('Write an e-mail address').waitFor();
    await failOnce();
    await invite('dan@example.com');
    const fault = page.getByText('Nobody was invited');
    await fault.waitFor();
    await page.getByLabel('E-mail address').fill('eve@example.com');
    await fault.waitFor({ state: 'detached' });
    await failOnce();
    await button(page, 'Invite').click();
    await fault.waitFor();
    // A list that was just read is not read again.
    await until(async () => {
      await page.evaluate('window.dispatchEvent(new Event("visibilitychange"))');
      return (await fault.count()) === 0;
    });
    await button(page, 'Invite').click();
    await page.getByLabel('the invitation', { exact: true }).waitFor();
    await button(page, 'Withdraw eve@example.com').click();
    await button(page, 'Withdraw it').click();
    await page.getByLabel('the invitation', { exact: true }).waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('says that the service does not answer, and goes on when it does', async () => {
    const page = await quarry.owner();
    await page.route(isApi, (route) => route.abort());
    await page.getByText('Quarry does not answer').waitFor();
    await page.unroute(isApi);
    await button(page, 'Try now').click();
    await page.getByText('Connected again').waitFor();
    await page.getByText('Quarry does not answer').waitFor({ state: 'detached' });
    await page.context().close();
  });

  for (const { theme, width } of LOOKS)
    it(`[UI-03] [UI-02] can be used by everybody on every page, ${theme} and ${width} pixels wide`, async () => {
      const { readable_id } = await quarry.ok('POST', '/v1/collections', { name: 'W'.repeat(64) });
      world.items = whole(record('page', { name: '<img src=x onerror=alert(1)> \u202e' }));
      const { id } = await connectWorld('A connection of a long name of 42 letters', readable_id);
      await quarry.settled(id);
      const hook = await quarry.ok('POST', '/v1/webhooks/subscriptions', {
        ...{ url: `https://hooks.example.com/${'w'.repeat(200)}`, event_types: ['sync.failed'] },
      });
      const collection = `/collections/${readable_id}`;
      const pages = [
        ...['/collections', '/jobs', '/assistants', '/keys', '/members', '/audit', '/settings'],
        ...['/system', '/webhooks', '/webhooks/new', `/webhooks/${hook.id}`],
        ...['/transformers', '/transformers/new', `/transformers/${REDACTION}`],
        ...['', '/contents', '/settings', '/connect', '/connect/files', `/connections/${id}`].map(
          (path) => collection + path,
        ),
        ...[`${collection}/record?id=${id}:page`, `/search?c=${readable_id}&q=page`],
        ...['/account', '/nothing'],
      ];
      const page = await quarry.owner({ colorScheme: theme, viewport: { width, height: 900 } });
      const faults: string[] = [];
      for (const path of pages) {
        await page.goto(path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
        faults.push(...(await faultsOf(page, path)));
      }
      await page.context().close();
      assert.deepEqual(faults, []);
    });
});
