/**
 * Turns cosines into numbers from 0 to 1, which a score can add to other features.
 *
 * The cosines of one embedding model lie around 0.3 and differ by 0.12, those of another model lie around 0.8 and
 * differ by 0.03. So a cosine is compared with the cosines of the collection's own texts: 0 means as near as two texts
 * of the collection are on average, and 1 means nearer by DEVIATIONS standard deviations. The built-in embedder needs
 * no comparison: its cosines lie around 0, and the weights were chosen for them as they are.
 */
import type { CosineRange } from '../engines/ports.ts';

/** Turns a cosine into a number from 0 to 1. */
export type Meaning = (cosine: number) => number;

/**
 * Chance alone makes a text of a large collection nearer than the mean by four standard deviations, and an answer is
 * nearer still.
 */
const DEVIATIONS = 6;

/** Rounded vectors may be a little longer than 1. */
const clamped = (value: number): number => Math.min(1, Math.max(0, value));

export const plainMeaning: Meaning = clamped;

export const meaningIn =
  ({ mean, spread }: CosineRange): Meaning =>
  (cosine) =>
    clamped((cosine - mean) / (DEVIATIONS * spread));

/** Many models are like this. It stands for the range of a collection that has too few texts to be measured. */
export const USUAL_RANGE: CosineRange = { mean: 0.3, spread: 0.12 };
