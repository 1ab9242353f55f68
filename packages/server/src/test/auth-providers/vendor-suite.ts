/** Every auth provider that gives credentials passes these tests, each with a fake of its service. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import pino from 'pino';
import { DATABASES } from '../databases.ts';
import { type SkippedWaits, skipWaits } from '../skip-waits.ts';
import { type CloudPeer, json, type PeerAnswer } from '../sources/cloud-peer.ts';
import { isLeftToSqlite } from '../tier.ts';
import { openProviderHouse, type ProviderHouse } from './house.ts';

const ROUTE = '/v1/auth-providers';
/** The client of a source waits at least this long before it asks again. */
export const PAUSE_MS = 400;
const HTML: PeerAnswer = {
  status: 503,
  headers: { 'content-type': 'text/html' },
  body: '<html><body>Bad gateway</body></html>',
};

/** A vendor with an account of Ann, which has a token of the notes. */
export interface Vendor {
  readonly peer: CloudPeer;
  /** These credentials sign in to the vendor. */
  readonly credentials: Readonly<Record<string, string>>;
  /** The vendor refuses these credentials, and explains it by the message. */
  readonly wrong: Readonly<Record<string, string>>;
  readonly refusal: RegExp;
  readonly place: Readonly<Record<string, string>>;
  readonly nobody: Readonly<Record<string, string>>;
  readonly unknown: RegExp;
  /** These values may never be seen. */
  readonly secrets: readonly string[];
  /** After the call, the account has this token. */
  hold(token: string): void;
  /** When the service has refused its token, the account gets this one. */
  renewTo(token: string): void;
  forget(): void;
  /** Returns the requests for the account since the last call, without those for the check of the credentials. */
  asked(): readonly string[];
  /** These requests ask for the account once, and then after its token was refused. */
  readonly paths: { readonly first: readonly string[]; readonly renewed: readonly string[] };
  /** The vendor answers like this when its own software fails. */
  readonly broken: PeerAnswer;
}

export interface VendorTest {
  readonly house: ProviderHouse;
  readonly vendor: Vendor;
}

