/** Validates a part of a body whose schema depends on other parts, such as the settings of a source. */
import type { z } from 'zod';
import { explain, refusedFor } from './validate.ts';

/** Returns the valid value. Throws a 422 with a fault for each wrong field; `loc` is the path of the part in the request. */
export function parsePart<T>(schema: z.ZodType<T>, value: unknown, loc: readonly string[]): T {
  const parsed = schema.safeParse(value, { error: explain });
  if (parsed.success) return parsed.data;
  throw refusedFor(parsed.error.issues, loc);
}
