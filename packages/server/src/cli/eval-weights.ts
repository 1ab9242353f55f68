/** `quarry eval --fit` and `--reset-weights` change a collection's own weights of the reranker. */
import { type FitReport, fitReport } from '../eval/fit-report.ts';
import { FEWEST_QUERIES, fitSet, isGain } from '../eval/fit-set.ts';
import type { JudgedSet } from '../eval/judged.ts';
import type { Library } from '../eval/library.ts';
import type { LiveLine } from './live-line.ts';

export interface FitRun {
  readonly seed: number;
  /** With a dry run, nothing is stored. */
  readonly isDry: boolean;
  readonly line: LiveLine;
}

/** Stores the fitted weights only when even the lower end of the interval of their gain is above 0. */
export async function fitWeightsOf(
  library: Library,
  set: JudgedSet,
  { seed, isDry, line }: FitRun,
): Promise<FitReport> {
  const queries = set.queries.length;
  if (queries < FEWEST_QUERIES)
    throw new Error(
      `--fit needs at least ${FEWEST_QUERIES} queries with an answer, and ${set.name} has ${queries}`,
    );
  const before = await library.weights();
  const done = (what: string) => line.show(`${set.name}: ${what}`);
  const fit = await fitSet(library, set, { seed, done });
  if (isGain(fit) && !isDry)
    await library.storeWeights({
      weights: fit.weights,
      embedder: library.embedder,
      fittedAt: Date.now(),
      queries,
      gain: fit.gain,
    });
  return fitReport(fit, { before, isDry });
}

/** Removes the collection's own weights, and returns a sentence for the user. */
export async function resetWeightsOf(library: Library, collection: string): Promise<string> {
  const { own } = await library.weights();
  if (!own) return `Searches of ${collection} use the default weights already.\n`;
  await library.storeWeights(null);
  return `Searches of ${collection} use the default weights from now on.\n`;
}
