/** Makes one of each thing that a path of the API can name, and lists a valid body for each route that needs a body. */
import assert from 'node:assert/strict';
import { newId } from '../../util.ts';
import { sealedText } from '../sealed.ts';
import type { Caller, TestApi } from './harness.ts';
import { insertAuthProvider, insertConnection, insertEntity, insertSyncJob } from './rows.ts';

/** Routes that need a body get a valid one, so that the answer depends on the path alone. */
export const BODIES: Readonly<Record<string, unknown>> = {
  'PATCH /v1/collections/{readable_id}': {},
  'POST /v1/search': { query: 'x' },
  'PATCH /v1/members/{id}': { role: 'read' },
  'PATCH /v1/organizations/{id}': {},
  'PATCH /v1/source-connections/{id}': {},
  'PUT /v1/source-rate-limits/{source_short_name}': { limit: 5 },
  'PUT /v1/transformers/{id}': {},
  'POST /v1/collections/{readable_id}/agentic-search': { query: 'words' },
  'POST /v1/collections/{readable_id}/agentic-search/stream': { query: 'words' },
  'POST /v1/collections/{readable_id}/contents/grep': { pattern: 'words' },
  'POST /v1/collections/{readable_id}/doctor': {},
  'POST /v1/collections/{readable_id}/search': { query: 'words' },
  'POST /v1/source-connections/{id}/entities': { delete: ['x'] },
  'POST /v1/sources/{short_name}/options': { field: 'x' },
  'PATCH /v1/webhooks/subscriptions/{id}': {},
  'PUT /v1/auth-providers/{readable_id}': {},
  'POST /v1/webhooks/subscriptions/{id}/recover': { since: '2026-01-01T00:00:00Z' },
};

/** These routes name things that belong to no organization. */
export const OF_EVERYBODY = [
  '/v1/sources/{short_name}',
  '/v1/sources/{short_name}/options',
  '/v1/entity-definitions/{id}',
  '/v1/source-rate-limits/{source_short_name}',
  '/v1/backups/{name}',
  '/v1/backups/{name}/check',
  '/v1/backups/{name}/content',
];

/** Only people who have signed in may use these routes. */
export const OF_SESSIONS = /^\/v1\/auth\/(?:sessions|password)/;

/** These things are in one collection. `fill` puts their identifiers into a path of the API. */
export interface Things {
  readonly ids: readonly string[];
  readonly connection: string;
  fill(path: string): string;
}

type Ids = Readonly<Record<string, string>>;

/**
 * Makes a new collection with one of each thing that a collection contains, by calls with a key of the organization.
 */
export async function collectionThings(
  api: TestApi,
  { key, organizationId }: Pick<Caller, 'key' | 'organizationId'>,
  readableId: string,
): Promise<Things> {
  const body = { name: 'Things', readable_id: readableId };
  const collection = (await api.call('POST', '/v1/collections', { body, key })).body;
  const connection = await insertConnection(api.db, collection);
  const owner = { id: connection, organization_id: organizationId };
  const job = await insertSyncJob(api.db, owner, 'COMPLETED');
  const entity = await insertEntity(api.db, {
    connection_id: connection,
    collection_id: collection.id,
    organization_id: organizationId,
  });
  const { body: run } = await api.call('POST', `/v1/collections/${readableId}/reindex`, { key });
  return things(
    [collection.id, connection, job, entity, run.id],
    connection,
    { readable_id: readableId, job_id: job, entity_id: entity, run_id: run.id },
    { 'source-connections': connection },
    `source-${entity}`,
  );
}

/** Makes such a collection, and one of each thing that an organization has besides its collections. */
export async function belongings(
  api: TestApi,
  { key, organizationId }: Pick<Caller, 'key' | 'organizationId'>,
  readableId = 'only-theirs',
): Promise<Things & { readonly key: string }> {
  const inside = await collectionThings(api, { key, organizationId }, readableId);
  const transformer = newId();
  await api.db
    .insertInto('transformers')
    .values({
      id: transformer,
      organization_id: organizationId,
      name: 'Theirs',
      method_name: 'copy',
      module_name: 'copy.js',
      config_schema: '{}',
      input_definitions: '[]',
      output_definitions: '[]',
      created_at: 0,
      modified_at: 0,
      created_by_email: 'a@b.c',
      modified_by_email: 'a@b.c',
    })
    .execute();
  const provider = newId();
  await insertAuthProvider(
    api.db,
    { organization_id: organizationId },
    {
      ...{ id: provider, readable_id: readableId },
      ...{ credentials: sealedText('x'), credentials_key: 'k' },
    },
  );
  const post = async (url: string, body: unknown) =>
    (await api.call('POST', url, { key, body })).body;
  const hook = { url: 'https://theirs.example.com', event_types: ['sync.completed'] };
  const subscription = await post('/v1/webhooks/subscriptions', hook);
  const since = { since: '2026-01-01T00:00:00Z' };
  const task = await post(`/v1/webhooks/subscriptions/${subscription.id}/recover`, since);
  const [message] = (await api.call('GET', '/v1/webhooks/messages', { key })).body;
  const member = await post('/v1/members', { email: 'theirs@example.com', role: 'read' });
  const [apiKey] = (await api.call('GET', '/v1/api-keys', { key })).body;
  const outside = things(
    [
      subscription.id,
      task.id,
      message.id,
      member.id,
      apiKey.id,
      transformer,
      provider,
      organizationId,
    ],
    inside.connection,
    { task_id: task.id, message_id: message.id },
    {
      subscriptions: subscription.id,
      'api-keys': apiKey.id,
      members: member.id,
      organizations: organizationId,
      transformers: transformer,
    },
  );
  return {
    key,
    ids: [...inside.ids, ...outside.ids],
    connection: inside.connection,
    fill(path) {
      const url = outside.fill(inside.fill(path));
      assert.ok(!url.includes('{'), `${url} has a parameter for which no identifier is known`);
      return url;
    },
  };
}

/**
 * `named` has identifiers by the name of their parameter. `idIn` has the identifiers of parameters called `id`, by the
 * part of the path before the parameter.
 */
const things = (
  ids: readonly string[],
  connection: string,
  named: Ids,
  idIn: Ids,
  record?: string,
): Things => ({
  ids,
  connection,
  fill(path) {
    const filled = path.replaceAll(
      /\/([\w-]+)\/\{(\w+)\}/g,
      (all, before: string, name: string) => {
        const value = named[name] ?? (name === 'id' ? idIn[before] : undefined);
        return value === undefined ? all : `/${before}/${value}`;
      },
    );
    if (filled.endsWith('/contents/tree')) return `${filled}?source_connection_id=${connection}`;
    return record !== undefined && filled.endsWith('/read') ? `${filled}?id=${record}` : filled;
  },
});
