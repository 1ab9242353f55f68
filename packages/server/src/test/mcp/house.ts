/** Runs the API on a port of its own, with a collection of a few notes, and helps real clients to reach it. */
import { Client as NewClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { listen } from '../../cli/listen.ts';
import { openTestApi } from '../api/harness.ts';
import type { DATABASES } from '../databases.ts';
import { type Doc, libraryOn } from '../search/library.ts';

export type House = Awaited<ReturnType<typeof openHouse>>;

export const COLLECTION = 'harbour';
const SECRET = { viewers: ['user:mate@example.com'], isPublic: false };

export const NOTES: readonly Doc[] = [
  ...Array.from({ length: 12 }, (_, i) => ({
    id: `log-${i}`,
    name: `Log ${i}`,
    type: 'Log',
    url: `https://harbour.example/${i}`,
    text: `The harbour log of day ${i}: calm water, berth ${i} is free.`,
    updatedAt: `2026-01-${String(i + 1).padStart(2, '0')}`,
    fields: { berth: i, port: 'Bergen', updated_at: 'noon' },
  })),
  // Every field of this record is too long for an answer.
  {
    id: 'monster',
    name: 'M'.repeat(26_000),
    type: 'Monster',
    url: `https://monster.example/${'m'.repeat(2_000)}`,
    breadcrumbs: Array.from({ length: 50 }, (_, i) => ({
      id: `${i}`,
      name: 'b'.repeat(900),
      type: 'Folder',
    })),
    text: Array.from(
      { length: 200 },
      (_, i) => `Monster line ${i} \u7269 "quoted" \\ ${'\u6d77'.repeat(40)}`,
    ).join('\n'),
    fields: { roar: 'r'.repeat(26_000), teeth: 32 },
  },
  { id: 'secret', type: 'Letter', text: 'The harbour secret of the mate.', access: SECRET },
];

export async function openHouse(
  database: (typeof DATABASES)[number],
  options: Parameters<typeof openTestApi>[1] = {},
) {
  const opened = await database.open();
  const api = await openTestApi(opened, options);
  const { organizationId } = await api.owner();
  const { body } = await api.call('POST', '/v1/collections', {
    body: { name: 'Harbour', readable_id: COLLECTION },
  });
  const library = libraryOn(opened, 'exact', organizationId);
  const connection = await library.addConnection(body.id);
  await library.put(body.id, connection, NOTES);
  await library.countFields(connection);
  for (const entity_type of new Set(NOTES.map(({ type }) => type ?? ''))) {
    const count = NOTES.filter(({ type }) => type === entity_type).length;
    const row = { connection_id: connection.id, entity_type, count, listed: count };
    await opened.db.insertInto('entity_counts').values(row).execute();
  }
  const address = await listen(api.api, { QUARRY_HOST: '127.0.0.1', QUARRY_PORT: 0 });
  const key = { 'x-api-key': api.adminKey, 'x-collection-readable-id': COLLECTION };

  /** Sends a request as a hand-written client does. */
  async function post(
    message: unknown,
    { headers = {}, ...init }: RequestInit & { headers?: Record<string, string> } = {},
  ) {
    const response = await fetch(`${address}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...key, ...headers },
      body: typeof message === 'string' ? message : JSON.stringify(message),
      ...init,
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      session: response.headers.get('mcp-session-id') ?? undefined,
      body: text === '' ? undefined : JSON.parse(text),
    };
  }

  const call = (name: string, args: object, headers: Record<string, string> = {}) =>
    post(
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
      { headers },
    );

  async function oldClient(headers: Record<string, string> = key) {
    const client = new OldClient({ name: 'old', version: '1' });
    const transport = new OldTransport(new URL(`${address}/mcp`), { requestInit: { headers } });
    await client.connect(transport as never);
    return { client, transport };
  }

  async function newClient(mode: 'legacy' | 'auto', headers: Record<string, string> = key) {
    const client = new NewClient({ name: 'new', version: '1' }, { versionNegotiation: { mode } });
    const url = new URL(`${address}/mcp`);
    const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } });
    await client.connect(transport);
    return { client, transport };
  }

  return {
    ...api,
    address,
    library,
    connection,
    collectionId: body.id as string,
    headers: key,
    post,
    callTool: call,
    oldClient,
    newClient,
  };
}
