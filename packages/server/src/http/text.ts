/** Names and descriptions have a limited length and must have at least one visible character. */
import { z } from 'zod';

/**
 * These characters are invisible: white space, control characters, combining marks, and characters that are never
 * displayed.
 */
const INVISIBLE =
  /[\p{White_Space}\p{Cc}\p{Cf}\p{Cs}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** A text that is not empty must have a visible character. Lengths are counted in code points, as in JSON Schema. */
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
          message: `use at least ${min === 1 ? 'one character' : `${min} characters`}`,
        });
      if (length > 0 && value.replaceAll(INVISIBLE, '') === '')
        issues.push({
          ...issue,
          code: 'custom',
          message: 'use at least one character that can be seen: letters, digits, signs',
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
