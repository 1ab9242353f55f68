/** Starts and ends the processes that limited-process.ts gives their work. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { moduleFile } from '../installation.ts';
import { ANSWERS_FD, type Incoming, incoming } from './frames.ts';
import { ProcessBroke } from './process-broke.ts';

/**
 * An answer may have this many bytes. This is enough for 32 million characters, because a character may need several
 * bytes in JSON.
 */
export const MAX_ANSWER_BYTES = 128 * 1024 * 1024;
/** A busy machine may need many seconds to start a process. */
const STARTING_MS = 60_000;
/** With these limits the process cannot write a byte into any file, and does not write a core dump when it aborts. */
const WITHOUT_FILES = 'ulimit -f 0 && ulimit -c 0 && exec "$0" "$@"';
const ENVIRONMENT = {
  // A date without a zone must mean the same on every machine.
  TZ: 'UTC',
  // Large blocks go back to the system when they are freed, as in the service itself (bin/own-node.mjs).
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '262144',
  MALLOC_TRIM_THRESHOLD_: '4194304',
};
/** Most young objects of a parser die early, and with more room for them a process takes 40 MB more. */
const YOUNG_GENERATION = '--max-semi-space-size=4';

export interface ProcessStart {
  readonly entry: URL;
  /** Returns the files and folders that a new process may read. */
  readonly readable: () => Promise<readonly string[]>;
  readonly memoryMb: number;
  /** If true, the process may use the network. */
  readonly mayConnect: boolean;
  /** A process may take this time until it is ready; a minute if it is left out. */
  readonly startingMs?: number;
}

export interface Child {
  readonly process: ChildProcess;
  readonly requestsTo: Writable;
  readonly answers: Incoming;
  requests: number;
}

export const isAlive = ({ exitCode, signalCode }: ChildProcess) =>
  exitCode === null && signalCode === null;

export async function start(options: ProcessStart, signal: AbortSignal): Promise<Child> {
  const command = [process.execPath, ...(await argumentsOf(options))];
  // The shell and its limits do not exist on Windows.
  const hasShell = process.platform !== 'win32';
  if (hasShell) command.unshift('/bin/sh', '-c', WITHOUT_FILES);
  const [program = '', ...rest] = command;
  const started = spawn(program, rest, {
    env: ENVIRONMENT,
    // A terminal sends Ctrl-C to its whole group of processes, and the service still needs this one to finish its work.
    detached: hasShell,
    stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
  });
  const { startingMs = STARTING_MS } = options;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), startingMs);
  const ended = once(started, 'exit', { signal: AbortSignal.any([signal, late.signal]) }).catch(
    (cause: unknown) => {
      signal.throwIfAborted();
      throw late.signal.aborted
        ? new ProcessBroke('gone', `was not ready within ${startingMs / 1000} s`)
        : new ProcessBroke('gone', 'cannot be started', cause);
    },
  );
  try {
    const child = {
      process: started,
      requestsTo: started.stdin as Writable,
      answers: incoming(started.stdio[ANSWERS_FD] as Readable),
      requests: 0,
    };
    // A write to a process that was killed fails here. The error is ignored, because the exit of the process says more.
    child.requestsTo.on('error', () => {});
    const isReady = child.answers.message(MAX_ANSWER_BYTES).then((first) => first !== null);
    if (await Promise.race([isReady, ended.then(() => false)])) return child;
    const [code, name] = await ended;
    if (name !== null) throw new ProcessBroke('gone', `ended with ${name} while it was started`);
    throw new Error(`a limited process ended at once: ${code}`);
  } catch (error) {
    await kill(started);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function argumentsOf(options: ProcessStart): Promise<string[]> {
  const { entry, memoryMb, mayConnect } = options;
  return [
    `--max-old-space-size=${Math.ceil(memoryMb * 0.75)}`,
    YOUNG_GENERATION,
    '--permission',
    // The watchdog is a worker thread. The lockdown drops this permission once the watchdog runs.
    '--allow-worker',
    // Node 24 does not have this flag, so there only the lockdown closes the network.
    ...(mayConnect && KNOWS_NETWORK ? ['--allow-net'] : []),
    ...(await options.readable()).map((path) => `--allow-fs-read=${path}`),
    // The module `node:sqlite` opens files without a check by the permission model.
    '--no-experimental-sqlite',
    '--disable-warning=SecurityWarning',
    '--import',
    moduleFile('sandbox/watchdog').href,
    '--import',
    moduleFile('sandbox/lockdown').href,
    fileURLToPath(entry),
    String(memoryMb * 1024 * 1024),
    String(mayConnect),
  ];
}

const KNOWS_NETWORK = process.allowedNodeEnvironmentFlags.has('--allow-net');

export async function kill(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || !isAlive(child)) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
