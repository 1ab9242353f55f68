/**
 * `npm run paths [-- --cases N] [--seed N] [--path standard|agentic|tools|assistant|twins] [--database
 * sqlite|postgres]` asks for data on every path at random, in the middle of commits and with models that lie, and
 * compares the answers with a naive oracle. It prints a failure with its seed and the fewest requests that still
 * make it fail. PostgreSQL is the server that TEST_POSTGRES_URL names, or else one in this process.
 */
import { parseArgs } from 'node:util';
import { DATABASES } from '../packages/server/src/test/databases.ts';
import { PATHS } from '../packages/server/src/test/search/paths/play.ts';
import { runPaths, SHARES } from '../packages/server/src/test/search/paths/run.ts';
import { answerHelp } from './help.ts';

answerHelp(import.meta.filename);
const { values } = parseArgs({
  options: {
    cases: { type: 'string' },
    seed: { type: 'string' },
    path: { type: 'string' },
    database: { type: 'string' },
  },
});
const all = number(values.cases ?? '10000');
const seed = number(values.seed ?? '1');
const paths = values.path === undefined ? PATHS : [known(PATHS, values.path)];
const name = known(
  DATABASES.map((one) => one.name),
  values.database ?? 'sqlite',
);
const [database] = DATABASES.filter((one) => one.name === name);
if (!database) throw new Error(`there is no database '${name}'`);

for (const path of paths) {
  const started = performance.now();
  const cases = paths.length === 1 ? all : Math.ceil(all * SHARES[path]);
  try {
    const played = await runPaths({ path, database, cases, seed });
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`${path}: ${played} cases hold on ${name} in ${seconds} s`);
  } catch (error) {
    console.error(`${path}: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}

function known<Name extends string>(names: readonly Name[], wanted: string): Name {
  const found = names.find((one) => one === wanted);
  if (!found) throw new Error(`'${wanted}' is none of ${names.join(', ')}`);
  return found;
}

function number(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`'${text}' is no number`);
  return value;
}
