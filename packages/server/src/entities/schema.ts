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

export const EntityAccess = z
  .object({
    viewers: z
      .array(z.string())
      .nullable()
      .describe('Principals that may see the record; null when its source does not restrict it.'),
    is_public: z.boolean(),
    asked: z
      .object({
        principal: z.string(),
        may_see: z.boolean(),
        reason: z
          .enum(['public', 'unrestricted', 'named', 'group', 'none'])
          .describe(
            'Why: everybody may see it, its source does not restrict it, it names the principal, or only groups of the principal; `none` when the principal may not see it.',
          ),
        through: z
          .array(z.string())
          .describe('Viewers of the record to which the principal belongs as a member.'),
      })
      .nullable()
      .describe('Answer about the `principal` of the query; null without one.'),
  })
  .meta({ id: 'EntityAccess' });
export type EntityAccess = z.infer<typeof EntityAccess>;
