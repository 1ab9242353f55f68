/** Tests in Chromium how a person signs in through a real issuer of OpenID Connect, and how the person is refused. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ISSUER_CALLBACK } from '../../server/src/accounts/issuer-sign-in.ts';
import { REFUSALS } from '../../server/src/accounts/sign-in-refusal.ts';
import { skipWithoutChromium } from '../../server/src/test/browser/chromium.ts';
import { freePort } from '../../server/src/test/free-port.ts';
import { CLIENT, openPersonIssuer } from '../../server/src/test/sign-in/person-issuer.ts';
import { KNOWN_REFUSALS, signInRefusal } from '../src/lib/sign-in-refusal.ts';
import { type Dashboard, faultsOf, openDashboard } from './dashboard.ts';

const ANN = { email: 'ann@example.com', email_verified: true };
const PAGE = '/jobs?state=failed';

describe('a sign-in through an issuer', { skip: skipWithoutChromium }, () => {
  let quarry: Dashboard;
  let peer: Awaited<ReturnType<typeof openPersonIssuer>>;
  before(async () => {
    const port = await freePort();
    peer = await openPersonIssuer(`http://localhost:${port}${ISSUER_CALLBACK}`);
    const env = {
      QUARRY_PUBLIC_URL: `http://localhost:${port}`,
      QUARRY_OAUTH_ISSUER: peer.issuer,
      QUARRY_OAUTH_CLIENT_ID: CLIENT.id,
      QUARRY_OAUTH_CLIENT_SECRET: CLIENT.secret,
      QUARRY_OAUTH_SIGN_IN: 'members',
    };
    quarry = await openDashboard({ env }, { port, others: [peer.issuer] });
  });
  after(async () => {
    await quarry.close();
    await peer.close();
  });

  it('[MEM-13] a refusal shows its sentence on the sign-in page, which then leads to the page asked for', async () => {
    await quarry.invite(ANN.email, 'member');
    const { host } = new URL(peer.issuer);
    const page = await quarry.page(await quarry.person());
    const signIn = page.getByRole('link', { name: `Sign in through ${host}` });
    const refused = async (code: string) => {
      await signIn.click();
      await page.getByRole('alert').getByText(signInRefusal(code, host)).waitFor();
      const { pathname, searchParams } = new URL(page.url());
      assert.deepEqual(
        [pathname, Object.fromEntries(searchParams)],
        ['/sign-in', { refused: code, to: PAGE }],
      );
    };
    await page.goto(PAGE);
    await signIn.waitFor();
    peer.person = null;
    await refused('refused_by_issuer');
    assert.deepEqual(await faultsOf(page, 'the sign-in page with a refusal'), []);
    await page.setViewportSize({ width: 360, height: 780 });
    await page.emulateMedia({ colorScheme: 'dark' });
    peer.person = { email: 'bob@example.com', email_verified: true };
    await refused('unknown_account');
    assert.deepEqual(await faultsOf(page, 'the narrow sign-in page with a refusal'), []);
    await page.context().clearCookies();
    peer.person = ANN;
    await signIn.click();
    await page.getByRole('heading', { name: 'Jobs', exact: true }).waitFor();
    assert.equal(page.url(), `${quarry.origin}${PAGE}`);
    await page.context().clearCookies();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    const opened = page.waitForEvent('popup');
    await dialog.getByRole('link', { name: `Sign in through ${host} in a new tab` }).click();
    await (await opened).getByRole('heading', { name: 'Collections', exact: true }).waitFor();
    await page.evaluate('window.dispatchEvent(new Event("visibilitychange"))');
    await dialog.waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('[MEM-13] a text in the address is not shown, and every code of the service has a sentence', async () => {
    assert.deepEqual([...KNOWN_REFUSALS].toSorted(), [...REFUSALS].toSorted());
    const page = await quarry.page(await quarry.person());
    await page.goto('/sign-in?refused=Call%20555-0100&to=/.//evil.example');
    await page.getByRole('alert').getByText('The sign-in did not work.').waitFor();
    assert.ok(!(await page.locator('body').innerText()).includes('555'));
    peer.person = ANN;
    await page.getByRole('link', { name: /^Sign in through/ }).click();
    await page.getByRole('heading', { name: 'Collections', exact: true }).waitFor();
    assert.equal(new URL(page.url()).origin, quarry.origin);
    await page.context().close();
  });
});
