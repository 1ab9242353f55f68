/**
 * `npm test [-- <file, glob or part of a path>… [options of node --test]]`: runs the tests and ends
 * with the line `N passed, N failed`. Only a run of all of them is recorded for `npm run spec`.
 *
 * Tests share one process, except the end-to-end ones: those start processes and take turns. Tests of
 * PostgreSQL use the server that TEST_POSTGRES_URL names. Without that variable this script starts the
 * PostgreSQL that is installed on the machine and stops it at the end. Where none is installed, PGlite
 * takes its place, and tests that need a real server are left out and counted; CI leaves nothing out.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, globSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, matchesGlob, relative } from 'node:path';
import { postgresPrograms, startPostgres } from '../packages/server/src/test/postgres-server.ts';
import { type Outcome, readOutcomes } from './test-record.ts';

const FILES = ['packages/*/src/**/*.test.ts', 'scripts/*.test.ts'];
const END_TO_END = 'packages/*/src/test/e2e/**';
const NEED_POSTGRES = [
  'packages/server/src/test/sources/postgresql*.test.ts',
  'packages/server/src/test/e2e/*postgres.test.ts',
];
const TEST_TIMEOUT_MS = 120_000;
/** A test that left something open keeps its process from ending. */
const SILENCE_MS = TEST_TIMEOUT_MS + 30_000;
const TIERS = [
  { name: 'one-process', endToEnd: false, flags: ['--test-isolation=none'] },
  { name: 'e2e', endToEnd: true, flags: ['--test-concurrency=1'] },
];

const args = process.argv.slice(2);
const wanted = args.filter((arg) => !arg.startsWith('-'));
const options = args.filter((arg) => arg.startsWith('-'));
const meant = globSync(FILES).filter(
  (file) => wanted.length === 0 || wanted.some((pattern) => isMeant(file, pattern)),
);
const isInstalled = postgresPrograms() !== undefined;
const leaveOut = !process.env.CI && !process.env.TEST_POSTGRES_URL && !isInstalled;
const files = meant.filter((file) => !leaveOut || !needsPostgres(file));
const folder = join('node_modules/.cache/quarry', args.length === 0 ? 'tests' : 'tests-part');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

let running: ChildProcess | undefined;
let stoppedBy: NodeJS.Signals | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    stoppedBy = signal;
    running?.kill(signal);
  });

const outcomes: Outcome[] = [];
let broken = 0;
const server =
  isInstalled && !process.env.TEST_POSTGRES_URL && files.length > 0
    ? await startPostgres()
    : undefined;
try {
  for (const { name, endToEnd, flags } of TIERS) {
    const mine = files.filter((file) => matchesGlob(file, END_TO_END) === endToEnd).toSorted();
    if (mine.length === 0 || stoppedBy) continue;
    const path = join(folder, `${name}.jsonl`);
    writeFileSync(path, '');
    const code = await runTests([...flags, ...options], path, mine);
    const found = readOutcomes(path);
    outcomes.push(...found);
    if (code === 0 || found.some(({ result }) => result === 'failed')) continue;
    console.error(`The tests of '${name}' ended with ${code}, though none of them failed.`);
    broken += 1;
  }
} finally {
  await server?.stop();
}

const count = (wanted: Outcome['result']) =>
  outcomes.filter(({ result }) => result === wanted).length;
const [passed, failed, skipped] = [count('passed'), count('failed') + broken, count('skipped')];
if (passed + failed === 0) console.error('No test ran.');
if (files.length < meant.length)
  console.log(
    `${meant.length - files.length} files left out: they need PostgreSQL on this machine (Debian: apt-get install postgresql)`,
  );
if (skipped > 0) console.log(`${skipped} skipped`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 || stoppedBy ? 1 : 0;

const needsPostgres = (file: string) => NEED_POSTGRES.some((glob) => matchesGlob(file, glob));

function isMeant(file: string, pattern: string): boolean {
  if (existsSync(pattern)) return relative('', pattern) === file;
  return matchesGlob(file, pattern) || file.includes(pattern);
}

function runTests(flags: string[], path: string, files: string[]): Promise<number | string> {
  const record = new URL('test-record.ts', import.meta.url).href;
  const reporters = [
    ['--test-reporter=spec', '--test-reporter-destination=stdout'],
    [`--test-reporter=${record}`, `--test-reporter-destination=${path}`],
  ].flat();
  const common = ['-C', 'quarry', '--test', `--test-timeout=${TEST_TIMEOUT_MS}`];
  const child = spawn(process.execPath, [...common, ...reporters, ...flags, ...files], {
    stdio: 'inherit',
    env: { ...process.env, ...(server && { TEST_POSTGRES_URL: server.url }) },
  });
  running = child;
  const watch = setInterval(() => {
    if (Date.now() - statSync(path).mtimeMs < SILENCE_MS) return;
    console.error('No test ended for too long: one hangs, or left a server or timer open.');
    child.kill('SIGKILL');
  }, 1000);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      clearInterval(watch);
      resolve(code ?? signal ?? 'no exit code');
    });
  });
}
