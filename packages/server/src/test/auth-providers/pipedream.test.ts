/** Connections whose credentials Pipedream gives. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { json } from '../sources/cloud-peer.ts';
import { oauthAccount, openPipedreamPeer, type PipedreamPeer } from './pipedream-peer.ts';
import { testVendor } from './vendor-suite.ts';

const PLACE = { account_id: 'apn_ann', external_user_id: 'user-ann' };
const TOKEN = 'POST /v1/oauth/token';
const ACCOUNT = 'GET /v1/connect/proj_abc123/accounts/apn_ann?include_credentials=true';
const soon = (ms: number) => new Date(Date.now() + ms).toISOString();

let pipedream: PipedreamPeer;
function signIn(token: string) {
  const made = oauthAccount(token);
  pipedream.accounts.set('apn_ann', made);
  return made;
}

testVendor(
  'pipedream',
  async () => {
    pipedream = await openPipedreamPeer();
    const { peer, client, projectId: project_id, accounts } = pipedream;
    const common = { project_id, base_url: peer.baseUrl };
    return {
      peer,
      credentials: { ...client, ...common },
      wrong: { ...client, client_secret: 'another-secret-4711', ...common },
      refusal: /refuses its own credentials: /,
      place: PLACE,
      nobody: { account_id: 'apn_nobody' },
      unknown: /says that it does not have the account$/,
      secrets: [client.client_secret, 'token-of-the-client', 'refresh-at-pipedream'],
      hold: signIn,
      renewTo: signIn,
      forget: () => accounts.delete('apn_ann'),
      asked() {
        const asked = peer.requests
          .splice(0)
          .map(({ method, url }) => `${method} ${url.pathname}${url.search}`);
        const check = asked.indexOf('GET /v1/connect/proj_abc123/accounts?limit=1');
        return check === -1 ? asked : asked.toSpliced(check - 1, 2);
      },
      paths: { first: [TOKEN, ACCOUNT], renewed: [TOKEN, ACCOUNT] },
      broken: json(500, { error: 'internal server error' }),
    };
  },
  (opened, isWhole) => {
    it('[AUTH-35] a token that ends is asked for again, ahead of its end', async () => {
      const { house } = opened();
      signIn('token-of-ann-1').expiresAt = soon(3_600_000);
      const { id } = await house.connected({ provider_config: PLACE });
      await house.sync(id);
      const left = Date.parse((await house.show(id)).auth.expires_at) - Date.now();
      assert.ok(left > 3_500_000 && left < 3_700_000, `${left} ms`);
      house.service.accepted.add('Bearer token-of-ann-3');
      signIn('token-of-ann-3');
      await house.expire(id);
      await house.sync(id);
      const last = house.service.peer.requests.at(-1);
      assert.equal(last?.headers.authorization, 'Bearer token-of-ann-3');
    });
    if (!isWhole) return;
    const refused = async (over: object = {}) => {
      const { status, body } = await opened().house.connect({ provider_config: PLACE, ...over });
      assert.equal(status, 422, JSON.stringify(body));
      return body.detail[0];
    };

    it('[AUTH-07] an account that is dead needs a person, and one that is not healthy may recover', async () => {
      const { house } = opened();
      const { id } = await house.connected({ provider_config: PLACE });
      await house.sync(id);
      Object.assign(signIn('token-of-ann-1'), { isDead: true, error: 'invalid_grant' });
      await house.expire(id);
      await house.sync(id);
      const [job] = await house.ok('GET', `/v1/source-connections/${id}/jobs`);
      assert.equal(job.error_details.code, 'auth');
      assert.match(job.error_details.message, /the account is dead \(invalid_grant\)$/);
      const sick = { isHealthy: false, credentials: undefined, error: 'timeout' };
      const made = Object.assign(signIn('token-of-ann-1'), sick);
      await house.expire(id);
      let asked = 0;
      pipedream.peer.fault = () => {
        if (asked++ > 3) Object.assign(made, oauthAccount('token-of-ann-1'));
        return undefined;
      };
      assert.equal((await house.syncWithoutRests(id)).status, 'completed');
      assert.ok(asked > 4);
      assert.equal((await house.show(id)).status, 'ACTIVE');
    });

    it('[AUTH-07] an account without credentials, of another user or environment is refused', async () => {
      signIn('token-of-ann-1').credentials = undefined;
      const without = await refused();
      assert.match(
        without.msg,
        /gave the account without its credentials\. .* OAuth client of your own/,
      );
      signIn('token-of-ann-1');
      const bob = { account_id: 'apn_ann', external_user_id: 'user-bob' };
      assert.match(
        (await refused({ provider_config: bob })).msg,
        /says that the account belongs to another external_user_id$/,
      );
      const { house, vendor } = opened();
      const development = { ...vendor.credentials, environment: 'development' };
      await house.addProvider('pipedream', development, 'development');
      assert.match((await refused({ provider: 'development' })).msg, /does not have the account$/);
    });

    it('[AUTH-07] tokens that have ended are not used', async () => {
      const { house } = opened();
      signIn('token-of-ann-1').expiresAt = soon(-60_000);
      const { status, body } = await house.connect({ provider_config: PLACE });
      assert.deepEqual([status, body.code], [422, 'source_unreachable']);
      assert.match(body.detail[0].msg, /gave credentials that ended at 20/);
      assert.equal(house.service.peer.requests.length, 0);
    });

    it('[AUTH-07] keys sign in to sources that take them, and nothing of the OAuth client does', async () => {
      const { house } = opened();
      signIn('').credentials = { api_key: 'key-of-ann' };
      house.service.accepted.add('Bearer key-of-ann');
      const keyed = { short_name: 'key_notes', provider_config: PLACE };
      const { id } = await house.connected(keyed);
      assert.equal((await house.sync(id)).entities_inserted, 6);
      assert.match((await refused()).msg, /gave api_key, and Notes takes an OAuth access token$/);
      signIn('').credentials = {
        oauth_client_id: 'client-of-ours',
        oauth_refresh_token: 'refresh',
      };
      assert.match((await refused(keyed)).msg, /gave the account without its credentials/);
    });

    it('[AUTH-34] a client may also be refused with the status 400', async () => {
      const { house, vendor } = opened();
      pipedream.peer.fault = () => json(400, { error: 'invalid_client' });
      const { credentials } = vendor;
      const body = { name: 'Other', short_name: 'pipedream', credentials };
      const answer = await house.call('POST', '/v1/auth-providers', body);
      assert.deepEqual([answer.status, answer.body.code], [422, 'credentials_refused']);
      assert.match(answer.body.detail[0].msg, /refuses its own credentials: invalid_client$/);
    });

    it('[AUTH-34] ids of projects and environments are checked, and there is no proxy', async () => {
      const { house, vendor } = opened();
      for (const [field, value] of [
        ['project_id', 'abc'],
        ['environment', 'test'],
      ] as const) {
        const credentials = { ...vendor.credentials, [field]: value };
        const body = { name: 'Other', short_name: 'pipedream', credentials };
        const answer = await house.call('POST', '/v1/auth-providers', body);
        assert.deepEqual([answer.status, answer.body.detail[0].loc.at(-1)], [422, field]);
      }
      const credentials = { ...vendor.credentials, project_id: 'proj_other' };
      const body = { name: 'Other', short_name: 'pipedream', credentials };
      const answer = await house.call('POST', '/v1/auth-providers', body);
      assert.equal(answer.status, 422);
      assert.match(answer.body.detail[0].msg, /answered 404: record not found$/);
      const { loc } = await refused({ provider_config: { ...PLACE, mode: 'proxy' } });
      assert.equal(loc.at(-1), 'mode');
    });
  },
);
