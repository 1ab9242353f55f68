/** The measures of a search for a piece of source code, each from 0 to 1 (measure.ts). */
export const MEASURES = ['R@1', 'R@5', 'MRR', 'nDCG@10', 'file R@1', 'file R@5'] as const;
export type Measure = (typeof MEASURES)[number];
export type Figures = Readonly<Record<Measure, number>>;
