/**
 * `npm run spec [-- <area>…]` lists, by area, the requirements without a passing test in the last whole `npm test`. It
 * fails when one of them is not listed as an exception, in docs/spec/open.tsv (not built yet) or
 * docs/spec/not-testable.tsv. With areas it examines only those.
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
const open = readTable(read('open'));
const { missing, covered, faults } = coverage(requirements, outcomes, [
  ...open,
  ...readTable(read('not-testable')),
]);
const isOpen = new Set(open.map(([id]) => id));
let gaps = 0;
for (const area of wanted.length > 0 ? wanted : areas) {
  const all = requirements.filter((requirement) => requirement.area === area);
  const tested = all.filter(({ id }) => covered.has(id)).length;
  const lost = missing.filter((requirement) => requirement.area === area);
  const later = all.filter(({ id }) => isOpen.has(id)).length;
  const notTestable = all.length - tested - lost.length - later;
  const more = [
    later > 0 ? `, ${later} not built yet` : '',
    notTestable > 0 ? `, ${notTestable} not testable` : '',
  ].join('');
  console.log(`${area}: ${tested} of ${all.length} have a passing test${more}`);
  for (const { id, state, text } of lost) console.log(`  ${id} (${state}) ${text}`);
  gaps += lost.length;
}
for (const fault of faults) console.error(`Wrong: ${fault}.`);
console.log(`${covered.size} of ${requirements.length} requirements have a passing test`);
if (gaps > 0)
  console.error(`${gaps} lack one: write a test, or name what is not built in docs/spec/open.tsv.`);
process.exitCode = faults.length > 0 || gaps > 0 ? 1 : 0;

function stop(sentence: string): never {
  console.error(sentence);
  process.exit(2);
}
