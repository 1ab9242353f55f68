/** These are the wire shapes of the doctor. */
import { z } from 'zod';
import { MAINTENANCE_KINDS, MAINTENANCE_STATUSES } from '../model/maintenance-status.ts';
import { PROBLEM_KINDS } from './problems.ts';

const count = z.int().min(0);
const when = z.iso.datetime().nullable();

const MaintenanceProblem = z
  .object({
    kind: z
      .enum(PROBLEM_KINDS)
      .describe('Name of the kind of problem. It is stable, so programs can branch on it.'),
    title: z.string().describe('Description of the problem in words.'),
    count,
    examples: z
      .array(z.string())
      .describe(
        'Up to ten examples of what is affected, such as ids of entities or numbers of chunks.',
      ),
    repairable: z.boolean(),
    hint: z
      .string()
      .nullable()
      .describe('What to do about a problem that a repair cannot solve; null when a repair can.'),
  })
  .meta({ id: 'MaintenanceProblem' });
export type MaintenanceProblem = z.infer<typeof MaintenanceProblem>;

export const MaintenanceRun = z
  .object({
    id: z.uuid(),
    kind: z.enum(MAINTENANCE_KINDS),
    status: z.enum(MAINTENANCE_STATUSES),
    collection_readable_id: z.string(),
    entities_total: count.describe('Number of entities that the run processes.'),
    entities_done: count,
    entities_rewritten: count.describe('Entities whose words and vectors were made again.'),
    entities_failed: count.describe('Entities whose stored record cannot be read.'),
    problems: z
      .array(MaintenanceProblem)
      .describe('Differences that a comparison with the source has found.'),
    errors: z.array(z.string()),
    created_at: z.iso.datetime(),
    created_by_email: z.string(),
    started_at: when,
    completed_at: when,
  })
  .meta({ id: 'MaintenanceRun' });
export type MaintenanceRun = z.infer<typeof MaintenanceRun>;

export const DoctorRequest = z
  .strictObject({
    repair: z
      .boolean()
      .default(false)
      .describe('Repairs the problems that can be repaired, in the background.'),
    source_connection_id: z
      .uuid()
      .optional()
      .describe('Also compares this connection, in the background, with what its source lists.'),
  })
  .meta({ id: 'DoctorRequest' });
export type DoctorRequest = z.infer<typeof DoctorRequest>;

export const Report = z
  .object({
    collection_readable_id: z.string(),
    checked: z.object({
      entities: count,
      chunks: count,
      words: count.describe('Number of chunks whose words were checked.'),
      vectors: count,
      in_memory: count.describe(
        'Number of chunks in the memory of the process that answers. Other processes have their own copies.',
      ),
    }),
    pending: z
      .object({ source_connections: count, entities: count })
      .describe(
        'Deleted source connections whose rows still wait for the clean-up, and their entities. They are not a problem.',
      ),
    problems: z.array(MaintenanceProblem),
    run: MaintenanceRun.nullable().describe(
      'Run that repairs or compares in the background; null when there is nothing to repair or compare.',
    ),
  })
  .meta({ id: 'DoctorReport' });
export type Report = z.infer<typeof Report>;
