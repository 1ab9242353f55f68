/** Runs the API as a protected resource of an issuer, and makes people with collections of their own. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OAuthSettings } from '../../../oauth-settings.ts';
import { openTestApi } from '../../api/harness.ts';
import type { DATABASES } from '../../databases.ts';
import { type Doc, libraryOn } from '../../search/library.ts';

export type OAuthHouse = Awaited<ReturnType<typeof openOAuthHouse>>;

const NOTES = (collection: string): Doc[] =>
  Array.from({ length: 3 }, (_, i) => ({
    id: `${collection}-${i}`,
    name: `Note ${i} of ${collection}`,
    type: 'Note',
    text: `A note about the lighthouse, number ${i}, in ${collection}.`,
  }));

export async function openOAuthHouse(
  database: (typeof DATABASES)[number],
  issuer: string,
  settings: Partial<OAuthSettings> = {},
) {
  // The API needs its own address, so the port is opened first.
  const front = createServer((req, res) => api.api.routing(req, res));
  await new Promise<void>((listening) => {
    front.listen(0, '127.0.0.1', listening);
  });
  const address = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  const resource = `${address}/mcp`;
  const opened = await database.open();
  const scopes = ['openid', 'email'];
  const base = { issuer, resource, audience: resource, scopes, client: null };
  const oauth = { ...base, introspectsAll: false, ...settings };
  const api = await openTestApi(opened, { oauth });
  await api.api.ready();

  /** Makes a collection with three notes for the owner of this key. */
  async function addCollection(
    owner: { readonly key: string; readonly organizationId: string },
    readable_id: string,
    docs = NOTES(readable_id),
  ): Promise<void> {
    const { body } = await api.call('POST', '/v1/collections', {
      key: owner.key,
      body: { name: `The ${readable_id}`, readable_id },
    });
    const library = libraryOn(opened, 'exact', owner.organizationId);
    await library.put(body.id, await library.addConnection(body.id), docs);
  }

  /** Sends a request as a hand-written client does. */
  async function post(
    token: string | undefined,
    message: unknown,
    headers: Record<string, string> = {},
  ) {
    const response = await fetch(resource, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      body: JSON.stringify(message),
    });
    const { status } = response;
    const text = await response.text();
    const session = response.headers.get('mcp-session-id') ?? undefined;
    return { status, headers: response.headers, session, body: JSON.parse(text) };
  }

  const list = (token: string | undefined, headers: Record<string, string> = {}) =>
    post(token, LIST, headers);

  async function toolNames(token: string): Promise<string[]> {
    const { body } = await list(token);
    return body.result.tools.map(({ name }: { name: string }) => name);
  }

  /** Returns the result of a call, or the error of the protocol. */
  async function callTool(token: string, name: string, args: object) {
    const params = { name, arguments: args };
    const { body } = await post(token, { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    return body.result ?? body.error;
  }

  return {
    ...api,
    address,
    resource,
    addCollection,
    post,
    list,
    toolNames,
    callTool,
    async close() {
      await new Promise<void>((closed) => {
        front.close(() => closed());
        front.closeAllConnections();
      });
      await api.close();
    },
  };
}

export const LIST = { jsonrpc: '2.0', id: 7, method: 'tools/list' };
