/**
 * `npm run style` checks comments of the code and sentences of the documentation against those rules of
 * docs/style.md that a machine can check. It prints file, line and sentence, and fails when it finds one.
 *
 * NOT_YET names what has not been brought to this style. The list only gets shorter: an entry without findings also
 * fails.
 */
import { globSync, readFileSync } from 'node:fs';
import { type Finding, inCode, inProse } from './style-rules.ts';

const CODE = ['packages/*/src/**/*.ts', 'scripts/**/*.ts', 'bench/**/*.ts'];
const PROSE = ['*.md', 'docs/**/*.md', 'bench/*.md'];
const NOT_YET: readonly string[] = ['docs/spec/'];

/** The last two show sentences that break the rules. */
const LEFT_OUT = ['**/node_modules/**', 'docs/style.md', 'scripts/style-rules.test.ts'];
const found = [
  ...globSync(CODE, { exclude: LEFT_OUT }).map((file) => ({ file, find: inCode })),
  ...globSync(PROSE, { exclude: LEFT_OUT }).map((file) => ({ file, find: inProse })),
].flatMap(({ file, find }) =>
  find(readFileSync(file, 'utf8')).map((finding: Finding) => ({ file, ...finding })),
);
const longestFirst = NOT_YET.toSorted((a, b) => b.length - a.length);
const later = (file: string) => longestFirst.find((entry) => file.startsWith(entry));
const faults = found.filter(({ file }) => later(file) === undefined);
for (const { file, line, rule, text } of faults) console.log(`${file}:${line} ${rule}: ${text}`);
const left = new Set(found.map(({ file }) => later(file)));
const done = NOT_YET.filter((entry) => !left.has(entry));
for (const entry of done) console.log(`${entry} has no findings left: take it out of NOT_YET.`);
console.log(
  `${faults.length} findings, ${found.length - faults.length} more in ${NOT_YET.length} places that are not yet done`,
);
process.exitCode = faults.length + done.length > 0 ? 1 : 0;
