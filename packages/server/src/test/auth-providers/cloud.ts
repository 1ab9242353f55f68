/**
 * A service whose access tokens end, and sources of it that sign in by OAuth, by a key, by two fields, by credentials that
 * are exchanged for a token, and by a live search. The service lists its notes in pages.
 */
import { z } from 'zod';
import { type Source, secret } from '../../sources/define.ts';
import { bookmark, listed, upsert } from '../../sources/items.ts';
import { cloudSource } from '../../sources/kit/cloud-source.ts';
import type { Http } from '../../sources/kit/http.ts';
import { nextLink, pages } from '../../sources/kit/listing.ts';
import { basic, bearer, clientCredentials } from '../../sources/kit/sign.ts';
import { json, openCloudPeer, type PeerAnswer } from '../sources/cloud-peer.ts';

const PAGES = 3;
const PER_PAGE = 2;

export type Service = Awaited<ReturnType<typeof openService>>;

export async function openService() {
  /** The service accepts these values of the header Authorization. */
  const accepted = new Set<string>();
  const files = await openCloudPeer(() => ({ status: 200, body: 'The file speaks of herons.' }));
  const peer = await openCloudPeer((request): PeerAnswer => {
    const { url, headers, body } = request;
    if (url.pathname === '/token') {
      const isKnown = new URLSearchParams(body).get('client_secret') === 'client-secret-4711';
      accepted.add('Bearer exchanged-4711');
      return isKnown
        ? json(200, { access_token: 'exchanged-4711', expires_in: 3600, token_type: 'bearer' })
        : json(401, { error: 'invalid_client' });
    }
    if (!accepted.has(headers.authorization ?? ''))
      return json(401, { message: 'Bad credentials' });
    if (url.pathname === '/me') return json(200, { name: 'ann' });
    if (url.pathname === '/moved')
      return { status: 302, headers: { location: '/page/0' }, body: '' };
    if (url.pathname === '/file')
      return { status: 302, headers: { location: `${files.baseUrl}/stored` }, body: '' };
    if (url.pathname === '/query') return pageOf(Question.parse(JSON.parse(body)).page);
    return pageOf(Number(url.pathname.split('/').at(-1)));
  });
  function pageOf(page: number): PeerAnswer {
    const notes = Array.from({ length: PER_PAGE }, (_, i) => `n${page * PER_PAGE + i}`);
    const isLast = page === PAGES - 1;
    const link = isLast ? {} : { link: `<${peer.baseUrl}/page/${page + 1}>; rel="next"` };
    const body = { notes, next: isLast ? null : page + 1 };
    const length = String(Buffer.byteLength(JSON.stringify(body)));
    return json(200, body, { ...link, 'content-length': length });
  }
  return {
    baseUrl: peer.baseUrl,
    peer,
    files,
    accepted,
    close: async () => {
      await peer.close();
      await files.close();
    },
  };
}

/** The service is asked for a page by GET, or by this body. */
const Question = z.strictObject({ page: z.int() });
const Page = z.object({ notes: z.array(z.string()), next: z.int().nullable() });
const entity = (id: string) => ({ id, type: 'Note', name: id, text: `text of ${id}`, fields: {} });

/** Each source has the short name under which it stands here. */
export function sourcesOf(baseUrl: string): ReadonlyMap<string, Source> {
  const oauth = {
    authorizeUrl: `${baseUrl}/auth`,
    tokenUrl: `${baseUrl}/token`,
    scopes: [],
    refresh: 'reusable',
  } as const;
  const key = {
    fields: z.object({ key: secret('Key', 'Of the notes') }),
    sign: { headers: ({ key: value }: { key: string }) => bearer(value) },
  };
  const both = {
    fields: z.object({
      email: z.string().meta({ title: 'E-mail', description: 'Of the account' }),
      api_token: secret('Token', 'Of the account'),
    }),
    sign: {
      headers: ({ email, api_token }: { email: string; api_token: string }) =>
        basic(email, api_token),
    },
  };
  const client = {
    fields: z.object({
      client_id: z.string().meta({ title: 'Client', description: 'Of the notes' }),
      client_secret: secret('Secret', 'Of the client'),
    }),
    sign: {
      token: ({ client_id: id, client_secret }: { client_id: string; client_secret: string }) =>
        clientCredentials(`${baseUrl}/token`, { id, secret: client_secret, scope: '' }),
    },
  };
  const common = {
    name: 'Notes',
    description: 'Notes on this machine.',
    labels: ['Test'],
    api: { baseUrl },
    config: z.strictObject({}),
    entities: { Note: z.object({}), File: z.object({}) },
    evidence: [],
    rateLimitLevel: 'org' as const,
    account: async ({ http }: { http: Http }) =>
      (await http.json({ path: 'me' }, z.object({ name: z.string() }))).value.name,
  };
  const pull = async function* ({ http, bookmark: from }: { http: Http; bookmark: unknown }) {
    const listing = pages(z.int().nullable().parse(from), async (at) => {
      const { value } = await http.json({ path: `page/${at ?? 0}` }, Page);
      return { page: value.notes, next: value.next };
    });
    for await (const { page, next } of listing) {
      yield* page.map((id) => upsert(entity(id)));
      if (next !== null) yield bookmark(next);
    }
    yield listed('');
  };
  const sources = [
    cloudSource({ ...common, shortName: 'oauth_notes', auth: { oauth }, pull }),
    cloudSource({ ...common, shortName: 'key_notes', auth: { direct: key }, pull }),
    cloudSource({ ...common, shortName: 'pair_notes', auth: { direct: both }, pull }),
    cloudSource({ ...common, shortName: 'client_notes', auth: { direct: client }, pull }),
    cloudSource({
      ...common,
      shortName: 'linked_notes',
      auth: { oauth },
      async *pull({ http }) {
        const listing = pages<readonly string[], string>(null, async (at) => {
          const { value, headers } = await http.json({ path: at ?? 'page/0' }, Page);
          return { page: value.notes, next: nextLink(headers) };
        });
        for await (const { page } of listing) yield* page.map((id) => upsert(entity(id)));
        yield listed('');
      },
    }),
    cloudSource({
      ...common,
      shortName: 'file_notes',
      auth: { oauth },
      async *pull({ http }) {
        const file = await http.file({ path: 'file' }, { name: 'herons.txt' });
        yield upsert({ id: 'f', type: 'File', name: 'herons.txt', text: '', fields: {}, file });
        const { value } = await http.json({ path: 'moved', query: { of: 'ann' } }, Page);
        yield* value.notes.map((id) => upsert(entity(id)));
        yield listed('');
      },
    }),
    cloudSource({
      ...common,
      shortName: 'query_notes',
      auth: { oauth },
      async *pull({ http }) {
        const listing = pages<readonly string[], number>(null, async (at) => {
          const { value } = await http.json({ path: 'query', body: { page: at ?? 0 } }, Page);
          return { page: value.notes, next: value.next };
        });
        for await (const { page } of listing) yield* page.map((id) => upsert(entity(id)));
        yield listed('');
      },
    }),
    cloudSource({
      ...common,
      shortName: 'live_notes',
      auth: { oauth },
      async search({ http }) {
        const { value } = await http.json({ path: 'page/0' }, Page);
        return value.notes.map(entity);
      },
    }),
  ];
  return new Map(sources.map((source) => [source.shortName, source]));
}
