/**
 * One child process for hostile work: without the environment, without a file to read but those it is
 * given, without leave to write or to start anything, limited in time and memory. One request at a time;
 * one that breaks a limit is killed together with the process, and costs nothing else.
 *
 * What keeps it in: the permission model of Node, what `fence.ts` takes away, `watchdog.ts`, and the
 * operating system, which lets it write nothing into files.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import pLimit from 'p-limit';
import { z } from 'zod';
import { ANSWERS, frame, type Incoming, incoming } from './frames.ts';

/** A process that has nothing to do for so long is let go. */
const IDLE_MS = 30_000;
/** The longest answer: 32 million characters, which JSON and UTF-8 make longer, have room in it. */
const MOST_ANSWER_BYTES = 128 * 1024 * 1024;
/** No byte into any file, and no image of the memory where the process aborts. */
const WITHOUT_FILES = 'ulimit -f 0 && ulimit -c 0 && exec "$0" "$@"';

export interface ProcessOptions<Outcome> {
  readonly entry: URL;
  /** Foreign code can write where the answers come from: what has another form is no answer. */
  readonly outcome: z.ZodType<Outcome>;
  /** Files and folders that a process may read that begins now. */
  readonly readable: () => Promise<readonly string[]>;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  /** Whether it may use the network. */
  readonly mayConnect: boolean;
  /** Requests after which a fresh process takes over, so that what leaks does not add up. */
  readonly requestsPerProcess: number;
}

export interface LimitedProcess<Request, Outcome> {
  /** `feed` writes what goes with the request to its standard input. Throws ProcessBroke. */
  run(request: Request, signal: AbortSignal, feed?: Feed): Promise<Outcome>;
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
  readonly requestsTo: Writable;
  readonly answers: Incoming;
  requests: number;
}

export function createLimitedProcess<Request extends object, Outcome>(
  options: ProcessOptions<Outcome>,
): LimitedProcess<Request, Outcome> {
  const oneAtATime = pLimit(1);
  const closing = new AbortController();
  let child: Child | null = null;
  let idle: NodeJS.Timeout | undefined;

  async function work(request: Request, signal: AbortSignal, feed: Feed | undefined) {
    signal.throwIfAborted();
    clearTimeout(idle);
    if (!child || !isAlive(child.process)) child = await start(options);
    const current = child;
    try {
      const { rss, outcome } = await exchange(current, request, feed, options, signal);
      const isWorn =
        ++current.requests >= options.requestsPerProcess ||
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
    run: (request, signal, feed) =>
      oneAtATime(work, request, AbortSignal.any([signal, closing.signal]), feed),
    close() {
      closing.abort(new Error('the limited process was closed'));
      return oneAtATime(retire);
    },
  };
}

const isAlive = ({ exitCode, signalCode }: ChildProcess) =>
  exitCode === null && signalCode === null;

async function start(options: ProcessOptions<unknown>): Promise<Child> {
  const command = [process.execPath, ...(await argumentsOf(options))];
  // Windows has no such limit.
  if (process.platform !== 'win32') command.unshift('/bin/sh', '-c', WITHOUT_FILES);
  const [program = '', ...rest] = command;
  const started = spawn(program, rest, { env: {}, stdio: ['pipe', 'ignore', 'ignore', 'pipe'] });
  const child = {
    process: started,
    requestsTo: started.stdin as Writable,
    answers: incoming(started.stdio[ANSWERS] as Readable),
    requests: 0,
  };
  // A write to a process that was killed fails here; its exit tells the story.
  child.requestsTo.on('error', () => {});
  const ended = once(started, 'exit').catch((cause) => {
    throw new ProcessBroke('gone', 'cannot be started', cause);
  });
  const isReady = child.answers.message(MOST_ANSWER_BYTES).then((first) => first !== null);
  if (await Promise.race([isReady, ended.then(() => false)])) return child;
  const [code, signal] = await ended;
  throw new Error(`a limited process ended at once: ${signal ?? code}`);
}

async function argumentsOf(options: ProcessOptions<unknown>): Promise<string[]> {
  const { entry, memoryMb, mayConnect } = options;
  const ours = (name: string) =>
    new URL(`./${name}${extname(import.meta.url)}`, import.meta.url).href;
  return [
    `--max-old-space-size=${Math.ceil(memoryMb * 0.75)}`,
    '--permission',
    // The watchdog is one; the fence takes the leave back.
    '--allow-worker',
    // Node 24 does not know the flag: there the network is closed by the fence alone.
    ...(mayConnect && KNOWS_NETWORK ? ['--allow-net'] : []),
    ...(await options.readable()).map((path) => `--allow-fs-read=${path}`),
    // It opens files without asking the permission model.
    '--no-experimental-sqlite',
    '--disable-warning=SecurityWarning',
    '--import',
    ours('watchdog'),
    '--import',
    ours('fence'),
    fileURLToPath(entry),
    String(memoryMb * 1024 * 1024),
    String(mayConnect),
  ];
}

const KNOWS_NETWORK = process.allowedNodeEnvironmentFlags.has('--allow-net');

interface ProcessAnswer<Outcome> {
  /** Bytes that the process holds. */
  readonly rss: number;
  readonly outcome: Outcome;
}

function exchange<Outcome>(
  { process: child, requestsTo, answers }: Child,
  request: object,
  feed: Feed | undefined,
  { timeoutMs, memoryMb, outcome }: ProcessOptions<Outcome>,
  signal: AbortSignal,
): Promise<ProcessAnswer<Outcome>> {
  // The sync may have ended while the process began, and will not say so again.
  signal.throwIfAborted();
  const settled = new AbortController();
  const answer = new Promise<ProcessAnswer<Outcome>>((resolve, reject) => {
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
    child.once('exit', onExit);
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort);
    settled.signal.addEventListener('abort', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      child.off('exit', onExit);
    });
    answers.message(MOST_ANSWER_BYTES).then(
      (message) => {
        // After null nothing comes: whether the process has ended or hangs is seen above.
        if (message === null) return;
        const [held, parsed] = [Held.safeParse(message), outcome.safeParse(message)];
        if (!held.success) reject(nonsense(held.error));
        else if (!parsed.success) reject(nonsense(parsed.error));
        else resolve({ rss: held.data.rss, outcome: parsed.data });
      },
      (cause) => reject(nonsense(cause)),
    );
    requestsTo.write(frame(request));
    if (feed) feed(requestsTo, settled.signal).catch(reject);
  });
  return answer.finally(() => settled.abort());
}

/** What `serve.ts` adds to every answer. */
const Held = z.object({ rss: z.number() });

const nonsense = (cause?: unknown) => new ProcessBroke('exit', 'answered nothing of use', cause);

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
