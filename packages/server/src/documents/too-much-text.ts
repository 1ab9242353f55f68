import { MAX_CHARACTERS } from './kinds.ts';
import type { Omission } from './omission.ts';

/** This is the omission of a document of which the rest was not read, so its length is unknown. */
export const TOO_MUCH_TEXT: Omission = {
  reason: 'with too much text',
  detail: `more than ${MAX_CHARACTERS} characters`,
};
