/** These are the wire shapes of a collection. */
import { z } from 'zod';
import { characters } from '../http/text.ts';
import { MAX_READABLE_ID, READABLE_ID } from '../model/readable-id.ts';

const COLLECTION_STATUSES = ['NEEDS_SOURCE', 'ACTIVE', 'ERROR'] as const;

/** These ids are reserved because they are segments of routes below /v1/collections. */
const RESERVED: ReadonlySet<string> = new Set(['count', 'internal']);

const Name = characters(4, 64);

const SyncConfig = z
  .strictObject({
    handlers: z.strictObject({
      enable_vector_handlers: z
        .boolean()
        .describe(
          'When false, entities are stored, but not chunked or embedded, so no search finds them.',
        ),
      enable_metadata_handlers: z
        .boolean()
        .describe('When false, entities are found, but GET /v1/entities does not list them.'),
    }),
  })
  .nullable()
  .describe('Null means that both are true. A change takes effect with the next full sync.');

export const NewCollection = z
  .strictObject({
    name: Name,
    readable_id: z
      .string()
      .max(MAX_READABLE_ID)
      .regex(READABLE_ID, 'use lower-case letters and digits in groups joined by single hyphens')
      .refine((id) => !RESERVED.has(id), `${[...RESERVED].join(' and ')} are reserved`)
      .optional()
      .describe('Identifier of the collection in routes; made from the name when omitted.'),
    sync_config: SyncConfig.optional(),
  })
  .meta({ id: 'NewCollection' });
export type NewCollection = z.infer<typeof NewCollection>;

export const CollectionPatch = z
  .strictObject({ name: Name.optional(), sync_config: SyncConfig.optional() })
  .meta({ id: 'CollectionPatch' });
export type CollectionPatch = z.infer<typeof CollectionPatch>;

const count = z.int().min(0);

const CollectionEntities = z
  .object({
    total_entities: count,
    by_type: z.record(z.string(), z.object({ count })),
    by_source: z
      .record(z.string(), z.object({ count, source_connections: count }))
      .describe('By short_name of the source, for each source that a connection has.'),
  })
  .meta({ id: 'CollectionEntities' });

export const Collection = z
  .object({
    id: z.uuid(),
    name: z.string(),
    readable_id: z.string(),
    vector_size: z.int(),
    embedding_model_name: z.string(),
    sync_config: SyncConfig,
    status: z.enum(COLLECTION_STATUSES),
    true_as_of: z.iso
      .datetime()
      .nullable()
      .describe(
        'Oldest `true_as_of` of its source connections, federated ones left out; null when one of them has none yet, and without such a connection.',
      ),
    source_connections: count.describe('Number of its source connections.'),
    entities: CollectionEntities,
    organization_id: z.uuid(),
    created_at: z.iso.datetime(),
    modified_at: z.iso.datetime(),
    created_by_email: z.string(),
    modified_by_email: z.string(),
  })
  .meta({ id: 'Collection' });
export type Collection = z.infer<typeof Collection>;
