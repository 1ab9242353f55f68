import type { z } from 'zod';

/** Returns a sentence for each fault that Quarry would find in the body of a request. */
export const faultsOf = (schema: z.ZodType, body: unknown): string[] =>
  schema
    .safeParse(body)
    .error?.issues.map(
      ({ path, message }) => `Quarry refuses its ${path.join('.')}: ${message}.`,
    ) ?? [];
