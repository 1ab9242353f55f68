/**
 * `npm run bench:package [-- --rounds 5]` measures what a person waits for who has the archive of the package `quarry`:
 * npm installs it into an empty folder, the service starts and answers its first search, and `quarry search` answers in
 * the terminal. A second start comes last.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { answerHelp, tellProgress } from '../scripts/help.ts';

const run = promisify(execFile);
const SEARCHES = 5;

answerHelp(import.meta.filename);
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });
const rounds = Number(values.rounds);
const home = mkdtempSync(join(tmpdir(), 'quarry-bench-'));
const environment = { PATH: process.env.PATH ?? '', HOME: join(home, 'user') };
const times = new Map<string, number[]>();

try {
  execFileSync(process.execPath, ['-C', 'quarry', 'scripts/pack.ts', home], { stdio: 'inherit' });
  const [archive = ''] = globSync('*.tgz', { cwd: home });
  for (let round = 1; round <= rounds; round++) {
    tellProgress(`round ${round} of ${rounds}`);
    await playRound(join(home, `app-${round}`), join(home, archive));
    rmSync(environment.HOME, { recursive: true });
  }
  console.log(`\n${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model}`);
  console.log(`Node ${process.versions.node}; load ${loadavg()[0]?.toFixed(1)}\n`);
  for (const [what, all] of times) {
    const sorted = all.toSorted((a, b) => a - b);
    const shown = [sorted[0], sorted[sorted.length >> 1], sorted.at(-1)];
    console.log(`${what.padEnd(36)}${shown.map((ms = 0) => seconds(ms)).join('   ')}`);
  }
  console.log('                                    least      median     most');
} finally {
  rmSync(home, { recursive: true });
}

async function playRound(app: string, archive: string): Promise<void> {
  mkdirSync(app);
  writeFileSync(join(app, 'package.json'), '{"private":true}');
  const cache = ['--cache', join(home, 'npm'), '--no-audit', '--no-fund'];
  const began = performance.now();
  await timed('npm install', () => run('npm', ['install', ...cache, archive], { cwd: app }));
  const quarry = join(app, 'node_modules/.bin/quarry');
  await timed('start to the first answer', () => serve(quarry, /Answer {5}/));
  note('archive to the first answer', performance.now() - began);
  for (let search = 0; search < SEARCHES; search++)
    await timed('quarry search', () => run(quarry, ['search', 'invitation'], { env: environment }));
  await run(quarry, ['stop'], { env: environment });
  await timed('second start', () => serve(quarry, /ready at/));
  await run(quarry, ['stop'], { env: environment });
}

/** Starts the service, and returns when it has printed this. */
async function serve(quarry: string, until: RegExp): Promise<void> {
  const child = spawn(quarry, ['start', '--port', '0'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let shown = '';
  while (!until.test(shown)) {
    const [text] = await once(child.stdout, 'data');
    shown += text;
  }
  child.stdout.resume();
}

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const began = performance.now();
  await work();
  note(what, performance.now() - began);
}

function note(what: string, ms: number): void {
  times.set(what, [...(times.get(what) ?? []), ms]);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`.padStart(8);
}
