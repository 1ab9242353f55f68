/**
 * One child process for hostile work: without the environment, without a file to read but those it is
 * given, without leave to write or to start anything, limited in time and memory. One request at a time;
 * one that breaks a limit is killed together with the process, and costs nothing else.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import type { Writable } from 'node:stream';
import pLimit from 'p-limit';
import { type Answered, READY } from './protocol.ts';

/** A process that has nothing to do for so long is let go. */
const IDLE_MS = 30_000;

export interface ProcessOptions {
  readonly entry: URL;
  readonly arguments?: readonly string[];
  /** Files and folders that a process may read that begins now. */
  readonly readable: () => Promise<readonly string[]>;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  /** Requests after which a fresh process takes over, so that what leaks does not add up. */
  readonly requestsPerProcess: number;
}

export interface LimitedProcess<Request, Answer> {
  /** `feed` writes what goes with the request to its standard input. Throws ProcessBroke. */
  run(request: Request, signal: AbortSignal, feed?: Feed): Promise<Answer>;
  close(): Promise<void>;
}

/** Stops early once `settled`: then nobody reads on. */
type Feed = (input: Writable, settled: AbortSignal) => Promise<void>;

/** What ended a process in the middle of its work, or kept it from beginning any. */
export class ProcessBroke extends Error {
  override readonly name = 'ProcessBroke';
  /** `gone`: it cannot be started or reached, whatever it was to do. */
  readonly by: 'time' | 'memory' | 'exit' | 'gone';

  constructor(by: ProcessBroke['by'], message: string, cause?: unknown) {
    super(message, { cause });
    this.by = by;
  }
}

interface Child {
  readonly process: ChildProcess;
  requests: number;
}

export function createLimitedProcess<Request extends object, Answer extends Answered>(
  options: ProcessOptions,
): LimitedProcess<Request, Answer> {
  const oneAtATime = pLimit(1);
  const closing = new AbortController();
  let child: Child | null = null;
  let idle: NodeJS.Timeout | undefined;

  async function work(request: Request, signal: AbortSignal, feed: Feed | undefined) {
    signal.throwIfAborted();
    clearTimeout(idle);
    if (!child || !isAlive(child.process)) child = { process: await start(options), requests: 0 };
    const current = child;
    try {
      const answer = await exchange<Answer>(current.process, request, feed, options, signal);
      const isWorn =
        ++current.requests >= options.requestsPerProcess ||
        answer.rss > (options.memoryMb / 2) * 1024 * 1024;
      if (isWorn) await retire();
      else idle = setTimeout(() => void retire(), IDLE_MS).unref();
      return answer;
    } catch (error) {
      await retire();
      throw error;
    }
  }

  async function retire(): Promise<void> {
    clearTimeout(idle);
    const old = child;
    child = null;
    if (old) await kill(old.process);
  }

  return {
    run: (request, signal, feed) =>
      oneAtATime(work, request, AbortSignal.any([signal, closing.signal]), feed),
    close() {
      closing.abort(new Error('the limited process was closed'));
      return oneAtATime(retire);
    },
  };
}

const isAlive = ({ connected, exitCode, signalCode }: ChildProcess) =>
  connected && exitCode === null && signalCode === null;

async function start(options: ProcessOptions): Promise<ChildProcess> {
  const { entry, memoryMb } = options;
  const readable = await options.readable();
  const watchdog = new URL(`./watchdog${extname(import.meta.url)}`, import.meta.url);
  const child = fork(entry, [String(memoryMb * 1024 * 1024), ...(options.arguments ?? [])], {
    env: {},
    execArgv: [
      `--max-old-space-size=${Math.ceil(memoryMb * 0.75)}`,
      '--permission',
      '--allow-worker',
      ...readable.map((path) => `--allow-fs-read=${path}`),
      '--disable-warning=SecurityWarning',
      '--import',
      watchdog.href,
    ],
    stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
  });
  // A write to a process that was killed fails here; its exit tells the story.
  child.stdin?.on('error', () => {});
  const [first] = await Promise.race([once(child, 'message'), once(child, 'exit')]).catch(
    (cause) => {
      throw new ProcessBroke('gone', 'cannot be started', cause);
    },
  );
  if (first !== READY) throw new Error(`a limited process ended at once: ${first}`);
  return child;
}

function exchange<Answer>(
  child: ChildProcess,
  request: object,
  feed: Feed | undefined,
  { timeoutMs, memoryMb }: ProcessOptions,
  signal: AbortSignal,
): Promise<Answer> {
  // The sync may have ended while the process began, and will not say so again.
  signal.throwIfAborted();
  const settled = new AbortController();
  const answer = new Promise<Answer>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new ProcessBroke('time', `took more than ${timeoutMs / 1000} s`)),
      timeoutMs,
    );
    const onExit = (code: number | null, name: string | null) =>
      reject(
        // Killed by its watchdog, by the operating system, or by V8 at the end of its heap.
        name === 'SIGKILL' || name === 'SIGABRT' || code === 134
          ? new ProcessBroke('memory', `took more than ${memoryMb} MB of memory`)
          : new ProcessBroke('exit', `ended with ${name ?? code}`),
      );
    child.once('message', (message) => resolve(message as Answer));
    child.once('exit', onExit);
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort);
    settled.signal.addEventListener('abort', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      child.removeAllListeners('message');
      child.off('exit', onExit);
    });
    child.send(request, (error) => {
      if (error) reject(new ProcessBroke('gone', 'is gone', error));
    });
    if (child.stdin && feed) feed(child.stdin, settled.signal).catch(reject);
  });
  return answer.finally(() => settled.abort());
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
