/** These are the wire shapes of backups that the service makes. */
import { z } from 'zod';
import { MAINTENANCE_STATUSES } from '../model/maintenance-status.ts';

const count = z.int().min(0);
const time = z.iso.datetime();

export const Backup = z
  .object({
    name: z.string().describe('Name of the file in the folder of backups.'),
    status: z.enum(MAINTENANCE_STATUSES),
    trigger: z
      .enum(['request', 'schedule'])
      .describe('Scheduled backups are removed when newer ones take their place.'),
    created_at: time,
    started_at: time
      .nullable()
      .describe('The backup has the state of the database shortly after this time.'),
    ended_at: time.nullable(),
    size_bytes: count.nullable(),
    tables: count.nullable(),
    rows: count.nullable(),
    digest: z
      .string()
      .nullable()
      .describe('Digest of all rows, which a restore of this backup prints, too.'),
    error: z.string().nullable().describe('Why there is no backup, and what to do.'),
    is_available: z
      .boolean()
      .describe(
        'The process that answers finds the file in its folder, as large as it was written.',
      ),
    check: z
      .object({
        status: z.enum(MAINTENANCE_STATUSES),
        ended_at: time.nullable(),
        error: z.string().nullable(),
      })
      .nullable()
      .describe('The last check of the file; null when nobody has asked for one.'),
  })
  .meta({ id: 'Backup' });
export type Backup = z.infer<typeof Backup>;
