/**
 * A recording is transcribed by a model on another server, which this process cannot reach (`recordings.ts`), so a recording
 * inside of another file, such as an archive, is left out.
 */
import type { Convert } from '../convert.ts';

export const convert: Convert = async () => ({
  reason: 'of a kind without text',
  detail: 'a recording inside of another file',
  hint: 'Store it as a file of its own: the next sync reads what is spoken.',
});
