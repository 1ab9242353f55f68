/** This report shows what a fit of weights gains, as data and as text. */
import type { CollectionWeights } from '../search/own-weights.ts';
import { FEATURES, type RerankWeights } from '../search/rank.ts';
import { instant } from '../util.ts';
import { FOLDS } from './cross-validate.ts';
import { isGain, type SetFit } from './fit-set.ts';
import type { Gain } from './metrics.ts';
import { gainText, markdownTable } from './report.ts';

export interface FitReport {
  readonly title: string;
  /** The figures are means of nDCG@10. */
  readonly ndcg10: { readonly default: number; readonly fitted: number };
  readonly difference: Gain;
  readonly weights: {
    readonly default: RerankWeights;
    readonly fitted: RerankWeights;
    /** These weights are fitted without one fold each. */
    readonly folds: readonly RerankWeights[];
  };
  /** This is true when the collection uses the fitted weights from now on. */
  readonly stored: boolean;
  readonly outcome: string;
}

export interface FitCircumstances {
  readonly before: CollectionWeights;
  /** With a dry run, nothing is stored. */
  readonly isDry: boolean;
}

export function fitReport(fit: SetFit, { before, isDry }: FitCircumstances): FitReport {
  const stored = isGain(fit) && !isDry;
  return {
    title: `${fit.set}: ${fit.documents} documents, ${fit.queries} queries, ${FOLDS} folds`,
    ndcg10: { default: fit.before, fitted: fit.after },
    difference: fit.gain,
    weights: { default: fit.defaults, fitted: fit.weights, folds: fit.folds },
    stored,
    outcome: outcomeOf(fit, { before, isDry }),
  };
}

function outcomeOf(fit: SetFit, { before: { own, outdated }, isDry }: FitCircumstances): string {
  const { set } = fit;
  if (isGain(fit)) {
    if (isDry) return `Without --dry-run, searches of ${set} would use the fitted weights.`;
    return `Searches of ${set} use the fitted weights from now on; quarry eval --collection ${set} --reset-weights removes them.`;
  }
  const kept =
    own && outdated === null
      ? `The collection keeps its own weights of ${instant(own.fittedAt)}`
      : 'The default weights stay';
  const why =
    fit.gain.mean > 0
      ? 'the gain on queries that the fit has not seen may be chance, because its interval reaches down to 0 or below'
      : 'the fitted weights gain nothing on queries that the fit has not seen';
  return `${kept}: ${why}.`;
}

export function fitText({ title, ndcg10, difference, weights, outcome }: FitReport): string {
  const qualities = markdownTable(
    ['weights', 'nDCG@10', 'difference (95 %)'],
    [
      ['default', ndcg10.default.toFixed(4), ''],
      ['fitted, on queries not seen', ndcg10.fitted.toFixed(4), gainText(difference)],
    ],
  );
  const features = markdownTable(
    ['feature', 'default', 'fitted', 'in the folds'],
    FEATURES.map((name) => {
      const folds = weights.folds.map((fold) => fold[name]);
      return [
        name,
        short(weights.default[name]),
        short(weights.fitted[name]),
        `${short(Math.min(...folds))} .. ${short(Math.max(...folds))}`,
      ];
    }),
  );
  return `${title}\n\n${qualities}\n${features}\n${outcome}\n`;
}

const short = (weight: number): string => `${Number(weight.toPrecision(3))}`;
