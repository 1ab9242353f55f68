/** Prints the figures of the variants as tables of Markdown. */
import { differenceInterval, mean } from '../../packages/server/src/eval/metrics.ts';
import { type Figures, MEASURES, type Measure } from './figures.ts';
import type { Variant } from './variants.ts';

/** The figures of one set of questions, by the name of the variant. */
export type SetFigures = ReadonlyMap<string, readonly Figures[]>;

/** Sets have equal weight. A difference has its 95 % interval, and a star where the interval does not contain 0. */
export function tableOf(
  title: string,
  sets: readonly SetFigures[],
  variants: readonly Variant[],
): string {
  const values = (of: string, measure: Measure) =>
    sets.map((set) => set.get(of)!.map((figures) => figures[measure]));
  const rows = variants.map(({ name, against }) => {
    const cells = MEASURES.map((measure) => {
      const b = values(name, measure);
      const value = mean(b.map(mean)).toFixed(4);
      if (against === null) return value;
      const a = values(against, measure);
      const { low, high } = differenceInterval(b.map((of, i) => ({ a: a[i]!, b: of })));
      const star = low > 0 || high < 0 ? '*' : '';
      return `${value} (${signed(low)} .. ${signed(high)})${star}`;
    });
    return `| ${name} | ${against ?? ''} | ${cells.join(' | ')} |`;
  });
  const count = sets.reduce((sum, set) => sum + set.get(variants[0]!.name)!.length, 0);
  return [
    `**${title}: ${count} questions**`,
    '',
    `| variant | against | ${MEASURES.join(' | ')} |`,
    `|---|---|${MEASURES.map(() => '---|').join('')}`,
    ...rows,
    '',
  ].join('\n');
}

const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(4)}`;
