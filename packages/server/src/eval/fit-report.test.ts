import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CollectionWeights } from '../search/own-weights.ts';
import { RERANK } from '../search/rank.ts';
import { type FitCircumstances, fitReport, fitText } from './fit-report.ts';
import type { SetFit } from './fit-set.ts';

const fitOf = (mean: number, low: number): SetFit => ({
  ...{ set: 'notes', documents: 90, queries: 40, before: 0.5, after: 0.5 + mean },
  defaults: RERANK,
  weights: { ...RERANK, title: RERANK.title * 1.5 },
  folds: [RERANK, { ...RERANK, title: 0 }],
  gain: { mean, low, high: 2 * mean - low },
});
const before: CollectionWeights = { used: RERANK, own: null, outdated: null };
const own = {
  weights: RERANK,
  embedder: 'e',
  fittedAt: 0,
  queries: 40,
  gain: { mean: 0.1, low: 0.05, high: 0.15 },
};

describe('the report of a fit', () => {
  it('shows the gain on unseen queries, and every weight', () => {
    const text = fitText(fitReport(fitOf(0.1, 0.05), { before, isDry: false }));
    assert.match(text, /^notes: 90 documents, 40 queries, 5 folds\n\n\| weights /);
    assert.match(text, /\| default +\| 0\.5000 {2}\|/);
    assert.match(text, /\| 0\.6000 {2}\| \+0\.1000 \(\+0\.0500 \.\. \+0\.1500\) \|/);
    assert.match(text, /\n\| title +\| 1\.6 +\| 2\.4 +\| 0 \.\. 1\.6 +\|\n/);
  });

  for (const [what, fit, circumstances, stored, outcome] of [
    ['a gain', fitOf(0.1, 0.05), {}, true, /^Searches of notes use the fitted weights from now on/],
    ['a dry run', fitOf(0.1, 0.05), { isDry: true }, false, /^Without --dry-run, /],
    ['a doubtful gain', fitOf(0.1, 0), {}, false, /^The default weights stay: .* may be chance/],
    ['no gain', fitOf(0, 0), {}, false, /^The default weights stay: .* gain nothing/],
    [
      'no gain over own weights',
      fitOf(0, 0),
      { before: { ...before, own } },
      false,
      /^The collection keeps its own weights of 1970-01-01T00:00:00\.000Z: /,
    ],
    [
      'no gain over outdated weights',
      fitOf(0, 0),
      { before: { ...before, own, outdated: 'reason' } },
      false,
      /^The default weights stay: /,
    ],
  ] as const satisfies readonly (readonly [
    string,
    SetFit,
    Partial<FitCircumstances>,
    boolean,
    RegExp,
  ])[])
    it(`explains ${what}`, () => {
      const report = fitReport(fit, { before, isDry: false, ...circumstances });
      assert.equal(report.stored, stored);
      assert.match(report.outcome, outcome);
    });
});
