/**
 * The push source: what callers send is stored as it came, and worked off by a job of its own.
 *
 * The body is a row in the transaction of its job, so an accepted push survives any crash. It is
 * applied in one transaction; of one id twice the later wins.
 */
import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import { type Item, remove, upsert } from '../sources/define.ts';

export const MAX_PUSHED = 1000;
export const MAX_PUSH_BYTES = 10 * 1024 * 1024;

const id = z.string().min(1).max(1024);

const PushedEntity = z
  .strictObject({
    entity_id: id,
    name: z.string().min(1).max(1024),
    text: z.string(),
    entity_type: z
      .string()
      .min(1)
      .max(128)
      .optional()
      .describe('PushedEntity when omitted.'),
    url: z.url().optional(),
    breadcrumbs: z
      .array(z.strictObject({ entity_id: z.string(), name: z.string(), entity_type: z.string() }))
      .max(100)
      .optional()
      .describe('From the root to the parent.'),
    created_at: z.iso.datetime({ offset: true }).optional(),
    updated_at: z.iso.datetime({ offset: true }).optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
    access: z
      .strictObject({
        viewers: z.array(z.string().regex(/^(user|group):.+$/)).nullable(),
        is_public: z.boolean(),
      })
      .optional(),
  })
  .meta({ id: 'PushedEntity' });

export const Push = z
  .strictObject({
    entities: z.array(PushedEntity).default([]),
    delete: z.array(id).default([]),
  })
  .meta({ id: 'Push' });
export type Push = z.infer<typeof Push>;

/** What is stored of a push until its job has ended. */
export const packPush = (push: Push): Uint8Array => gzipSync(JSON.stringify(push), { level: 1 });

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
