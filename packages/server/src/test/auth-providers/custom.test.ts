/** Connections through a server of one's own, which speaks the protocol of docs/auth-providers.md. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import pino from 'pino';
import { DATABASES } from '../databases.ts';
import { type CloudPeer, json, openCloudPeer, type PeerAnswer } from '../sources/cloud-peer.ts';
import { openProviderHouse, type ProviderHouse } from './house.ts';

const SECRET = 'the-secret-of-the-server';

for (const database of DATABASES)
  describe(`connections through a custom auth provider on ${database.name}`, () => {
    let house: ProviderHouse;
    let server: CloudPeer;
    const logged: string[] = [];
    /** The server gives these credentials. */
    let given: Record<string, unknown> = {};
    let expiresAt: string | undefined;
    /** These are the answers to requests for fresh credentials; without one the server answers as to any other request. */
    let renew: () => void = () => {};

    before(async () => {
      const log = pino({ level: 'debug' }, { write: (line) => logged.push(line) });
      house = await openProviderHouse(database, { log });
      server = await openCloudPeer(async (request): Promise<PeerAnswer> => {
        if (request.headers.authorization !== `Bearer ${SECRET}`) return json(401, { error: 'no' });
        if (request.url.pathname.endsWith('/credentials')) {
          if (!request.url.pathname.includes('/ann/')) return json(404, { error: 'unknown' });
          if (request.url.searchParams.get('fresh')) renew();
          return json(200, { credentials: given, ...(expiresAt && { expires_at: expiresAt }) });
        }
        return json(200, {});
      });
      await house.addProvider('custom', { url: server.baseUrl, secret: SECRET });
    });
    after(async () => {
      await house.close();
      await server.close();
    });
    beforeEach(() => {
      house.service.accepted.clear();
      accept('token-1');
      given = { access_token: 'token-1' };
      expiresAt = undefined;
      renew = () => {};
      server.requests.length = 0;
      house.service.peer.requests.length = 0;
    });
    afterEach(() => {
      server.fault = () => undefined;
      house.service.peer.fault = () => undefined;
      logged.length = 0;
    });

    const accept = (token: string) => house.service.accepted.add(`Bearer ${token}`);
    const asked = () =>
      server.requests.map(({ url }) => url.pathname + url.search).filter((path) => path !== '/');

    it('[AUTH-07] syncs with the token that the provider gives, and asks for it once', async () => {
      const { id, auth } = await house.connected({});
      assert.deepEqual([auth.method, auth.account], ['auth_provider', 'ann']);
      const { status, entities_inserted } = await house.sync(id);
      assert.deepEqual([status, entities_inserted], ['completed', 6]);
      const path = '/connections/ann/credentials?source=oauth_notes';
      assert.deepEqual(asked(), [path, path], 'one for the check, one for the sync');
    });
  });
