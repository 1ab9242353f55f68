/**
 * This is the wire shape of an entity record. It has only metadata; searches and the contents routes return the
 * content.
 */
import { z } from 'zod';

export const EntityRecord = z
  .object({
    id: z.uuid(),
    entity_id: z.string().describe('The identifier in the source.'),
    sync_job_id: z.uuid().describe('The job that created or last changed it.'),
    sync_id: z.uuid(),
    entity_definition_id: z.uuid().nullable(),
    hash: z.string().describe('sha256:<hex> of the content and of the fields that a search shows.'),
    organization_id: z.uuid(),
    created_at: z.iso.datetime(),
    modified_at: z.iso.datetime(),
  })
  .meta({ id: 'EntityRecord' });
export type EntityRecord = z.infer<typeof EntityRecord>;
