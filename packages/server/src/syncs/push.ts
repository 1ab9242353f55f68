/**
 * The push source: what callers send is stored as it came, and worked off by a job of its own.
 *
 * The body is a row in the transaction of its job, so an accepted push survives any crash. It is
 * applied in one transaction; of one id twice the later wins.
 */
import { promisify } from 'node:util';
import { gunzipSync, gzip } from 'node:zlib';
import { type Item, remove, upsert } from '../sources/define.ts';
import type { Push } from './schema.ts';

/** What is stored of a push until its job has ended. */
export const packPush = (push: Push): Promise<Uint8Array> =>
  promisify(gzip)(JSON.stringify(push), { level: 1 });

export function* pushedItems(body: Uint8Array): Generator<Item, void, void> {
  const push: Push = JSON.parse(gunzipSync(body).toString('utf8'));
  for (const entity of push.entities) yield upsert(toEntity(entity));
  for (const entityId of push.delete) yield remove(entityId);
}

const toEntity = (pushed: Push['entities'][number]) => ({
  id: pushed.entity_id,
  type: pushed.entity_type ?? 'PushedEntity',
  name: pushed.name,
  text: pushed.text,
  url: pushed.url,
  breadcrumbs: pushed.breadcrumbs?.map(({ entity_id, name, entity_type }) => ({
    id: entity_id,
    name,
    type: entity_type,
  })),
  createdAt: pushed.created_at === undefined ? undefined : new Date(pushed.created_at),
  updatedAt: pushed.updated_at === undefined ? undefined : new Date(pushed.updated_at),
  access: pushed.access && {
    viewers: pushed.access.viewers,
    isPublic: pushed.access.is_public,
  },
  fields: pushed.metadata ?? {},
});
