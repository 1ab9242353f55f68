/**
 * `npm run faults [-- --seeds N] [--from N] [--seed N]`: runs the simulator of syncs. `--seed` runs one
 * seed again. A seed that fails is printed with the fewest actions that still make it fail.
 */
import { parseArgs } from 'node:util';
import { describeFailure, runSeeds } from '../packages/server/src/test/faults/pool.ts';

const { values } = parseArgs({
  options: { seeds: { type: 'string' }, from: { type: 'string' }, seed: { type: 'string' } },
});
const count = values.seed === undefined ? number(values.seeds ?? '3000') : 1;
const from = number(values.seed ?? values.from ?? '1');

const started = performance.now();
let passed = 0;
const failure = await runSeeds({ from, count }, () => {
  passed++;
  if (passed % 500 === 0) console.log(`${passed} passed`);
});
const seconds = (performance.now() - started) / 1000;
if (failure) console.error(describeFailure(failure));
console.log(`${passed} of ${count} seeds passed in ${seconds.toFixed(1)} s`);
process.exitCode = failure ? 1 : 0;

function number(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`'${text}' is no number of seeds`);
  return value;
}
