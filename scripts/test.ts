/**
 * `npm test [-- <file, glob or part of a path>… [--changed[=<revision>]] [options of node --test]]` runs the tests and
 * ends with the line `N passed, N failed`. Only a run of all tests is recorded for `npm run spec`.
 *
 * There are three tiers. Most files share a few processes, over which they are distributed by their last durations
 * (test-durations.json, which `--record-durations` writes). The end-to-end files run at the same time, two at a time,
 * because they start processes of their own and wait for them half of the time. The long files run in the same way, but
 * only with `--full` or when they are named.
 *
 * Tests of PostgreSQL use the server that TEST_POSTGRES_URL names. Without that variable this script starts the
 * PostgreSQL that is installed on the machine and stops it at the end. Where none is installed, PGlite takes its place,
 * and tests that need a real server are left out and counted; CI leaves nothing out. With `--pooled`, the server that this
 * script starts is reached through a PgBouncer that pools transactions.
 */
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, matchesGlob, relative, resolve } from 'node:path';
import { openOnServer } from '../packages/server/src/test/databases.ts';
import { startPgbouncer } from '../packages/server/src/test/pgbouncer-server.ts';
import { postgresPrograms, startPostgres } from '../packages/server/src/test/postgres-server.ts';
import { makeTemporary } from './temporary.ts';
import { changedSince, reaching, readImporters } from './test-changed.ts';
import { deal, ofTestFiles } from './test-deal.ts';
import { runTests, type TestProcess, type TestProcessOptions } from './test-process.ts';
import { type Checked, isChecked, isOutcome, type Outcome } from './test-record.ts';
import { countOf, createReport, printSummary } from './test-report.ts';

const FILES = [
  'packages/*/src/**/*.test.ts',
  'packages/client/tools/*.test.ts',
  'packages/ui/{tools,e2e}/*.test.ts',
  'scripts/*.test.ts',
];
const END_TO_END = 'packages/*/src/test/e2e/**';
const LONG = 'packages/*/src/test/long/**';
const NEED_POSTGRES = [
  'packages/server/src/test/sources/postgresql*.test.ts',
  'packages/server/src/test/long/*postgres.test.ts',
];
const END_TO_END_AT_ONCE = 2;
const DURATIONS = 'scripts/test-durations.json';
/** A test takes seconds. It takes minutes in the full tier, or where the machine does much else. */
const TEST_TIMEOUT_MS = { some: 120_000, all: 300_000 } as const;
/** A soak (packages/server/src/test/long/soak.ts) ends its last round, which takes minutes on a busy machine. */
const SOAK_MS = 2 * 60_000 * Number(process.env.TEST_SOAK_MINUTES ?? 0);
/**
 * Processes that the tests start find compiled code of earlier processes here, which halves the time of their start.
 */
const COMPILED = resolve('node_modules/.cache/quarry/compiled');
/** node ends with this exit code after all tests have run and some have failed. */
const TESTS_FAILED = 1;
/** A process needs about a gigabyte of memory at the end of its files. */
const MOST_PROCESSES = 4;
/** Fewer files are not worth a second process, which loads the code again. */
const FEWEST_FILES = 8;
/** The memory of a process grows with each file, so this many processes follow each other where all files run. */
const PROCESSES_IN_A_ROW = 3;

const started = performance.now();
const args = process.argv.slice(2);
const own = ['--full', '--record-durations', '--pooled'];
const tier = args.includes('--full') ? 'all' : 'some';
const changed = args.find((arg) => /^--changed(=|$)/.test(arg));
const wanted = args.filter((arg) => !arg.startsWith('-'));
const options = args.filter((arg) => arg.startsWith('-') && arg !== changed && !own.includes(arg));
const isPooled = args.includes('--pooled');
const isWhole = wanted.length + options.length === 0 && !changed && !isPooled;
const everything = globSync(FILES);
const meant = (changed ? changedTests(changed) : everything).filter(
  (file) =>
    wanted.some((pattern) => isMeant(file, pattern)) ||
    (wanted.length === 0 && (tier === 'all' || !matchesGlob(file, LONG))),
);
const isInstalled = postgresPrograms() !== undefined;
const leaveOut = !process.env.CI && !process.env.TEST_POSTGRES_URL && !isInstalled;
const files = meant.filter((file) => !leaveOut || !needsPostgres(file)).toSorted();
const temporary = makeTemporary();
/**
 * `npm run spec` reads the records of the last whole run. A run of some files has a folder of its own, because several
 * such runs may run at once.
 */
const folder = isWhole ? 'node_modules/.cache/quarry/tests' : join(temporary, 'records');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

const running = new Set<TestProcess>();
let stoppedBy: NodeJS.Signals | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    stoppedBy = signal;
    for (const { child } of running) child.kill(signal);
  });

const outcomes: Outcome[] = [];
const took = new Map<string, number>();
const checks: Checked[] = [];
let broken = 0;
const server =
  isInstalled && !process.env.TEST_POSTGRES_URL && files.length > 0
    ? await startPostgres()
    : undefined;
