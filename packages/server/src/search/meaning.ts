/**
 * Turns cosines into numbers from 0 to 1, which a score can add to other features.
 *
 * The cosines of one embedding model have a mean of 0.3 and a standard deviation of 0.12, those of another model a mean
 * of 0.8 and a standard deviation of 0.03. So a cosine is compared with the cosines of the collection's own texts: 0
 * means as near as two texts of the collection are on average, and 1 means nearer by DEVIATIONS standard deviations.
 * The built-in embedder needs no comparison: its cosines have a mean near 0, and the weights were chosen for them.
 */
import type { CosineRange } from '../engines/ports.ts';

/** Turns a cosine into a number from 0 to 1. */
export type Meaning = (cosine: number) => number;

/**
 * In a large collection, some text is nearer than the mean by four standard deviations only by chance, and an answer is
 * even nearer.
 */
const DEVIATIONS = 6;

/** Rounded vectors may be a little longer than 1. */
const clamped = (value: number): number => Math.min(1, Math.max(0, value));

export const plainMeaning: Meaning = clamped;

export const meaningIn =
  ({ mean, spread }: CosineRange): Meaning =>
  (cosine) =>
    clamped((cosine - mean) / (DEVIATIONS * spread));

/** This range is usual for many models. It is used for a collection whose range has not been measured. */
export const USUAL_RANGE: CosineRange = { mean: 0.3, spread: 0.12 };
