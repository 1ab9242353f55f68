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
import { must } from '../packages/server/src/util.ts';
import { numberOf, oneOf, report } from './arguments.ts';
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
const all = numberOf(values.cases ?? '10000', 1);
const seed = numberOf(values.seed ?? '1', 1);
const paths = values.path === undefined ? PATHS : [oneOf(PATHS, values.path)];
const names = DATABASES.map(({ name }) => name);
const name = oneOf(names, values.database ?? 'sqlite');

for (const path of paths)
  await report(async () => {
    const cases = paths.length === 1 ? all : Math.ceil(all * SHARES[path]);
    const database = must(DATABASES.find((one) => one.name === name));
    return `${path}: ${await runPaths({ path, database, cases, seed })} cases hold on ${name}`;
  });
