/**
 * Runs a service with numbered notes on this machine, and the source that reads the notes over HTTP. The service logs
 * each request.
 */
import assert from 'node:assert/strict';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { type Source, secret } from '../../sources/define.ts';
import { bookmark, listed, stub, upsert } from '../../sources/items.ts';
import { cloudSource } from '../../sources/kit/cloud-source.ts';
import type { Http } from '../../sources/kit/http.ts';
import { eachOf, pages } from '../../sources/kit/listing.ts';
import { bearer } from '../../sources/kit/sign.ts';

const TOKEN = 'cloud-token-4711';

export interface Arrival {
  /** The time is in milliseconds since 1970. */
  readonly at: number;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

export type Cloud = Awaited<ReturnType<typeof openCloud>>;

/** Every answer takes this number of milliseconds longer. */
export async function openCloud({ notes = 0, perPage = 10, latencyMs = 0 } = {}) {
  const cloud = {
    baseUrl: '',
    notes,
    arrivals: [] as Arrival[],
    /** Returns true when it has answered the request itself, in place of the usual answer. */
    instead: (_request: IncomingMessage, _response: ServerResponse) => false,
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((done) => server.close(() => done()));
    },
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    cloud.arrivals.push({
      at: performance.timeOrigin + performance.now(),
      url: url.pathname,
      headers: request.headers,
    });
    if (cloud.instead(request, response)) return;
    if (latencyMs === 0) reply(request, url, response);
    else setTimeout(reply, latencyMs, request, url, response);
  });
  function reply(request: IncomingMessage, url: URL, response: ServerResponse): void {
    const isKnown = request.headers.authorization === `Bearer ${TOKEN}`;
    const [, kind, name] = url.pathname.split('/');
    if (!isKnown) answer(response, 401, { message: 'Bad credentials' });
    else if (kind === 'me') answer(response, 200, { name: 'ann' });
    else if (kind === 'note') answer(response, 200, noteOf(Number(name)));
    else {
      const from = Number(url.searchParams.get('from') ?? 0);
      const end = Math.min(cloud.notes, from + perPage);
      const items = Array.from({ length: end - from }, (_, i) => noteOf(from + i));
      answer(response, 200, { items, next: end < cloud.notes ? end : null });
    }
  }
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  cloud.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return cloud;
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

const noteOf = (n: number) => ({ id: `n${n}`, text: `The text of note ${n} speaks of harbours.` });

/** Returns the credentials and the configuration of a connection to the service. */
export const settingsOf = ({ baseUrl }: Pick<Cloud, 'baseUrl'>, over: object = {}) => ({
  authentication: { credentials: { token: TOKEN } },
  config: { base_url: baseUrl, ...over },
});

const Note = z.object({ id: z.string(), text: z.string() });
const Page = z.object({ items: z.array(Note), next: z.int().nullable() });

interface CloudOptions {
  readonly shortName?: string;
  readonly level?: Source['rateLimitLevel'];
  readonly patience?: number;
}

const Config = z.strictObject({
  base_url: z.url().meta({ title: 'API', description: 'Address of the service.' }),
  each: z.boolean().default(false).meta({
    title: 'Each',
    description: 'Whether the source asks for each note by a request of its own.',
  }),
});

const entityOf = ({ id, text }: z.infer<typeof Note>) => ({
  id,
  type: 'Note',
  name: id,
  text,
  fields: {},
});

const commonOf = ({ shortName = 'cloud', level = 'org', patience }: CloudOptions) => ({
  shortName,
  name: 'Cloud',
  description: 'Notes on this machine.',
  labels: ['Test'],
  auth: {
    direct: {
      fields: z.object({ token: secret('Token', 'Of the cloud') }),
      sign: { headers: ({ token }: { token: string }) => bearer(token) },
    },
  },
  api: {
    baseUrl: ({ base_url }: z.infer<typeof Config>) => base_url,
    ...(patience !== undefined && { patience }),
  },
  config: Config,
  entities: { Note: z.object({}) },
  evidence: [],
  rateLimitLevel: level,
  account: async ({ http }: { http: Http }) =>
    (await http.json({ path: 'me' }, z.object({ name: z.string() }))).value.name,
});

export const cloudNotes = (options: CloudOptions = {}): Source =>
  cloudSource({
    ...commonOf(options),
    async *pull({ http, config: { each }, bookmark: from }) {
      const place = z.int().nullable().parse(from);
      const listing = pages(place, async (at) => {
        const { value } = await http.json({ path: 'notes', query: { from: at ?? 0 } }, Page);
        return { page: value.items, next: value.next };
      });
      for await (const { page, next } of listing) {
        for (const note of page)
          yield each ? stub(note.id, 'Note', { version: '1' }) : upsert(entityOf(note));
        if (next !== null) yield bookmark(next);
      }
      yield listed('');
    },
    hydrate: ({ http }, stubs) =>
      eachOf(stubs, 4, async ({ id }) => {
        const { value } = await http.json({ path: `note/${id.slice(1)}` }, Note);
        return upsert(entityOf(value));
      }),
  });

/** Makes a source of the same service that is searched live. */
export const liveNotes = (options: CloudOptions = {}): Source =>
  cloudSource({
    ...commonOf({ shortName: 'live_cloud', ...options }),
    async search({ http }, _query, limit) {
      const { value } = await http.json({ path: 'notes' }, Page);
      return value.items.slice(0, limit).map(entityOf);
    },
  });

/**
 * Fails when a request arrived too early for a limit of `limit` requests in any `windowMs` milliseconds. The request
 * with the number `n`, counted from `since`, may be admitted at the earliest after `n / limit` whole windows. It
 * arrives after its admission, even on a slow machine. The clock of SQLite has whole milliseconds.
 */
export function assertPaced(
  arrivals: readonly Arrival[],
  { since, limit, windowMs }: { since: number; limit: number; windowMs: number },
): void {
  for (const [n, { at }] of arrivals.entries()) {
    const earliest = since + Math.floor(n / limit) * windowMs - 2;
    assert.ok(at >= earliest, `request ${n} arrived ${earliest - at} ms before its admission`);
  }
}
