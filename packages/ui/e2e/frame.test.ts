/** Tests in Chromium what all pages have: the drawer of a narrow window, the end of a session, and refused forms. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { skipWithoutChromium } from '../../server/src/test/browser/chromium.ts';
import { type Dashboard, faultsOf, openDashboard } from './dashboard.ts';

describe('the frame of the dashboard', { skip: skipWithoutChromium }, () => {
  let quarry: Dashboard;
  before(async () => {
    quarry = await openDashboard();
  });
  after(() => quarry.close());

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const focused = (page: Page): Promise<string> =>
    page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.innerText');

  it('[UI-02] [UI-03] a narrow window has its navigation in a drawer, which closes in every usual way', async () => {
    const page = await quarry.owner({ viewport: { width: 360, height: 780 } });
    const drawer = page.getByRole('dialog', { name: 'Navigation' });
    const open = async () => {
      await button(page, 'Menu').click();
      await drawer.waitFor();
    };
    const isClosed = () => drawer.waitFor({ state: 'hidden' });
    await open();
    assert.deepEqual(await faultsOf(page, 'the drawer'), []);
    for (let i = 0; i < 20; i++) {
      await page.keyboard.press('Tab');
      assert.ok(await page.evaluate('!document.activeElement.closest("main, .top > .find")'));
    }
    await page.keyboard.press('Escape');
    await isClosed();
    assert.equal(await focused(page), 'Menu');
    await open();
    await drawer.getByRole('button', { name: 'Close' }).click();
    await isClosed();
    await open();
    await page.mouse.click(350, 400);
    await isClosed();
    await open();
    await drawer.getByRole('link', { name: 'Jobs' }).click();
    await page.getByRole('heading', { name: 'Jobs', exact: true }).waitFor();
    await isClosed();
    assert.equal(await focused(page), 'Jobs');
    await page.context().close();
  });

  it('[UI-02] [UI-03] the theme is that of the system, light or dark, and the browser keeps the choice', async () => {
    const page = await quarry.owner({ colorScheme: 'light' });
    /** The background of a page is lighter than its text, or darker. */
    const isDark = (): Promise<boolean> =>
      page.evaluate(`{
        const lightness = (colour) => Number(/[\\d.]+/.exec(colour)[0]);
        const { backgroundColor, color } = getComputedStyle(document.documentElement);
        lightness(backgroundColor) < lightness(color);
      }`);
    const choose = async (label: string) => {
      await page.getByRole('button', { name: /^Theme: / }).click();
      await button(page, label).click();
      await page.getByRole('button', { name: `Theme: ${label.toLowerCase()}` }).waitFor();
    };
    /** Looks before and after the page is loaded again, at which no script of React has run yet. */
    const looks = async (dark: boolean, when: string) => {
      assert.equal(await isDark(), dark, when);
      await page.reload();
      assert.equal(await isDark(), dark, `${when}, loaded again`);
    };
    await looks(false, 'the system is light');
    await choose('Dark');
    await looks(true, 'dark');
    await choose('Light');
    await looks(false, 'light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await looks(false, 'light in a dark system');
    await page.getByRole('button', { name: /^Theme: / }).click();
    assert.equal(await button(page, 'Light').getAttribute('aria-pressed'), 'true');
    assert.deepEqual(await faultsOf(page, 'the themes'), []);
    await page.keyboard.press('Escape');
    assert.equal(await focused(page), 'Theme: light');
    await choose('Same as the system');
    await looks(true, 'the system is dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await looks(false, 'the system is light again');
    await page.context().close();
  });

  it('[UI-03] [MEM-02] a session that ends takes nothing away that was typed', async () => {
    const page = await quarry.page(await quarry.person());
    const person = page.context();
    await page.goto(await quarry.invite('dora@example.com', 'admin'));
    await page.getByLabel('Password').fill('correct horse');
    await button(page, 'Join').click();
    await page.getByRole('heading', { name: 'Collections' }).waitFor();
    await page.goto('/members');
    const typed = page.getByRole('main').getByLabel('E-mail address');
    await typed.fill('emil@example.com');
    await person.clearCookies();
    await button(page, 'Invite').click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    assert.deepEqual(await faultsOf(page, 'the end of a session'), []);
    for (let i = 0; i < 3; i++) await page.keyboard.press('Escape');
    await dialog.getByLabel('Password').fill('wrong password');
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').waitFor();
    // The password is right, and then the service cannot say who has signed in.
    const status = 500;
    const json = { detail: 'It broke.', code: 'internal_error' };
    await page.route('**/v1/auth/me', (route) => route.fulfill({ status, json }));
    await dialog.getByLabel('Password').fill('correct horse');
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').getByText('It broke.').waitFor();
    await page.unroute('**/v1/auth/me');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await typed.inputValue(), 'emil@example.com');
    await button(page, 'Invite').click();
    await page.getByRole('cell', { name: 'emil@example.com', exact: true }).waitFor();
    await person.clearCookies();
    await dialog.waitFor();
    assert.match(
      (await dialog.getByRole('link', { name: 'Leave this page' }).getAttribute('href')) ?? '',
      /^\/sign-in\?to=%2Fmembers$/,
    );
    // Somebody signs in elsewhere and comes back.
    const data = { email: 'dora@example.com', password: 'correct horse' };
    assert.ok((await person.request.post('/v1/auth/sign-in', { data })).ok());
    await page.evaluate('window.dispatchEvent(new Event("visibilitychange"))');
    await dialog.waitFor({ state: 'detached' });
    await person.close();
  });

  it('[MEM-06] [UI-06] after the end of a session a new page is shown, and somebody else sees nothing of the first one', async () => {
    const join = async (page: Page, email: string, role: string) => {
      await page.goto(await quarry.invite(email, role));
      await page.getByLabel('Password').fill('correct horse');
      await button(page, 'Join').click();
      await page.getByRole('heading', { name: 'Collections' }).waitFor();
    };
    const page = await quarry.page(await quarry.person());
    const person = page.context();
    await join(page, 'gil@example.com', 'read');
    await person.clearCookies();
    await join(page, 'fay@example.com', 'admin');
    const signIn = async (email: string) => {
      const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
      await dialog.waitFor();
      await dialog.getByLabel('E-mail address').fill(email);
      await dialog.getByLabel('Password').fill('correct horse');
      await page.keyboard.press('Enter');
      await dialog.waitFor({ state: 'detached' });
    };
    await person.clearCookies();
    await page.getByRole('link', { name: 'Members' }).click();
    await signIn('fay@example.com');
    await page.getByRole('cell', { name: 'gil@example.com', exact: true }).waitFor();
    const typed = page.getByRole('main').getByLabel('E-mail address');
    await typed.fill('hal@example.com');
    await person.clearCookies();
    await button(page, 'Invite').click();
    await signIn('gil@example.com');
    await page.waitForURL('**/collections');
    await page.getByRole('heading', { name: 'Collections' }).waitFor();
    await page.getByRole('link', { name: 'gil@example.com' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Members' }).count(), 0);
    await page.goBack();
    await page.getByText('Only an admin can open this page').waitFor();
    await person.close();
  });

  it('[UI-03] a refused form leads to the first field that is wrong, once', async () => {
    const page = await quarry.owner();
    await page.goto('/members');
    const email = page.getByLabel('E-mail address');
    await email.fill('nobody');
    await button(page, 'Invite').click();
    await page.locator('input[type=email][aria-invalid=true]:focus').waitFor();
    await page.getByLabel('Role', { exact: true }).focus();
    await email.waitFor();
    assert.ok(await page.evaluate('document.activeElement.matches("select")'));
    await page.context().close();
  });

  it('[UI-03] a dialog that works stays until the work has ended, also when somebody presses Escape', async () => {
    const { readable_id: id } = await quarry.ok('POST', '/v1/collections', { name: 'Flint' });
    const page = await quarry.owner();
    await page.goto(`/collections/${id}/settings`);
    await button(page, 'Delete this collection').click();
    const dialog = page.getByRole('dialog', { name: 'Delete Flint?' });
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await button(page, 'Delete this collection').click();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route(`**/v1/collections/${id}`, async (route) => {
      if (route.request().method() === 'DELETE') await released;
      await route.continue();
    });
    await button(page, 'Delete the collection').click();
    await button(page, 'Working …').waitFor();
    for (let i = 0; i < 3; i++) await page.keyboard.press('Escape');
    await button(page, 'Cancel').click({ force: true });
    assert.ok(await dialog.isVisible());
    release();
    await page.getByRole('heading', { name: 'Collections', level: 1 }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    await page.context().close();
  });
});
