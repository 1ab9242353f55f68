/** Connections whose credentials Composio gives. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { json } from '../sources/cloud-peer.ts';
import { account, type ComposioPeer, openComposioPeer } from './composio-peer.ts';
import { testVendor } from './vendor-suite.ts';

const PLACE = { connection_id: 'ca_ann' };
const PATH = '/api/v3.1/connected_accounts/ca_ann';

let composio: ComposioPeer;
function connect(...given: Parameters<typeof account>) {
  const made = account(...given);
  composio.accounts.set('ca_ann', made);
  return made;
}
const signIn = (token: string) =>
  connect('OAUTH2', {
    access_token: token,
    refresh_token: 'refresh-at-composio',
    expires_in: 3599,
    base_url: 'https://notes.example.com',
  });

testVendor(
  'composio',
  async () => {
    composio = await openComposioPeer();
    const { peer, apiKey: api_key, accounts } = composio;
    return {
      peer,
      credentials: { api_key, base_url: peer.baseUrl },
      wrong: { api_key: 'ak_another_4711', base_url: peer.baseUrl },
      refusal: /refuses its own credentials: Invalid API key: \[secret\]$/,
      place: PLACE,
      nobody: { account_id: 'ca_nobody' },
      unknown: /says that it does not have the connected account$/,
      secrets: [api_key, 'refresh-at-composio'],
      hold: signIn,
      renewTo: signIn,
      forget: () => accounts.delete('ca_ann'),
      asked: () =>
        peer.requests
          .splice(0)
          .map(({ url }) => url.pathname + url.search)
          .filter((path) => path !== '/api/v3.1/connected_accounts?limit=1'),
      paths: { first: [PATH], renewed: [PATH] },
      broken: json(500, { error: { message: 'Internal server error', code: 1, status: 500 } }),
    };
  },
  (opened, isWhole) => {
    if (!isWhole) return;
    const refused = async (provider_config: object = PLACE) => {
      const { status, body } = await opened().house.connect({ provider_config });
      assert.equal(status, 422, JSON.stringify(body));
      return body.detail[0];
    };

    it('[AUTH-07] hidden credentials are never used, and the error says how to unhide them', async () => {
      const { house } = opened();
      const made = signIn('token-of-ann-1');
      composio.settings.masksSecrets = true;
      const masked = await refused();
      assert.match(
        masked.msg,
        /\(composio\) redacts the credentials of the connected account\. .*Mask Connected Account Secrets/,
      );
      composio.settings.masksSecrets = false;
      made.isManaged = true;
      const managed = await refused();
      assert.match(managed.msg, /OAuth app of yours/);
      assert.equal(house.service.peer.requests.length, 0);
      connect('API_KEY', { generic_api_key: 'key-of-ann' });
      composio.settings.masksSecrets = true;
      for (const short_name of ['key_notes', 'pair_notes']) {
        if (short_name === 'pair_notes')
          connect('BASIC', { username: 'a', password: 'word-of-ann' });
        const { status, body } = await house.connect({ short_name, provider_config: PLACE });
        assert.equal(status, 422);
        assert.match(body.detail[0].msg, /redacts the credentials/, short_name);
      }
      composio.settings.masksSecrets = false;
      assert.equal(house.service.peer.requests.length, 0);
    });

    it('[AUTH-07] accounts that are not active need a person, and say why', async () => {
      const { house } = opened();
      const { id } = await house.connected({ provider_config: PLACE });
      await house.sync(id);
      const made = connect('OAUTH2', {}, 'EXPIRED');
      made.reason = 'Permanent auth error during token refresh';
      await house.expire(id);
      await house.sync(id);
      const [job] = await house.ok('GET', `/v1/source-connections/${id}/jobs`);
      assert.equal(job.error_details.code, 'auth');
      assert.match(
        job.error_details.message,
        /the connected account is EXPIRED: Permanent auth error during token refresh$/,
      );
      assert.equal((await house.show(id)).status, 'NEEDS_REAUTH');
      connect('OAUTH2', { access_token: 'token-of-ann-1' }).isDisabled = true;
      assert.match((await refused()).msg, /has the connected account switched off$/);
    });

    it('[AUTH-07] keys and bearer tokens sign in to sources that take them', async () => {
      const { house } = opened();
      for (const [short_name, scheme, val, signature] of [
        ['key_notes', 'API_KEY', { generic_api_key: 'key-of-ann' }, 'Bearer key-of-ann'],
        ['oauth_notes', 'BEARER_TOKEN', { token: 'bearer-of-ann' }, 'Bearer bearer-of-ann'],
      ] as const) {
        connect(scheme, val);
        house.service.accepted.add(signature);
        const { id } = await house.connected({ short_name, provider_config: PLACE });
        assert.equal((await house.sync(id)).entities_inserted, 6, short_name);
        assert.equal(house.service.peer.requests.at(-1)?.headers.authorization, signature);
      }
      connect('API_KEY', { generic_api_key: 'key-of-ann' });
      assert.match((await refused()).msg, /and Notes takes an OAuth access token$/);
    });

    it('[AUTH-07] connection_id and account_id are two names of one field, and there is no proxy', async () => {
      const { house } = opened();
      await house.connected({ provider_config: { ...PLACE, account_id: 'ca_ann' } });
      for (const config of [{ ...PLACE, account_id: 'ca_bob' }, {}])
        assert.equal((await refused(config)).loc.at(-1), 'connection_id');
      const { loc, msg } = await refused({ ...PLACE, mode: 'proxy' });
      assert.deepEqual([loc.at(-1), /token/.test(msg)], ['mode', true]);
    });
  },
);
