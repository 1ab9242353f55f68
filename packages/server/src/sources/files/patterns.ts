/** The schema of the patterns of a configuration that say which files are read. */
import { z } from 'zod';
import { isTooAmbiguous, MAX_GLOBSTARS } from './rules.ts';

const Pattern = z
  .string()
  .min(1)
  .max(1000)
  .refine((pattern) => !isTooAmbiguous(pattern), `use ** at most ${MAX_GLOBSTARS} times`);
export const PatternList = z.array(Pattern).max(1000);
