/**
 * Runs the whole service on a port of this machine, with a provider and a source that signs in there: by OAuth, with a
 * pasted key, or as a client.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { z } from 'zod';
import { createVault } from '../../secrets.ts';
import { type Source, secret, secretFile } from '../../sources/define.ts';
import { listed, upsert } from '../../sources/items.ts';
import { cloudSource } from '../../sources/kit/cloud-source.ts';
import { bearer, googleKey } from '../../sources/kit/sign.ts';
import { openTestQuarry } from '../app/quarry.ts';
import type { DATABASES } from '../databases.ts';
import { type Browser, openBrowser } from './browser.ts';
import { CLIENTS, openProvider, SCOPES } from './provider.ts';

export type SignInHouse = Awaited<ReturnType<typeof openSignInHouse>>;

const KEY = 'the encryption key of the tests, long';
const PROJECT = { title: 'Project', description: 'One of them' };
export const BACK = 'https://app.example.com/done';

/** The sources are one with a client of the operator, one with a client of the user, and one that is searched live. */
export function notebooks(url: string): ReadonlyMap<string, Source> {
  const oauth = {
    authorizeUrl: `${url}/auth`,
    tokenUrl: `${url}/token`,
    scopes: SCOPES,
    refresh: 'rotating',
    clientAuth: 'basic',
    params: { prompt: 'login consent' },
  } as const;
  const base = {
    name: 'Notebook',
    description: 'Notes behind a provider.',
    labels: ['Test'],
    api: { baseUrl: `${url}/api` },
    config: z.strictObject({ project: z.string().default('all').meta(PROJECT) }),
    entities: { Note: z.object({}) },
    evidence: [],
    rateLimitLevel: 'connection' as const,
    account: async ({ http }: { http: import('../../sources/kit/http.ts').Http }) =>
      (await http.json({ path: 'me' }, z.object({ email: z.string() }))).value.email,
  };
  const Notes = z.object({ notes: z.array(z.string()), projects: z.array(z.string()) });
  const notebook = cloudSource({
    ...base,
    config: z.strictObject({
      project: z
        .string()
        .default('all')
        .meta({ ...PROJECT, options: true }),
    }),
    shortName: 'notebook',
    auth: {
      direct: {
        fields: z.object({ key: secret('Key', 'Of the notebook') }),
        sign: { headers: ({ key }) => bearer(key) },
      },
      oauth,
    },
    async *pull({ http }) {
      const { value } = await http.json({ path: 'notes' }, Notes);
      for (const name of value.notes)
        yield upsert({ id: name, type: 'Note', name, text: `text of ${name}`, fields: {} });
      yield listed('');
    },
    async options({ http }) {
      const { value } = await http.json({ path: 'projects' }, Notes);
      return value.projects.map((name) => ({ value: name, title: name.toUpperCase() }));
    },
  });
  const live = cloudSource({
    ...base,
    shortName: 'live_notebook',
    auth: { oauth: { ...oauth, clientAuth: 'body' } },
    async search({ http }) {
      const { value } = await http.json({ path: 'notes' }, Notes);
      return value.notes.map((name) => ({ id: name, type: 'Note', name, text: name, fields: {} }));
    },
  });
  const robot = cloudSource({
    ...base,
    shortName: 'robot_notebook',
    auth: {
      direct: {
        fields: z.object({
          service_account: secretFile('Service account', 'JSON key of a service account'),
        }),
        sign: googleKey(() => ['notes:read']),
      },
    },
    async *pull() {
      yield listed('');
    },
  });
  const operator = { client: CLIENTS.basic };
  const sources: Source[] = [
    { ...notebook, operator },
    { ...notebook, shortName: 'own_notebook' },
    robot,
    { ...live, operator: { client: CLIENTS.body } },
  ];
  return new Map(sources.map((source) => [source.shortName, source]));
}

export async function openSignInHouse(
  database: (typeof DATABASES)[number],
  options: {
    log?: Logger;
    env?: Record<string, string>;
    /** With this option, the provider shows its pages, and people fill them in. */
    withPages?: boolean;
    /** Returns further sources, whose providers redirect browsers to this address. */
    moreSources?: (callback: string) => Promise<readonly Source[]>;
  } = {},
) {
  const { log, env = {}, withPages = false } = options;
  // The provider and the service need the address, so the port is opened first.
  const front = createServer((req, res) => quarry.api.routing(req, res));
  await new Promise<void>((listening) => front.listen(0, '127.0.0.1', listening));
  const origin = `http://localhost:${(front.address() as AddressInfo).port}`;
  const callback = `${origin}/v1/source-connections/callback`;
  const provider = await openProvider(callback, { withPages });
  const more = (await options.moreSources?.(callback)) ?? [];
  const sources = new Map([
    ...notebooks(provider.url),
    ...more.map((source) => [source.shortName, source] as const),
  ]);
  const quarry = await openTestQuarry(await database.open(), {
    sources,
    env: {
      QUARRY_PUBLIC_URL: origin,
      QUARRY_ALLOW_LOOPBACK: 'true',
      QUARRY_ENCRYPTION_KEY: KEY,
      ...env,
    },
    ...(log && { log }),
  });
  await quarry.api.ready();
  let collections = 0;

  /** Makes a connection that waits for its sign-in, in a new collection. */
  async function waiting(over: Record<string, unknown> = {}) {
    const readable_id = `notes-${collections++}`;
    await quarry.ok('POST', '/v1/collections', { name: 'Notes', readable_id });
    return quarry.ok('POST', '/v1/source-connections', {
      name: 'My notebook',
      short_name: 'notebook',
      readable_collection_id: readable_id,
      auth: { oauth_browser: { redirect_uri: BACK } },
      ...over,
    });
  }

  /** Opens a link and signs a person in, in a new browser unless one is given. Returns the last page. */
  const signIn = (link: string, browser: Browser = openBrowser()) => browser.open(link);

  return {
    ...quarry,
    origin,
    vault: createVault(KEY),
    provider,
    sources,
    waiting,
    signIn,
    show: (id: string) => quarry.ok('GET', `/v1/source-connections/${id}`),

    /** Makes a connection and signs in. */
    async signedIn(over: Record<string, unknown> = {}) {
      const made = await waiting(over);
      const { url } = await signIn(made.auth.auth_url);
      return { id: made.id as string, collection: made.readable_collection_id as string, url };
    },

    /** Makes the access token of a connection end. */
    expire: (id: string) =>
      quarry.db
        .updateTable('connection_tokens')
        .set({ expires_at: 0, renew_at: 0 })
        .where('connection_id', '=', id)
        .execute(),

    async close() {
      await quarry.close();
      front.closeAllConnections();
      await new Promise<void>((closed) => front.close(() => closed()));
      await provider.close();
    },
  };
}
