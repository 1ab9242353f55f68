/** The settings of transformers say where their functions are, and what one call of them may take. */
import { resolve } from 'node:path';
import { z } from 'zod';

export const TRANSFORMER_SETTINGS = {
  QUARRY_TRANSFORMERS_DIR: z
    .string()
    .min(1)
    .transform((path) => resolve(path))
    .optional()
    .describe(
      'Folder of the modules of transformers. Without it only the transformers of the system run.',
    ),
  QUARRY_TRANSFORMERS_SECONDS: z
    .string()
    .regex(/^\d{1,4}$/, 'give a number of seconds')
    .default('30')
    .transform(Number)
    .pipe(z.number().min(1, 'give at least 1 second'))
    .describe('Longest time of one call of a transformer, with at most 100 entities.'),
  QUARRY_TRANSFORMERS_MEMORY_MB: z
    .string()
    .regex(/^\d{1,6}$/, 'give a number of megabytes')
    .default('512')
    .transform(Number)
    .pipe(z.number().min(128, 'give at least 128 megabytes'))
    .describe('Memory that the process of the transformers of a sync may take.'),
};