const pooler = server && isPooled ? await startPgbouncer(server.url) : undefined;
const env = {
  ...process.env,
  NODE_COMPILE_CACHE: COMPILED,
  ...(server && {
    TEST_POSTGRES_URL: pooler?.url ?? server.url,
    TEST_POSTGRES_TEMPLATE: await makeTemplate(server.url),
  }),
  ...(tier === 'all' && { TEST_FULL: '1' }),
};
try {
  const isApart = (file: string) => matchesGlob(file, END_TO_END) || matchesGlob(file, LONG);
  const shared = files.filter((file) => !isApart(file));
  // One process more than there are cores keeps the cores busy while a test waits.
  const processes = Math.min(
    availableParallelism() + 1,
    MOST_PROCESSES,
    Math.ceil(shared.length / FEWEST_FILES),
  );
  const inARow = isWhole ? PROCESSES_IN_A_ROW : 1;
  const hands = deal(shared, durationsOf(shared), processes * inARow).entries();
  const runHands = async () => {
    for (const [i, hand] of hands)
      await run(`shared-${i + 1}`, hand, { isTogether: true, flags: [] });
  };
  const apart = files.filter(isApart);
  await Promise.all([
    ...Array.from({ length: processes }, runHands),
    apart.length > 0 &&
      run('e2e', apart, {
        isTogether: false,
        flags: [`--test-concurrency=${END_TO_END_AT_ONCE}`],
      }),
  ]);
} finally {
  await pooler?.stop();
  await server?.stop();
  rmSync(temporary, { recursive: true, force: true });
}

const { passed, failed } = countOf(outcomes);
printSummary({ outcomes, took, checks, ms: performance.now() - started });
if (passed + failed + broken === 0) console.error('No test ran.');
if (files.length < meant.length)
  console.log(
    `${meant.length - files.length} files left out: they need PostgreSQL on this machine (Debian: apt-get install postgresql)`,
  );
if (args.includes('--record-durations')) writeDurations();
console.log(`${passed} passed, ${failed + broken} failed`);
process.exitCode = failed + broken > 0 || passed === 0 || stoppedBy ? 1 : 0;

async function run(
  name: string,
  some: readonly string[],
  { isTogether, flags }: Pick<TestProcessOptions, 'isTogether' | 'flags'>,
): Promise<void> {
  if (stoppedBy) return;
  const report = createReport();
  const found: Outcome[] = [];
  const one = runTests(some, {
    isTogether,
    flags: [...flags, ...options],
    env,
    record: join(folder, `${name}.jsonl`),
    timeoutMs: TEST_TIMEOUT_MS[tier] + SOAK_MS,
    onLine(given) {
      const line = { ...given, file: relative('', given.file) };
      report.add(line);
      if ('took' in line) took.set(line.file, (took.get(line.file) ?? 0) + line.took);
      if (isOutcome(line)) found.push(line);
      if (isChecked(line)) checks.push(line);
    },
  });
  running.add(one);
  const code = await one.ended;
  running.delete(one);
  report.finish();
  outcomes.push(...found);
  const hasFailed = found.some(({ result }) => result === 'failed');
  if (code === 0 || (code === TESTS_FAILED && hasFailed)) return;
  console.error(
    hasFailed
      ? `The tests of '${name}' ended with ${code}, perhaps before all of them had run.`
      : `The tests of '${name}' ended with ${code}, though none of them failed.`,
  );
  broken += 1;
}

/** Returns the name of a migrated database without connections, of which the tests make copies. */
async function makeTemplate(url: string): Promise<string> {
  const { db, name } = await openOnServer(url);
  await db.destroy();
  return name;
}

function needsPostgres(file: string): boolean {
  return NEED_POSTGRES.some((glob) => matchesGlob(file, glob));
}

function isMeant(file: string, pattern: string): boolean {
  if (statSync(pattern, { throwIfNoEntry: false })?.isFile()) return relative('', pattern) === file;
  return matchesGlob(file, pattern) || file.includes(pattern);
}

function changedTests(option: string): string[] {
  const revision = option.split('=')[1] ?? 'HEAD';
  return reaching(changedSince(revision), everything, readImporters());
}

function durationsOf(tests: readonly string[]): Record<string, number> {
  const importers = readImporters();
  return ofTestFiles(readDurations()[tier] ?? {}, (file) =>
    tests.includes(file) ? [file] : reaching([file], tests, importers),
  );
}

function readDurations(): Record<string, Record<string, number>> {
  return existsSync(DURATIONS) ? JSON.parse(readFileSync(DURATIONS, 'utf8')) : {};
}

/** The durations are rounded to tenths of a second, so that fewer of them change. */
function writeDurations(): void {
  const rounded = [...took].map(([file, ms]) => [file, Math.round(ms / 100) * 100] as const);
  const sorted = Object.fromEntries(rounded.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const durations = { ...readDurations(), [tier]: sorted };
  writeFileSync(DURATIONS, `${JSON.stringify(durations, null, 2)}\n`);
}
