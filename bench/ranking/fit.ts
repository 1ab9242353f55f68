/**
 * `node bench/ranking/fit.ts <folder>... [--check <folder>]` looks for better weights of the reranker than its
 * current ones, on judged sets made by `synthetic.ts`. It makes one weight at a time larger or smaller, and keeps a
 * change only when it gains more than noise. With `--check` it only measures sets, and shows what each feature gains
 * there. Without folders it fits nothing.
 */
import { parseArgs } from 'node:util';
import { differenceInterval, mean, qualityOf } from '../../packages/server/src/eval/metrics.ts';
import {
  RERANK,
  type RerankWeights,
  weightedMeans,
} from '../../packages/server/src/search/rank.ts';
import { type Prepared, prepare } from './candidates.ts';

const STEPS = [1.5, 1 / 1.5, 0];
const NOISE = 0.0004;
const ROUNDS = 2;
const NAMES = Object.keys(RERANK) as (keyof RerankWeights)[];

const { values, positionals } = parseArgs({
  options: { check: { type: 'string', multiple: true, default: [] } },
  allowPositionals: true,
});
const sets = await prepared(positionals);
const checks = await prepared(values.check);

let weights: RerankWeights = RERANK;
let best = quality(sets, weights);
report('as they are', weights);
for (let round = 0; sets.length > 0 && round < ROUNDS; round++)
  for (const name of NAMES) {
    // The other weights are relative to this one.
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
if (sets.length > 0) report('fitted', weights);
for (const name of NAMES) console.log(gainOf(name));

async function prepared(folders: readonly string[]): Promise<Prepared[]> {
  const all: Prepared[] = [];
  for (const folder of folders) all.push(await prepare(folder));
  return all;
}

/** Returns nDCG@10 of each query. A document takes the score of its best chunk. */
function qualities({ asked }: Prepared, tried: RerankWeights): number[] {
  return asked.map(({ relevant, documents, features }) => {
    const scores = weightedMeans(features, tried);
    const scored = documents
      .map((document, i) => ({ document, score: scores[i]! }))
      .sort((a, b) => b.score - a.score);
    const ranked = [...new Set(scored.map(({ document }) => document))];
    return qualityOf(ranked, relevant).ndcg10;
  });
}

/** Weighs all sets equally. */
function quality(of: readonly Prepared[], tried: RerankWeights): number {
  return mean(of.map((set) => mean(qualities(set, tried))));
}

function report(what: string, tried: RerankWeights): void {
  console.log(what, JSON.stringify(tried));
  if (sets.length > 0) console.log(`  fitted on: ${quality(sets, tried).toFixed(4)}`);
  for (const set of checks) console.log(`  ${set.name}: ${quality([set], tried).toFixed(4)}`);
}

/** Returns the loss without this feature on the sets that are only measured: the mean and its 95 % interval. */
function gainOf(name: keyof RerankWeights): string {
  const pairs = checks.map((set) => ({
    a: qualities(set, { ...RERANK, [name]: 0 }),
    b: qualities(set, RERANK),
  }));
  const { low, high } = differenceInterval(pairs);
  const each = pairs.map(({ a, b }) => (mean(b) - mean(a)).toFixed(4)).join(' ');
  const gain = mean(pairs.map(({ a, b }) => mean(b) - mean(a)));
  return `${name}: ${gain.toFixed(4)} (${low.toFixed(4)} .. ${high.toFixed(4)}); ${each}`;
}
