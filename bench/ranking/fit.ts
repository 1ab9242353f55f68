/**
 * `node bench/ranking/fit.ts <folder>... [--check <folder>]`: looks for weights of the reranker that
 * are better than the ones it has, on judged sets made by `synthetic.ts`. One weight at a time is
 * made larger or smaller; a change stays only when it gains more than noise. `--check`: sets that it
 * only reports, before and after.
 */
import { parseArgs } from 'node:util';
import { mean, qualityOf } from '../../packages/server/src/eval/metrics.ts';
import { RERANK, type RerankWeights, weighedMean } from '../../packages/server/src/search/rank.ts';
import { type Prepared, prepare } from './candidates.ts';

const STEPS = [1.5, 1 / 1.5, 0];
const NOISE = 0.0004;
const ROUNDS = 2;

const { values, positionals } = parseArgs({
  options: { check: { type: 'string', multiple: true, default: [] } },
  allowPositionals: true,
});
const sets = await prepared(positionals);
const checks = await prepared(values.check);

let weights: RerankWeights = RERANK;
let best = quality(sets, weights);
report('as they are', weights);
for (let round = 0; round < ROUNDS; round++)
  for (const name of Object.keys(RERANK) as (keyof RerankWeights)[]) {
    // The others are relative to it.
    if (name === 'lexical') continue;
    for (const step of STEPS) {
      const tried = { ...weights, [name]: weights[name] * step };
      const reached = quality(sets, tried);
      if (reached <= best + NOISE) continue;
      best = reached;
      weights = tried;
      console.log(`  ${name} × ${step.toFixed(2)}: ${best.toFixed(4)}`);
    }
  }
report('fitted', weights);
for (const name of Object.keys(RERANK) as (keyof RerankWeights)[])
  report(`as they are, without ${name}`, { ...RERANK, [name]: 0 });

async function prepared(folders: readonly string[]): Promise<Prepared[]> {
  const all: Prepared[] = [];
  for (const folder of folders) all.push(await prepare(folder));
  return all;
}

/** Mean nDCG@10, sets weighted equally; a document takes its best chunk. */
function quality(of: readonly Prepared[], tried: RerankWeights): number {
  return mean(
    of.map(({ asked }) =>
      mean(
        asked.map(({ relevant, candidates }) => {
          const scored = candidates
            .map(({ document, features }) => ({ document, score: weighedMean(features, tried) }))
            .sort((a, b) => b.score - a.score);
          const ranked = [...new Set(scored.map(({ document }) => document))];
          return qualityOf(ranked, relevant).ndcg10;
        }),
      ),
    ),
  );
}

function report(what: string, tried: RerankWeights): void {
  console.log(what, what.includes('without') ? '' : JSON.stringify(tried));
  console.log(`  fitted on: ${quality(sets, tried).toFixed(4)}`);
  for (const set of checks) console.log(`  ${set.name}: ${quality([set], tried).toFixed(4)}`);
}
