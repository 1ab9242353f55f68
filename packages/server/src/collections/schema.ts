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

export const Collection = z
  .object({
    id: z.uuid(),
    name: z.string(),
    readable_id: z.string(),
    vector_size: z.int(),
    embedding_model_name: z.string(),
    sync_config: SyncConfig,
    status: z.enum(COLLECTION_STATUSES),
    organization_id: z.uuid(),
    created_at: z.iso.datetime(),
    modified_at: z.iso.datetime(),
    created_by_email: z.string(),
    modified_by_email: z.string(),
  })
  .meta({ id: 'Collection' });
export type Collection = z.infer<typeof Collection>;
