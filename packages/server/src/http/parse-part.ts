/** Validates a part of a body whose schema depends on other parts, such as the settings of a source. */
import type { z } from 'zod';
import { AppError } from '../errors.ts';

/** Returns the valid value. Throws a 422 with a fault for each wrong field; `loc` is the path of the part in the request. */
export function parsePart<T>(schema: z.ZodType<T>, value: unknown, loc: readonly string[]): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.flatMap((issue) =>
    (issue.code === 'unrecognized_keys' ? issue.keys : [null]).map((key) => ({
      loc: [...loc, ...issue.path.map(String), ...(key === null ? [] : [key])],
      msg: issue.message,
      type: issue.code ?? 'invalid',
    })),
  );
  throw new AppError(422, 'the request is invalid', { code: 'invalid', faults });
}
