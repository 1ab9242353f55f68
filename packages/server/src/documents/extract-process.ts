/**
 * One child process for hostile work: without the environment, without a file to read but its own
 * code, without leave to write or to start anything, limited in time and memory. One document at a
 * time; a document that breaks a limit is killed together with the process, and costs nothing else.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, realpathSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import pLimit from 'p-limit';
import { SourceError } from '../errors.ts';
import { type Answer, type Outcome, READY, type Request } from './extract-protocol.ts';

/** A process that has nothing to do for so long is let go. */
const IDLE_MS = 30_000;
const BLOCK_BYTES = 1024 * 1024;

export interface ProcessOptions {
  readonly entry: URL;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  /** Documents after which a fresh process takes over, so that what leaks does not add up. */
  readonly documentsPerProcess: number;
}

export interface LimitedProcess {
  /** Throws a SourceError 'skip' when the document broke a limit or the process. */
  run(request: Request, file: FileHandle, signal: AbortSignal): Promise<Outcome>;
  close(): Promise<void>;
}

interface Child {
  readonly process: ChildProcess;
  documents: number;
}

export function createLimitedProcess(options: ProcessOptions): LimitedProcess {
  const oneAtATime = pLimit(1);
  const closing = new AbortController();
  let child: Child | null = null;
  let idle: NodeJS.Timeout | undefined;

  async function work(request: Request, file: FileHandle, signal: AbortSignal) {
    signal.throwIfAborted();
    clearTimeout(idle);
    if (!child || !isAlive(child.process)) child = { process: await start(options), documents: 0 };
    const current = child;
    try {
      const { rss, ...outcome } = await exchange(current.process, request, file, options, signal);
      const isWorn =
        ++current.documents >= options.documentsPerProcess ||
        rss > (options.memoryMb / 2) * 1024 * 1024;
      if (isWorn) await retire();
      else idle = setTimeout(() => void retire(), IDLE_MS).unref();
      return outcome;
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
    run: (request, file, signal) =>
      oneAtATime(work, request, file, AbortSignal.any([signal, closing.signal])),
    close() {
      closing.abort(new Error('the process that reads documents was closed'));
      return oneAtATime(retire);
    },
  };
}

const isAlive = ({ connected, exitCode, signalCode }: ChildProcess) =>
  connected && exitCode === null && signalCode === null;

async function start({ entry, memoryMb }: ProcessOptions): Promise<ChildProcess> {
  const watchdog = new URL(`./extract-watchdog${extname(import.meta.url)}`, import.meta.url);
  const child = fork(entry, [String(memoryMb * 1024 * 1024)], {
    env: {},
    execArgv: [
      `--max-old-space-size=${Math.ceil(memoryMb * 0.75)}`,
      '--permission',
      '--allow-worker',
      ...readable(entry).map((path) => `--allow-fs-read=${path}`),
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
      throw new SourceError('transient', 'the process that reads documents cannot be started', {
        cause,
      });
    },
  );
  if (first !== READY) throw new Error(`the process that reads documents ended at once: ${first}`);
  return child;
}

/** The code of the child, and where Node looks for the packages it uses. */
function readable(entry: URL): string[] {
  const packages = createRequire(import.meta.url).resolve.paths('htmlparser2') ?? [];
  const found = packages.filter((path) => existsSync(path));
  return [
    fileURLToPath(new URL('..', import.meta.url)),
    fileURLToPath(new URL('../../package.json', import.meta.url)),
    fileURLToPath(entry),
    ...found,
    ...found.map((path) => realpathSync(path)),
  ];
}

function exchange(
  child: ChildProcess,
  request: Request,
  file: FileHandle,
  { timeoutMs, memoryMb }: ProcessOptions,
  signal: AbortSignal,
): Promise<Answer> {
  const settled = new AbortController();
  const answer = new Promise<Answer>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(tooMuch(`took more than ${timeoutMs / 1000} s to read`)),
      timeoutMs,
    );
    const onExit = (code: number | null, name: string | null) =>
      reject(
        // Killed by its watchdog, by the operating system, or by V8 at the end of its heap.
        name === 'SIGKILL' || name === 'SIGABRT' || code === 134
          ? tooMuch(`took more than ${memoryMb} MB of memory to read`)
          : new SourceError(
              'skip',
              `the process that read the document ended with ${name ?? code}`,
            ),
      );
    child.once('message', (message) => resolve(message as Answer));
    child.once('exit', onExit);
    signal.addEventListener('abort', () => reject(signal.reason));
    settled.signal.addEventListener('abort', () => {
      clearTimeout(timer);
      child.removeAllListeners('message');
      child.off('exit', onExit);
    });
    child.send(request, (error) => {
      if (error)
        reject(
          new SourceError('transient', 'the process that reads documents is gone', {
            cause: error,
          }),
        );
    });
    feed(child, file, request.size, settled.signal).catch(reject);
  });
  return answer.finally(() => settled.abort());
}

const tooMuch = (what: string) =>
  new SourceError('skip', `the document ${what}`, { hint: 'Split it into smaller documents.' });

/** Ends early when the exchange is settled: nobody reads on. */
async function feed(
  child: ChildProcess,
  file: FileHandle,
  size: number,
  settled: AbortSignal,
): Promise<void> {
  const input = child.stdin;
  if (!input) throw new Error('the process that reads documents has no standard input');
  for (let at = 0; at < size && !settled.aborted; ) {
    const block = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, size - at));
    const { bytesRead } = await file.read(block, 0, block.length, at);
    if (bytesRead === 0) throw new SourceError('skip', 'the file became shorter while it was read');
    at += bytesRead;
    if (!input.write(block.subarray(0, bytesRead))) await drained(input, settled);
  }
}

async function drained(input: NonNullable<ChildProcess['stdin']>, settled: AbortSignal) {
  try {
    await once(input, 'drain', { signal: settled });
  } catch (error) {
    if (!settled.aborted) throw error;
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
