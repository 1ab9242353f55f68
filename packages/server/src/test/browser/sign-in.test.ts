/** Tests the sign-in of people to a source with Chromium, on the pages of real and emulated providers. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { CALLBACK_PATH } from '../../sign-in/browser/links.ts';
import { googleDrive } from '../../sources/catalog/google-drive.ts';
import { linear } from '../../sources/catalog/linear.ts';
import { must } from '../../util.ts';
import { DATABASES } from '../databases.ts';
import { openSignInHouse, type SignInHouse } from '../sign-in/house.ts';
import { type CloudPeer, openCloudPeer } from '../sources/cloud-peer.ts';
import { type Chromium, openChromium, skipWithoutChromium } from './chromium.ts';
import { type Emulated, emulatedGoogle, emulatedLinear } from './emulated.ts';

describe('signing in with Chromium', { skip: skipWithoutChromium }, () => {
  let house: SignInHouse;
  let chromium: Chromium;
  let app: CloudPeer;
  let google: Emulated;
  let acme: Awaited<ReturnType<typeof emulatedLinear>>;
  before(async () => {
    chromium = await openChromium();
    app = await openCloudPeer(() => ({
      status: 200,
      headers: { 'content-type': 'text/html' },
      body: '<h1>The application</h1>',
    }));
    house = await openSignInHouse(must(DATABASES[0]), {
      withPages: true,
      async moreSources(callback) {
        google = await emulatedGoogle(callback);
        acme = await emulatedLinear(callback);
        return [
          { ...googleDrive, operator: google.operator },
          { ...linear, operator: acme.operator },
        ];
      },
    });
  });
  after(async () => {
    await house.close();
    await Promise.all([chromium.close(), app.close(), google.close(), acme.close()]);
  });

  /** Fills in the provider's pages for a person, up to the page on which the person consents. */
  async function untilConsent(person: BrowserContext, link: string, login: string): Promise<Page> {
    const page = await person.newPage();
    await page.goto(link);
    await page.getByPlaceholder('Enter any login').fill(login);
    await page.getByPlaceholder('and password').fill('any');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).waitFor();
    return page;
  }
  async function signIn(person: BrowserContext, link: string, login: string): Promise<Page> {
    const page = await untilConsent(person, link, login);
    await page.getByRole('button', { name: 'Continue' }).click();
    return page;
  }
  const back = () => ({ auth: { oauth_browser: { redirect_uri: `${app.baseUrl}/done` } } });
  const outcome = async (page: Page) => {
    await page.waitForURL(`${app.baseUrl}/done**`);
    assert.equal(await page.getByRole('heading').innerText(), 'The application');
    return Object.fromEntries(new URL(page.url()).searchParams);
  };
  const syncs = async ({ id }: { id: string }) =>
    assert.equal((await house.sync(id)).status, 'completed');
  const searches = async (made: { readable_collection_id: string }) =>
    assert.equal((await house.find(made.readable_collection_id, 'first')).length, 2);

  for (const [source, how, use] of [
    ['notebook', 'Basic', syncs],
    ['live_notebook', 'the body', searches],
  ] as const)
    it(`[AUTH-14] [AUTH-16] [AUTH-18] [AUTH-19] works with PKCE and a client that authenticates by ${how}, and a refresh token is used once`, async () => {
      const person = await chromium.person();
      const made = await house.waiting({ ...back(), short_name: source });
      const page = await untilConsent(person, made.auth.auth_url, 'ann@example.com');
      const cookies = (await person.cookies(`${house.origin}${CALLBACK_PATH}`)).map(
        ({ path, httpOnly, sameSite }) => [path, httpOnly, sameSite],
      );
      assert.deepEqual(cookies, [[CALLBACK_PATH, true, 'Lax']]);
      assert.deepEqual(
        await person.cookies(house.origin),
        [],
        'the cookie is sent to the callback page only',
      );
      await page.getByRole('button', { name: 'Continue' }).click();
      assert.deepEqual(await outcome(page), { status: 'success', source_connection_id: made.id });
      const shown = await house.show(made.id);
      assert.deepEqual([shown.status, shown.auth.account], ['ACTIVE', 'ann@example.com']);

      if (source === 'notebook') await house.settled(made.id);
      const tokenRequests = () => house.provider.requests.get('/token') ?? 0;
      for (let round = 0; round < 2; round++) {
        const before = tokenRequests();
        await house.expire(made.id);
        await use(made);
        assert.equal(tokenRequests(), before + 1);
      }
      await person.close();
    });

  it('[AUTH-17] fails when the person consents in another browser than the one that opened the link', async () => {
    const eve = await chromium.person();
    const ann = await chromium.person();
    const made = await house.waiting(back());
    const addresses: string[] = [];
    eve.on('request', (request) => addresses.push(request.url()));
    const hers = await untilConsent(eve, made.auth.auth_url, 'eve@example.com');
    // Eve sends her link to Ann, to get a connection with Ann's access.
    const asked = must(addresses.find((url) => url.startsWith(`${house.provider.url}/auth?`)));
    const page = await signIn(ann, asked, 'ann@example.com');
    assert.equal((await outcome(page)).error, 'other_browser');
    assert.equal((await house.show(made.id)).status, 'PENDING_AUTH');

    await hers.getByRole('button', { name: 'Continue' }).click();
    assert.equal((await outcome(hers)).status, 'success');
    assert.equal((await house.show(made.id)).auth.account, 'eve@example.com');
    await Promise.all([ann.close(), eve.close()]);
  });

  it('[AUTH-18] ends on a page of this service that says that the person signed in or refused', async () => {
    const person = await chromium.person();
    const own = { auth: { oauth_browser: {} } };
    const refused = await house.waiting(own);
    const no = await untilConsent(person, refused.auth.auth_url, 'ann@example.com');
    await no.getByRole('link', { name: 'Cancel' }).click();
    await no.waitForURL(`${house.origin}/**`);
    assert.match(await no.locator('main').innerText(), /refused|denied|aborted/i);
    assert.equal((await house.show(refused.id)).status, 'PENDING_AUTH');

    const made = await house.waiting(own);
    const page = await signIn(person, made.auth.auth_url, 'ann@example.com');
    await page.waitForURL(`${house.origin}/**`);
    assert.equal(await page.getByRole('heading').innerText(), 'Signed in');
    const font = await page.evaluate('getComputedStyle(document.body).fontFamily');
    assert.match(String(font), /system-ui/, 'the policy of the page allows its own style');
    await person.close();
  });

  it('[AUTH-18] works for google_drive on the emulated pages of Google, and a search finds the files', async () => {
    google.addFile('birds.md', 'heron at the weir');
    const person = await chromium.person();
    const made = await house.waiting({ ...back(), short_name: 'google_drive' });
    const page = await person.newPage();
    await page.goto(made.auth.auth_url);
    await page.getByRole('button', { name: google.email }).click();
    assert.deepEqual(await outcome(page), { status: 'success', source_connection_id: made.id });
    const job = await house.settled(made.id);
    assert.deepEqual([job.status, job.entities_inserted, job.error], ['completed', 1, null]);
    assert.equal((await house.show(made.id)).auth.account, google.email);
    const [found] = await house.find(made.readable_collection_id, 'weir');
    assert.match(found ?? '', /^birds\.md__chunk_/);
    await person.close();
  });

  it('[AUTH-18] [AUTH-23] works for linear on the emulated pages of Linear, whose refresh tokens work once', async () => {
    const person = await chromium.person();
    const made = await house.waiting({ ...back(), short_name: 'linear' });
    const page = await person.newPage();
    await page.goto(made.auth.auth_url);
    await page.getByRole('button', { name: acme.email }).click();
    assert.deepEqual(await outcome(page), { status: 'success', source_connection_id: made.id });
    const job = await house.settled(made.id);
    assert.deepEqual([job.status, job.error], ['completed', null]);
    for (let round = 0; round < 2; round++) {
      await house.expire(made.id);
      const { status, error } = await house.sync(made.id);
      assert.deepEqual([status, error], ['completed', null]);
    }
    const tokens = new Set(acme.requests.map(({ headers }) => headers.authorization));
    assert.equal(tokens.size, 3, 'each round has another token');
    await person.close();
  });
});
