/**
 * The text of a recording is not made here (`recordings.ts`): the process of documents cannot reach the model. A recording
 * inside of another file comes no further than here.
 */
import type { Convert } from '../convert.ts';
import { RECORDING_INSIDE } from '../kinds.ts';

export const convert: Convert = async () => RECORDING_INSIDE;
