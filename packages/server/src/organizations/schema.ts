/** These are the wire shapes of organizations. */
import { z } from 'zod';
import { characters } from '../http/text.ts';

const FEATURE_FLAGS = ['AGENTIC_SEARCH', 'SOURCE_RATE_LIMITING'] as const;
export const ALL_FEATURE_FLAGS: readonly string[] = FEATURE_FLAGS;

const Name = characters(1, 100);
const FeatureFlags = z.array(z.enum(FEATURE_FLAGS)).max(FEATURE_FLAGS.length);

export const NewOrganization = z.strictObject({ name: Name }).meta({ id: 'NewOrganization' });
export type NewOrganization = z.infer<typeof NewOrganization>;

export const OrganizationPatch = z
  .strictObject({
    name: Name.optional(),
    feature_flags: FeatureFlags.optional().describe(
      'These flags are on afterwards, and all others are off.',
    ),
    quotas: z
      .strictObject({
        agentic_queries_per_hour: z
          .int()
          .min(0)
          .nullable()
          .optional()
          .describe('Maximum number of agentic searches per hour; null: there is no limit.'),
      })
      .optional()
      .describe('Changes the named quotas; the others stay.'),
  })
  .meta({ id: 'OrganizationPatch' });
export type OrganizationPatch = z.infer<typeof OrganizationPatch>;

export const Organization = z
  .object({
    id: z.uuid(),
    name: z.string(),
    feature_flags: z.array(z.string()),
    quotas: z.record(z.string(), z.int().nullable()),
    created_at: z.iso.datetime(),
    modified_at: z.iso.datetime(),
  })
  .meta({ id: 'Organization' });
export type Organization = z.infer<typeof Organization>;

export const UsageDay = z
  .object({
    date: z.iso.date().describe('A day in UTC.'),
    searches: z.int().describe('Standard searches that were answered.'),
    agentic_searches: z.int().describe('Agentic searches that were accepted.'),
    records: z
      .int()
      .nullable()
      .describe(
        'Number of stored records when they were last counted on that day, which is done once an hour; null when they never were.',
      ),
  })
  .meta({ id: 'UsageDay' });
export type UsageDay = z.infer<typeof UsageDay>;
