/** A service on a port of this machine, to which people sign in through a real issuer. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ISSUER_CALLBACK } from '../../accounts/issuer-sign-in.ts';
import { openTestQuarry } from '../app/quarry.ts';
import type { TestDatabase } from '../databases.ts';
import { CLIENT, openPersonIssuer } from './person-issuer.ts';

export type IssuerHouse = Awaited<ReturnType<typeof openIssuerHouse>>;

export async function openIssuerHouse(database: TestDatabase, who: 'members' | 'read') {
  const front = createServer((req, res) => quarry.api.routing(req, res));
  await new Promise<void>((listening) => front.listen(0, '127.0.0.1', listening));
  const origin = `http://localhost:${(front.address() as AddressInfo).port}`;
  const peer = await openPersonIssuer(`${origin}${ISSUER_CALLBACK}`);
  const quarry = await openTestQuarry(database, {
    env: {
      QUARRY_PUBLIC_URL: origin,
      QUARRY_OAUTH_ISSUER: peer.issuer,
      QUARRY_OAUTH_CLIENT_ID: CLIENT.id,
      QUARRY_OAUTH_CLIENT_SECRET: CLIENT.secret,
      QUARRY_OAUTH_SIGN_IN: who,
    },
  });
  await quarry.api.ready();
  return {
    quarry,
    origin,
    peer,
    async close() {
      front.closeAllConnections();
      front.close();
      await quarry.close();
      await peer.close();
    },
  };
}
