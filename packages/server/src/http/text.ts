/** Text whose length is counted in characters, as JSON Schema counts: an emoji is one. */
import { z } from 'zod';

export const characters = (min: number, max: number) =>
  z
    .string()
    .check(({ value, issues }) => {
      const length = [...value].length;
      const issue = { origin: 'string', inclusive: true, input: value } as const;
      if (length < min)
        issues.push({
          ...issue,
          code: 'too_small',
          minimum: min,
          message: `use at least ${min} characters`,
        });
      if (length > max)
        issues.push({
          ...issue,
          code: 'too_big',
          maximum: max,
          message: `use at most ${max} characters`,
        });
    })
    .meta({ minLength: min, maxLength: max });
