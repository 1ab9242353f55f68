/**
 * Runs the sign-in pages of Google and Linear with `emulate`. The emulators lack large parts of the vendors' APIs (the
 * changes of Drive, the archived issues of Linear). So when the emulator knows the token of an API request, the fake
 * that is checked against the vendor's contract answers the request.
 */
import { createEmulator } from 'emulate';
import type { SourceOperator } from '../../sources/operator.ts';
import { openCloudPeer, type PeerAnswer, type PeerRequest } from '../sources/cloud-peer.ts';
import { openDrive } from '../sources/google-drive-peer.ts';
import { openLinearCompany } from '../sources/linear-company.ts';
import { LINEAR_TOKEN } from '../sources/linear-peer.ts';

const CLIENT = { id: 'quarry-client', secret: 'a secret of the emulated sign-in' };
const ANN = { email: 'ann@acme.test', name: 'Ann Archer' };

export type Emulated = Awaited<ReturnType<typeof emulatedGoogle>>;

const oauthClient = (redirect: string) => ({
  client_id: CLIENT.id,
  client_secret: CLIENT.secret,
  name: 'Quarry of the tests',
  redirect_uris: [redirect],
});

/** Passes a request with a token of the emulator to the fake, with the token that the fake knows. */
async function openApi(
  isKnown: (authorization: string) => Promise<boolean>,
  fake: { readonly baseUrl: string; readonly token: string },
) {
  return openCloudPeer(async ({ method, url, headers, body }: PeerRequest): Promise<PeerAnswer> => {
    const own = String(headers.authorization);
    const token = (await isKnown(own)) ? fake.token : 'a token that the emulator does not know';
    const answer = await fetch(`${fake.baseUrl}${url.pathname}${url.search}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        accept: String(headers.accept ?? '*/*'),
        ...(body && { 'content-type': String(headers['content-type']) }),
      },
      body: body || null,
    });
    const type = answer.headers.get('content-type') ?? 'application/octet-stream';
    return {
      status: answer.status,
      headers: { 'content-type': type },
      body: Buffer.from(await answer.arrayBuffer()),
    };
  });
}

export async function emulatedGoogle(redirect: string) {
  const emulator = await createEmulator({
    service: 'google',
    port: 0,
    seed: { google: { users: [ANN], oauth_clients: [oauthClient(redirect)] } },
  });
  const drive = await openDrive(ANN.email);
  const granted = await fetch(drive.operator.tokenUrl, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: 'refresh-1',
      client_id: drive.operator.client.id,
      client_secret: drive.operator.client.secret,
    }),
  });
  const { access_token: token } = (await granted.json()) as { access_token: string };
  const isKnown = async (authorization: string) =>
    (await fetch(`${emulator.url}/oauth2/v2/userinfo`, { headers: { authorization } })).ok;
  const api = await openApi(isKnown, { baseUrl: drive.operator.baseUrl, token });
  const operator: SourceOperator = {
    client: CLIENT,
    authorizeUrl: `${emulator.url}/o/oauth2/v2/auth`,
    tokenUrl: `${emulator.url}/oauth2/token`,
    baseUrl: api.baseUrl,
  };
  return {
    operator,
    email: ANN.email,
    addFile: (name: string, content: string): void => {
      drive.world.put({ id: name, name, parent: 'root-my', content });
    },
    async close() {
      await Promise.all([emulator.close(), api.close(), drive.peer.close()]);
    },
  };
}

export async function emulatedLinear(redirect: string) {
  const emulator = await createEmulator({
    service: 'linear',
    port: 0,
    seed: {
      linear: {
        organization: { name: 'Acme', url_key: 'acme' },
        users: [ANN],
        oauth_apps: [{ ...oauthClient(redirect), scopes: ['read'], actor: 'user' }],
      },
    },
  });
  const linear = await openLinearCompany();
  const isKnown = async (authorization: string) => {
    const answer = await fetch(`${emulator.url}/graphql`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ viewer { email } }' }),
    });
    const { data } = (await answer.json()) as { data?: { viewer?: { email: string } } };
    return data?.viewer?.email === ANN.email;
  };
  const api = await openApi(isKnown, { baseUrl: linear.peer.baseUrl, token: LINEAR_TOKEN });
  const operator: SourceOperator = {
    client: CLIENT,
    authorizeUrl: `${emulator.url}/oauth/authorize`,
    tokenUrl: `${emulator.url}/oauth/token`,
    baseUrl: api.baseUrl,
  };
  return {
    operator,
    email: ANN.email,
    requests: api.requests,
    async close() {
      await Promise.all([emulator.close(), api.close(), linear.peer.close()]);
    },
  };
}