/** `more` adds the tests of one vendor, which run on both databases when `isWhole` is true. */
export function testVendor(
  kind: string,
  open: () => Promise<Vendor>,
  more: (opened: () => VendorTest, isWhole: boolean) => void,
): void {
  for (const database of DATABASES)
    describe(`credentials of ${kind} on ${database.name}`, () => {
      let house: ProviderHouse;
      let vendor: Vendor;
      let waits: SkippedWaits;
      const logged: string[] = [];
      before(async () => {
        const log = pino({ level: 'debug' }, { write: (line) => logged.push(line) });
        house = await openProviderHouse(database, { log });
        vendor = await open();
        await house.addProvider(kind, vendor.credentials);
      });
      after(async () => {
        await house.close();
        await vendor.peer.close();
      });
      beforeEach(() => {
        waits = skipWaits(PAUSE_MS);
        house.service.accepted.clear();
        accept('token-of-ann-1');
        vendor.hold('token-of-ann-1');
        vendor.asked();
        house.service.peer.requests.length = 0;
      });
      afterEach(() => {
        waits.restore();
        vendor.peer.fault = () => undefined;
        house.service.peer.fault = () => undefined;
        assertUnseen(logged.join(''));
        logged.length = 0;
      });

      const accept = (token: string) => house.service.accepted.add(`Bearer ${token}`);
      const place = () => ({ provider_config: vendor.place });
      const named = () => new RegExp(`the auth provider 'sign-in' \\(${kind}\\)`);
      function assertUnseen(text: string) {
        for (const secret of [...vendor.secrets, 'token-of-ann'])
          assert.ok(!text.includes(secret), `${secret} is seen in ${text.slice(0, 2000)}`);
      }
      /** Runs a sync, and returns the error of its job. */
      async function failureOf(id: string) {
        const { status } = await house.sync(id);
        assert.equal(status, 'failed');
        const [job] = await house.ok('GET', `/v1/source-connections/${id}/jobs`);
        assertUnseen(JSON.stringify(job));
        return job.error_details;
      }

      it('[AUTH-34] the vendor is asked whether it accepts the credentials', async () => {
        const input = (credentials: object) => ({ name: 'Other', short_name: kind, credentials });
        const made = await house.ok('POST', ROUTE, input(vendor.credentials));
        assertUnseen(JSON.stringify([made, await house.ok('GET', ROUTE)]));
        const { status, body } = await house.call('POST', ROUTE, input(vendor.wrong));
        assert.deepEqual([status, body.code], [422, 'credentials_refused']);
        assert.deepEqual(body.detail[0].loc, ['body', 'credentials']);
        assert.match(body.detail[0].msg, vendor.refusal);
        for (const secret of Object.values(vendor.wrong))
          if (!Object.values(vendor.credentials).includes(secret))
            assert.ok(!(JSON.stringify(body) + logged.join('')).includes(secret), secret);
      });

      it('[AUTH-07] [AUTH-35] a sync signs with the token of the account, and nobody sees it', async () => {
        const made = await house.connected(place());
        assert.deepEqual(vendor.asked(), vendor.paths.first, 'the check asks once');
        const { status, entities_inserted } = await house.sync(made.id);
        assert.deepEqual([status, entities_inserted], ['completed', 6]);
        await house.sync(made.id);
        assert.deepEqual(vendor.asked(), vendor.paths.first, 'both syncs ask once');
        const signed = house.service.peer.requests.map(({ headers }) => headers.authorization);
        assert.deepEqual(new Set(signed), new Set(['Bearer token-of-ann-1']));
        const shown = [made, await house.show(made.id), await house.tokensOf(made.id)];
        assertUnseen(JSON.stringify(shown));
      });

      it('[AUTH-35] a token that the service refuses in the middle of a sync is replaced', async () => {
        const { id } = await house.connected(place());
        vendor.asked();
        house.service.peer.fault = ({ url }) => {
          if (url.pathname !== '/page/1') return undefined;
          house.service.peer.fault = () => undefined;
          house.service.accepted.clear();
          accept('token-of-ann-2');
          vendor.renewTo('token-of-ann-2');
          return undefined;
        };
        const { status, entities_inserted, sync_metadata } = await house.sync(id);
        assert.deepEqual([status, entities_inserted, sync_metadata.attempt], ['completed', 6, 1]);
        const { first, renewed } = vendor.paths;
        assert.deepEqual(vendor.asked(), [...first, ...renewed]);
        const last = house.service.peer.requests.at(-1);
        assert.equal(last?.headers.authorization, 'Bearer token-of-ann-2');
      });

      const isWhole = !isLeftToSqlite(database);
      more(() => ({ house, vendor }), isWhole);
      if (!isWhole) return;

      it('[AUTH-07] an account that the vendor does not have is refused', async () => {
        const { status, body } = await house.connect({ provider_config: vendor.nobody });
        assert.equal(status, 422, JSON.stringify(body));
        assert.deepEqual(body.detail[0].loc, ['body', 'auth', 'auth_provider']);
        assert.match(body.detail[0].msg, vendor.unknown);
        assert.match(body.detail[0].msg, named());
      });

      it('[AUTH-07] an account that is gone means NEEDS_REAUTH and deletes nothing, and may come back', async () => {
        const { id } = await house.connected(place());
        await house.sync(id);
        await house.expire(id);
        vendor.forget();
        const { code, message, hint } = await failureOf(id);
        assert.equal(code, 'auth');
        assert.match(message, vendor.unknown);
        assert.match(hint, /^Sign in again at the auth provider 'sign-in'/);
        const { status, entities } = await house.show(id);
        assert.deepEqual([status, entities.total_entities], ['NEEDS_REAUTH', 6]);
        vendor.hold('token-of-ann-1');
        await house.endRest(id);
        assert.equal((await house.sync(id)).status, 'completed');
        assert.equal((await house.show(id)).status, 'ACTIVE');
      });

      it('[AUTH-07] a vendor that is down is waited for, whatever it answers', async () => {
        const { id } = await house.connected(place());
        await house.sync(id);
        const limited = json(429, { error: { code: 'too_many_request' } }, { 'retry-after': '1' });
        for (const fault of [HTML, vendor.broken, limited, 'cut'] as const) {
          await house.expire(id);
          let failures = 0;
          vendor.peer.fault = () => (failures++ < 2 ? fault : undefined);
          const { status, entities_deleted } = await house.syncWithoutRests(id);
          const met = fault === 'cut' ? fault : `${fault.status} ${fault.body}`;
          assert.deepEqual([status, entities_deleted], ['completed', 0], met);
          assert.ok(failures > 2, met);
          assert.equal((await house.show(id)).status, 'ACTIVE');
        }
      });

      it('[AUTH-07] answers that are not those of the vendor are errors that name it', async () => {
        for (const [fault, code] of [
          [{ status: 200, body: '<html>hello</html>' }, 'source_unreachable'],
          [json(200, { token: 'token-of-ann-9' }), 'invalid'],
          [{ status: 302, headers: { location: 'http://169.254.169.254/' }, body: '' }, 'invalid'],
          ['cut', 'source_unreachable'],
        ] as const) {
          vendor.peer.fault = () => fault;
          const { status, body } = await house.connect(place());
          assert.deepEqual([status, body.code], [422, code], JSON.stringify(body));
          assert.match(body.detail[0].msg, named());
          assertUnseen(JSON.stringify(body));
        }
        assert.equal(house.service.peer.requests.length, 0);
      });

      it('[AUTH-07] credentials that the vendor refuses later fail the job, until an admin gives new ones', async () => {
        const { id } = await house.connected(place());
        await house.sync(id);
        await house.expire(id);
        const { wrong, credentials } = vendor;
        vendor.peer.fault = () =>
          json(401, {
            error: { code: 'unknown_account', message: `no ${Object.values(credentials)}` },
          });
        const { code, message, hint } = await failureOf(id);
        assert.equal(code, 'config');
        assert.match(message, named());
        assert.match(message, /refuses its own credentials/);
        assert.equal(hint, `An admin gives it new ones: PUT ${ROUTE}/sign-in.`);
        assert.equal((await house.show(id)).entities.total_entities, 6);
        vendor.peer.fault = () => undefined;
        const put = (given: object) =>
          house.call('PUT', `${ROUTE}/sign-in`, { credentials: given });
        assert.equal((await put(wrong)).status, 422);
        assert.equal((await put(credentials)).status, 200);
        assert.equal((await house.sync(id)).status, 'completed', 'the rest has ended');
      });
    });
}
