/** These are the wire shapes of maintenance. */
import { z } from 'zod';

const count = z.int().min(0);
const when = z.iso.datetime().nullable();

const MaintenanceProblem = z
  .object({
    kind: z.string().describe('Stable: programs branch on it.'),
    title: z.string().describe('What they are, in words.'),
    count,
    examples: z.array(z.string()).describe('Up to ten of them: ids of entity records or chunks.'),
    repairable: z.boolean(),
    hint: z.string().nullable().describe('What to do about what no repair can heal.'),
  })
  .meta({ id: 'MaintenanceProblem' });
export type MaintenanceProblem = z.infer<typeof MaintenanceProblem>;

export const MaintenanceRun = z
  .object({
    id: z.uuid(),
    kind: z.enum(['reindex', 'doctor']),
    status: z.enum(['PENDING', 'RUNNING', 'COMPLETED', 'FAILED']),
    collection_readable_id: z.string(),
    entities_total: count.describe('As many as there were when it began.'),
    entities_done: count,
    entities_rewritten: count.describe('Of those done: whose words and vectors were made anew.'),
    entities_failed: count.describe('Of those done: whose stored record cannot be read.'),
    problems: z.array(MaintenanceProblem).describe('What a comparison with the source has found.'),
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
      .describe('Writes anew, in the background, what is broken and can be repaired.'),
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
      words: count.describe('Chunks whose words were looked at.'),
      vectors: count,
      in_memory: count.describe(
        'Vectors in the memory of the process that answers; others have copies of their own.',
      ),
    }),
    pending: z
      .object({ source_connections: count, entities: count })
      .describe('Of deleted source connections, waiting for the clean-up. This is no problem.'),
    problems: z.array(MaintenanceProblem),
    run: MaintenanceRun.nullable().describe('The work in the background, if any was asked for.'),
  })
  .meta({ id: 'DoctorReport' });
export type Report = z.infer<typeof Report>;
