/**
 * `node bench/ranking/fit.ts <folder>... [--check <folder>]` looks for better default weights of the reranker than its
 * current ones, on judged sets that `synthetic.ts` has made (eval/fit-weights.ts says how). The sets of `--check` are
 * only measured, with the gain of each feature. Without folders, nothing is fitted.
 */
import { parseArgs } from 'node:util';
import { fitWeights, ndcgsOf } from '../../packages/server/src/eval/fit-weights.ts';
import { differenceInterval, mean } from '../../packages/server/src/eval/metrics.ts';
import { FEATURES, RERANK, type RerankWeights } from '../../packages/server/src/search/rank.ts';
import { type Prepared, prepare } from './candidates.ts';

const { values, positionals } = parseArgs({
  options: { check: { type: 'string', multiple: true, default: [] } },
  allowPositionals: true,
});
const sets = await prepared(positionals);
const checks = await prepared(values.check);

report('as they are', RERANK);
if (sets.length > 0) {
  const queries = sets.map(({ asked }) => asked);
  const fitted = fitWeights(queries, RERANK, ({ feature, factor, ndcg10 }) =>
    console.log(`  ${feature} × ${factor.toFixed(2)}: ${ndcg10.toFixed(4)}`),
  );
  report('fitted', fitted);
}
for (const name of FEATURES) console.log(gainOf(name));

async function prepared(folders: readonly string[]): Promise<Prepared[]> {
  const all: Prepared[] = [];
  for (const folder of folders) all.push(await prepare(folder));
  return all;
}

/** Weighs all sets equally. */
function quality(of: readonly Prepared[], tried: RerankWeights): number {
  return mean(of.map(({ asked }) => mean(ndcgsOf(asked, tried))));
}

function report(what: string, tried: RerankWeights): void {
  console.log(what, JSON.stringify(tried));
  if (sets.length > 0) console.log(`  fitted on: ${quality(sets, tried).toFixed(4)}`);
  for (const set of checks) console.log(`  ${set.name}: ${quality([set], tried).toFixed(4)}`);
}

/** Returns how much the sets of `--check` lose without this feature: the mean and its 95 % interval. */
function gainOf(name: keyof RerankWeights): string {
  const pairs = checks.map(({ asked }) => ({
    a: ndcgsOf(asked, { ...RERANK, [name]: 0 }),
    b: ndcgsOf(asked, RERANK),
  }));
  const { low, high } = differenceInterval(pairs);
  const each = pairs.map(({ a, b }) => (mean(b) - mean(a)).toFixed(4)).join(' ');
  const gain = mean(pairs.map(({ a, b }) => mean(b) - mean(a)));
  return `${name}: ${gain.toFixed(4)} (${low.toFixed(4)} .. ${high.toFixed(4)}); ${each}`;
}
