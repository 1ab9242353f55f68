/**
 * `npm run readme` does what README.md says, and compares the results with its promises. readme-blocks.ts explains
 * its marks.
 *
 * The commands run as they stand, in one shell session, in the project's folder. Only the port and the data
 * directory differ, so that a service that already runs here is left alone.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fill, matchConsole, matchJson, readSteps, type Step } from './readme-blocks.ts';

const README_PORT = 8099;
const START_MS = 180_000;
const RETRY_MS = 60_000;

const folder = mkdtempSync(join(tmpdir(), 'quarry-readme-'));
const port = await freePort();
const env = {
  ...process.env,
  QUARRY_PORT: String(port),
  QUARRY_DATA_DIR: join(folder, 'data'),
};
const names: Record<string, string> = {};
const running: ChildProcess[] = [];
const steps = readSteps(readFileSync('README.md', 'utf8'));
let done = 0;

try {
  for (const step of steps) {
    await perform(step);
    done += 1;
  }
} catch (error) {
  console.error(`README.md, line ${steps[done]?.line}: ${(error as Error).message}`);
  process.exitCode = 1;
} finally {
  for (const child of running) await stop(child);
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${done} of ${steps.length} steps of README.md do what it says`);
if (steps.length === 0) process.exitCode = 1;

async function perform(step: Step): Promise<void> {
  const commands = here(step.commands);
  if (step.mark === 'start') return start(step, commands);
  for (const deadline = Date.now() + RETRY_MS; ; await sleep(500)) {
    try {
      return compare(step, execute(commands), true);
    } catch (error) {
      if (step.mark === 'once' || Date.now() > deadline) throw error;
    }
  }
}

/** Returns what the commands print. Throws when one of them fails. */
function execute(commands: string): string {
  const { status, stdout, stderr } = spawnSync(
    'bash',
    ['-euo', 'pipefail', '-c', session(commands)],
    { env, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`the commands ended with ${status}\n${stdout}${stderr}`);
  return stdout;
}

/** Starts the service and waits until it has printed what is promised. */
async function start(step: Step, commands: string): Promise<void> {
  const child = spawn('bash', ['-c', commands], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  for (const deadline = Date.now() + START_MS; ; await sleep(100)) {
    try {
      return compare(step, output, false);
    } catch (error) {
      if (Date.now() > deadline || child.exitCode !== null) throw error;
    }
  }
}

/** Throws when the promise is not kept; otherwise remembers the values of its placeholders. */
function compare({ promise }: Step, output: string, whole: boolean): void {
  if (!promise) return;
  const expected = here(promise.text);
  const found =
    promise.kind === 'json'
      ? matchJson(JSON.parse(expected), JSON.parse(output))
      : matchConsole(expected, output, whole);
  if (!found) throw new Error(`promised is\n${expected}\nbut it printed\n${output}`);
  Object.assign(names, found);
}

/** Returns the text with the port of this run and the known values of its placeholders. */
function here(text: string): string {
  return fill(text, names).replaceAll(`:${README_PORT}`, `:${port}`);
}

/** Exported variables stay set after their block. */
function session(commands: string): string {
  const state = join(folder, 'session');
  return `[ ! -e '${state}' ] || . '${state}'\n${commands}\nexport -p > '${state}'`;
}

/** Ends when everything that the commands started has ended, because only then the output is closed. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.stdout?.readableEnded) return;
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  await closed;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}
