/** Names and descriptions have a limited length, and something in them must be visible. */
import { z } from 'zod';

/**
 * These characters are invisible: white space, controls, marks that only change a letter before them, and
 * characters that are never drawn.
 */
const UNSEEN = /[\p{White_Space}\p{Cc}\p{Cf}\p{Cs}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * A text that is not empty must have a visible character. An emoji counts as one character, as JSON Schema counts.
 */
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
      if (length > 0 && value.replaceAll(UNSEEN, '') === '')
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
