/**
 * `npm run spec [-- <area>…]`: the requirements without a passing test in the last whole `npm test`,
 * by area. With areas it looks at those alone, and fails when one of their requirements is missing.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { coverage, readRequirements, readTable } from './requirements.ts';
import { readOutcomes } from './test-record.ts';

const read = (name: string) => readFileSync(`docs/spec/${name}.tsv`, 'utf8');
const requirements = readRequirements(read('requirements'));
const areas = [...new Set(requirements.map(({ area }) => area))];
const wanted = process.argv.slice(2);
const unknown = wanted.filter((area) => !areas.includes(area));
const folder = 'node_modules/.cache/quarry/tests';

if (unknown.length > 0)
  stop(`There is no area ${unknown.join(', ')}; there are ${areas.join(' ')}.`);
if (!existsSync(folder)) stop('No tests are on record: run npm test first.');

const outcomes = globSync(`${folder}/*.jsonl`).flatMap(readOutcomes);
const { missing, covered, faults } = coverage(
  requirements,
  outcomes,
  readTable(read('not-testable')),
);
let gaps = 0;
for (const area of wanted.length > 0 ? wanted : areas) {
  const all = requirements.filter((requirement) => requirement.area === area);
  const tested = all.filter(({ id }) => covered.has(id)).length;
  const open = missing.filter((requirement) => requirement.area === area);
  const excused = all.length - tested - open.length;
  const more = excused > 0 ? `, ${excused} not testable` : '';
  console.log(`${area}: ${tested} of ${all.length} have a passing test${more}`);
  for (const { id, state, text } of open) console.log(`  ${id} (${state}) ${text}`);
  gaps += open.length;
}
for (const fault of faults) console.error(`Wrong: ${fault}.`);
console.log(`${covered.size} of ${requirements.length} requirements have a passing test`);
process.exitCode = faults.length > 0 || (wanted.length > 0 && gaps > 0) ? 1 : 0;

function stop(sentence: string): never {
  console.error(sentence);
  process.exit(2);
}
