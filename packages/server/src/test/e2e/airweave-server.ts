/**
 * An Airweave on this machine, with as much of its API as an import reads. The answers have the types of the vendor's SDK;
 * paths, pages, errors and webhooks, which the SDK does not have, are as in the vendor's server (backend/airweave/api/v1).
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json as bodyOf } from 'node:stream/consumers';
import type { AirweaveSDK } from '@airweave/sdk';

export const AIRWEAVE_KEY = 'aw-key-of-the-tests-0123456789';

interface FakeWebhook {
  readonly id: string;
  readonly url: string;
  readonly filter_types: readonly string[] | null;
  readonly disabled: boolean;
  readonly description: null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly health_status: 'unknown';
}

interface FakeAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type AirweaveServer = Awaited<ReturnType<typeof openAirweaveServer>>;

export async function openAirweaveServer() {
  const collections: AirweaveSDK.Collection[] = [];
  const connections: AirweaveSDK.SourceConnection[] = [];
  const webhooks: FakeWebhook[] = [];
  const heard: string[] = [];
  /** These answer the next requests for a path, before the API does. */
  const faults: { readonly path: string; readonly answer: FakeAnswer }[] = [];
  const times = () => ({ created_at: now(), modified_at: now() });

  function addCollection({ name, readable_id }: Partial<AirweaveSDK.CollectionCreate>) {
    const collection: AirweaveSDK.Collection = {
      id: randomUUID(),
      name: name ?? '',
      readable_id: readable_id ?? `${name?.toLowerCase()}-a1b2c3`,
      vector_size: 3072,
      embedding_model_name: 'text-embedding-3-large',
      organization_id: ORGANIZATION,
      status: 'NEEDS SOURCE',
      ...times(),
    };
    collections.push(collection);
    return collection;
  }

  /** Pydantic writes what is missing as null, which the types of the SDK do not say. */
  function addConnection(given: Partial<AirweaveSDK.SourceConnection>) {
    const connection: AirweaveSDK.SourceConnection = {
      id: randomUUID(),
      name: 'A connection',
      short_name: 'github',
      readable_collection_id: 'nowhere',
      status: 'active',
      auth: { method: 'direct', authenticated: true },
      federated_search: false,
      ...times(),
      ...given,
    };
    connections.push(connection);
    return connection;
  }

  const addWebhook = (given: Partial<FakeWebhook>) => {
    webhooks.push({
      id: randomUUID(),
      url: 'https://hooks.example.com/airweave',
      filter_types: null,
      disabled: false,
      description: null,
      created_at: now(),
      updated_at: now(),
      health_status: 'unknown',
      ...given,
    });
  };

  const listItem = (one: AirweaveSDK.SourceConnection): AirweaveSDK.SourceConnectionListItem => ({
    id: one.id,
    name: one.name,
    short_name: one.short_name,
    readable_collection_id: one.readable_collection_id,
    created_at: one.created_at,
    modified_at: one.modified_at,
    is_authenticated: one.auth.authenticated,
    auth_method: one.auth.method,
    status: one.status,
    entity_count: 0,
  });

  async function answer(request: IncomingMessage, url: URL): Promise<FakeAnswer> {
    if (request.headers['x-api-key'] === undefined) return refusal(401, 'No valid authentication');
    if (request.headers['x-api-key'] !== AIRWEAVE_KEY)
      return refusal(403, `Invalid or expired API key ${request.headers['x-api-key']}`);
    const at = faults.findIndex(({ path }) => url.pathname === path);
    const [fault] = at < 0 ? [] : faults.splice(at, 1);
    if (fault) return fault.answer;
    const [, what, id, ...more] = url.pathname.replace(/\/$/, '').split('/');
    const whole = [request.method, what, id === undefined ? '' : 'id', ...more].join(' ').trim();
    switch (whole) {
      case 'GET collections':
        return page(collections, url);
      case 'POST collections':
        return ok(addCollection((await bodyOf(request)) as AirweaveSDK.CollectionCreate));
      case 'GET collections id':
        return found(collections.find(({ readable_id }) => readable_id === id));
      case 'GET source-connections':
        return page(connections.map(listItem), url);
      case 'GET source-connections id':
        return found(connections.find((one) => one.id === id));
      case 'GET webhooks id':
        return id === 'subscriptions' ? ok(webhooks) : refusal(404, 'Not Found');
      default:
        return refusal(404, 'Not Found');
    }
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://airweave');
    heard.push(`${request.method} ${url.pathname}${url.search}`);
    void answer(request, url).then(({ status, body, headers }) => {
      const isText = typeof body === 'string';
      response.writeHead(status, {
        'content-type': isText ? 'text/html' : 'application/json',
        ...headers,
      });
      response.end(isText ? body : JSON.stringify(body));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    collections,
    connections,
    webhooks,
    heard,
    addCollection,
    addConnection,
    addWebhook,
    /** Answers the next `times` requests for the path in this way. */
    fail(path: string, answer: FakeAnswer, times = 1): void {
      for (let i = 0; i < times; i++) faults.push({ path, answer });
    },
    reset(): void {
      for (const list of [collections, connections, webhooks, heard, faults]) list.length = 0;
    },
    close: () => server.close(),
  };
}

const ORGANIZATION = randomUUID();
const now = () => new Date().toISOString();
const ok = (body: unknown): FakeAnswer => ({ status: 200, body });
const refusal = (status: number, detail: string): FakeAnswer => ({ status, body: { detail } });
const found = (thing: unknown) => (thing === undefined ? refusal(404, 'Not found') : ok(thing));

/** Lists have the newest first. */
function page(things: readonly unknown[], url: URL): FakeAnswer {
  const skip = Number(url.searchParams.get('skip') ?? 0);
  const limit = Number(url.searchParams.get('limit') ?? 100);
  if (!(skip >= 0 && limit >= 1 && limit <= 1000)) return refusal(422, 'Input should be in range');
  return ok(things.toReversed().slice(skip, skip + limit));
}
