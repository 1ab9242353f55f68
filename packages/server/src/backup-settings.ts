/** The settings of backups that the service makes by itself: where they go, when, and who may ask for them. */
import { resolve } from 'node:path';
import { z } from 'zod';

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const SHORTEST_MS = 10 * UNITS.m;

const milliseconds = (text: string): number =>
  Number(text.slice(0, -1)) * UNITS[text.slice(-1) as keyof typeof UNITS];

export const BACKUP_SETTINGS = {
  QUARRY_BACKUP_DIR: z
    .string()
    .min(1)
    .transform((path) => resolve(path))
    .optional()
    .describe(
      'Folder into which the service writes backups, by the API and by schedule. All processes need the same folder. Without it, only the command quarry backup makes them.',
    ),
  QUARRY_BACKUP_EVERY: z
    .string()
    .regex(/^\d{1,4}[mhd]$/, 'give a number with its unit, such as 30m, 6h or 1d')
    .refine((text) => milliseconds(text) >= SHORTEST_MS, 'give at least 10m')
    .optional()
    .describe(
      'Time between two scheduled backups, such as 6h or 1d. Without it, no backup is scheduled.',
    ),
  QUARRY_BACKUP_KEEP: z
    .string()
    .regex(/^\d{1,4}$/, 'give a number of backups')
    .default('7')
    .transform(Number)
    .pipe(z.number().min(1, 'give at least 1'))
    .describe(
      'Number of scheduled backups that are kept. Older ones are removed after a new one is complete. Backups by the API stay until somebody deletes them.',
    ),
  QUARRY_OPERATOR_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{32,}$/, 'use at least 32 characters of ASCII, without spaces')
    .optional()
    .describe(
      'Key of the operator for backups by the API, which hold all organizations. Without it, only the admin of every organization of a single-user install may make and read them.',
    ),
};

const BackupValues = z.object(BACKUP_SETTINGS);

/** The worker writes backups into this folder. */
export interface BackupPlan {
  readonly folder: string;
  /** It is null when no backup is scheduled. */
  readonly everyMs: number | null;
  readonly keep: number;
}

/** Returns null when the settings name no folder. Throws an Error with a message for the operator. */
export function backupsOf(
  values: z.infer<typeof BackupValues> & { readonly QUARRY_API_KEY?: string | undefined },
): BackupPlan | null {
  const { QUARRY_BACKUP_DIR: folder, QUARRY_BACKUP_EVERY: every } = values;
  const { QUARRY_OPERATOR_KEY: operatorKey, QUARRY_API_KEY: apiKey } = values;
  if (operatorKey !== undefined && operatorKey === apiKey)
    throw new Error(
      'QUARRY_OPERATOR_KEY and QUARRY_API_KEY are the same: use another key, because the admins of an organization can have the first API key',
    );
  if (folder === undefined && every !== undefined)
    throw new Error(
      'QUARRY_BACKUP_EVERY schedules backups, which need a folder: set QUARRY_BACKUP_DIR too',
    );
  if (folder === undefined) return null;
  const everyMs = every === undefined ? null : milliseconds(every);
  return { folder, everyMs, keep: values.QUARRY_BACKUP_KEEP };
}
