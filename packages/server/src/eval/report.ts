/** The report gives the figures of an evaluation, as data and as a table. */
import type { CollectionWeights } from '../search/own-weights.ts';
import { instant } from '../util.ts';
import { differenceInterval, type Gain, mean, percentile, type Quality } from './metrics.ts';
import type { SetResult, StageResult } from './run.ts';
import { BASELINE } from './stages.ts';

interface ReportRow {
  readonly stage: string;
  readonly ndcg10: number;
  /** The ratio is nDCG@10 divided by that of the baseline. */
  readonly ratio: number;
  readonly recall100: number;
  readonly mrr: number;
  /**
   * This is how much nDCG@10 differs from that of the stage `against`: the mean difference, and its 95 % interval from
   * the differences of the single queries. It is null for the baseline.
   */
  readonly difference: (Gain & { readonly against: string }) | null;
  /** The latency of a search is in milliseconds; it is null for the baseline. */
  readonly latency: { readonly p50: number; readonly p95: number } | null;
}

export interface ReportTable {
  readonly title: string;
  /**
   * The note says whether the collection's own weights are used or outdated. It is absent when the collection has none,
   * and in the table of the mean.
   */
  readonly note?: string;
  readonly rows: readonly ReportRow[];
}

/**
 * Returns one table for each set. When there are several sets, another table has their mean, in which each set counts
 * the same.
 */
export function tablesOf(sets: readonly SetResult[]): ReportTable[] {
  const tables = sets.map((set) => ({
    title: `${set.set}: ${set.documents} documents, ${set.queries} queries`,
    ...noteOf(set.weights),
    rows: rowsOf([set]),
  }));
  return sets.length === 1
    ? tables
    : [...tables, { title: `mean of ${sets.length} sets`, rows: rowsOf(sets) }];
}

function noteOf({ own, outdated }: CollectionWeights): { note?: string } {
  if (!own) return {};
  const fit = `${instant(own.fittedAt)} (${own.queries} queries, ${gainText(own.gain)} nDCG@10)`;
  return outdated === null
    ? { note: `The collection uses its own weights since ${fit}.` }
    : { note: `The collection's own weights of ${fit} are outdated and not used: ${outdated}.` };
}

function rowsOf(sets: readonly SetResult[]): ReportRow[] {
  const stages = sets[0]?.stages ?? [];
  const measured = (name: string, measure: keyof Quality) =>
    sets.map((set) => find(set, name).qualities.map((quality) => quality[measure]));
  const average = (name: string, measure: keyof Quality) => mean(measured(name, measure).map(mean));
  return stages.map(({ stage, against }) => {
    const took = sets.flatMap((set) => find(set, stage).took);
    const ndcg10 = average(stage, 'ndcg10');
    return {
      stage,
      ndcg10,
      ratio: ndcg10 / average(BASELINE, 'ndcg10'),
      recall100: average(stage, 'recall100'),
      mrr: average(stage, 'mrr'),
      difference: against === null ? null : differenceOf(against),
      latency:
        took.length === 0 ? null : { p50: percentile(took, 0.5), p95: percentile(took, 0.95) },
    };

    function differenceOf(other: string) {
      const before = measured(other, 'ndcg10');
      const after = measured(stage, 'ndcg10');
      const interval = differenceInterval(before.map((a, i) => ({ a, b: after[i]! })));
      return { against: other, mean: ndcg10 - average(other, 'ndcg10'), ...interval };
    }
  });
}

function find(set: SetResult, stage: string): StageResult {
  const result = set.stages.find((one) => one.stage === stage);
  if (!result) throw new Error(`${set.set} has no figures of ${stage}`);
  return result;
}

const HEAD = ['stage', 'nDCG@10', '× bm25', 'R@100', 'MRR', 'difference (95 %)', 'ms p50 / p95'];

export function tableText({ title, note, rows }: ReportTable): string {
  const cells = rows.map(({ stage, ndcg10, ratio, recall100, mrr, difference, latency }) => [
    stage,
    ndcg10.toFixed(4),
    ratio.toFixed(3),
    recall100.toFixed(4),
    mrr.toFixed(4),
    difference ? `${gainText(difference)} vs ${difference.against}` : '',
    latency ? `${latency.p50.toFixed(1)} / ${latency.p95.toFixed(1)}` : '',
  ]);
  return `${title}\n\n${note ? `${note}\n\n` : ''}${markdownTable(HEAD, cells)}`;
}

/** The table is Markdown, so that it can be put into a document as it is. */
export function markdownTable(head: readonly string[], body: readonly (readonly string[])[]) {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...body].map((row) => row[column]!.length)),
  );
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |\n`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|\n`;
  return `${line(head)}${rule}${body.map(line).join('')}`;
}

/** Writes a mean difference with its interval. */
export const gainText = ({ mean: middle, low, high }: Gain): string =>
  `${signed(middle)} (${signed(low)} .. ${signed(high)})`;

const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(4)}`;
