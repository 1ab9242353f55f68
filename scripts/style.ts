/**
 * `npm run style` checks comments of the code and sentences of the documentation against those rules of
 * docs/style.md that a machine can check. It prints file, line and sentence, and fails when it finds one.
 */
import { globSync, readFileSync } from 'node:fs';
import { type Finding, inCode, inProse } from './style-rules.ts';

const CODE = [
  'packages/*/{src,tools,e2e}/**/*.{ts,tsx}',
  'scripts/**/*.ts',
  'bench/**/*.ts',
  'research/**/*.ts',
];
const PROSE = ['*.md', 'docs/**/*.md', 'bench/*.md'];
/** The specification is not written here, and the last two show sentences that break the rules. */
const LEFT_OUT = [
  '**/node_modules/**',
  'docs/spec/**',
  'docs/style.md',
  'scripts/style-rules.test.ts',
];
const found = [
  ...globSync(CODE, { exclude: LEFT_OUT }).map((file) => ({ file, find: inCode })),
  ...globSync(PROSE, { exclude: LEFT_OUT }).map((file) => ({ file, find: inProse })),
].flatMap(({ file, find }) =>
  find(readFileSync(file, 'utf8')).map((finding: Finding) => ({ file, ...finding })),
);
for (const { file, line, rule, text } of found) console.log(`${file}:${line} ${rule}: ${text}`);
console.log(`${found.length} findings`);
process.exitCode = found.length > 0 ? 1 : 0;
