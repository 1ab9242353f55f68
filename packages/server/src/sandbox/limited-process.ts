/**
 * A limited process is one child process for hostile work. It has no environment, reads only the files that it is
 * given, may neither write nor start anything, and is limited in time and memory. It works on one request at a
 * time; a request that breaks a limit is killed together with the process, and costs nothing else.
 *
 * Four things keep it in: the permission model of Node, what `fence.ts` removes, `watchdog.ts`, and the operating
 * system, which does not let it write into files.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import pLimit from 'p-limit';
import { z } from 'zod';
import { ANSWERS, frame, type Incoming, incoming } from './frames.ts';

/** A process that has had nothing to do for this time is ended. */
const IDLE_MS = 30_000;
/** An answer may be this long: there is room for 32 million characters, which JSON and UTF-8 make longer. */
const MOST_ANSWER_BYTES = 128 * 1024 * 1024;
/** The limits let the process write no byte into any file, and no image of its memory when it aborts. */
const WITHOUT_FILES = 'ulimit -f 0 && ulimit -c 0 && exec "$0" "$@"';

export interface ProcessOptions<Outcome> {
  readonly entry: URL;
  /**
   * Foreign code can write to the channel of the answers, so a message of another form does not count as an answer.
   */
  readonly outcome: z.ZodType<Outcome>;
  /** A process that starts now may read these files and folders. */
  readonly readable: () => Promise<readonly string[]>;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  /** The process may use the network when this is true. */
  readonly mayConnect: boolean;
  /** A fresh process takes over after this many requests, so that leaks of memory do not add up. */
  readonly requestsPerProcess: number;
}

export interface LimitedProcess<Request, Outcome> {
  /** `feed` writes the bytes that belong to the request to the standard input of the process. Throws ProcessBroke. */
  run(request: Request, signal: AbortSignal, feed?: Feed): Promise<Outcome>;
  close(): Promise<void>;
}

/** A feed stops early once `settled` aborts, because then the process reads no further. */
type Feed = (input: Writable, settled: AbortSignal) => Promise<void>;

/** The process ended in the middle of its work, or something kept it from starting any. */
export class ProcessBroke extends Error {
  override readonly name = 'ProcessBroke';
  /** `gone` means that the process cannot be started or reached, whatever work it was to do. */
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
      const { rss, outcome } = await exchange(current, { request, feed, signal }, options);
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
  // Windows does not have these limits.
  if (process.platform !== 'win32') command.unshift('/bin/sh', '-c', WITHOUT_FILES);
  const [program = '', ...rest] = command;
  const started = spawn(program, rest, { env: {}, stdio: ['pipe', 'ignore', 'ignore', 'pipe'] });
  const child = {
    process: started,
    requestsTo: started.stdin as Writable,
    answers: incoming(started.stdio[ANSWERS] as Readable),
    requests: 0,
  };
  // A write to a process that was killed fails here; the exit of the process tells the reason.
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
    // The watchdog is a worker thread; the fence drops this permission once it runs.
    '--allow-worker',
    // Node 24 does not know this flag, so there only the fence closes the network.
    ...(mayConnect && KNOWS_NETWORK ? ['--allow-net'] : []),
    ...(await options.readable()).map((path) => `--allow-fs-read=${path}`),
    // The module `node:sqlite` opens files without asking the permission model.
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
  /** `rss` is the memory that the process holds, in bytes. */
  readonly rss: number;
  readonly outcome: Outcome;
}

interface Exchange {
  readonly request: object;
  readonly feed: Feed | undefined;
  readonly signal: AbortSignal;
}

function exchange<Outcome>(
  { process: child, requestsTo, answers }: Child,
  { request, feed, signal }: Exchange,
  { timeoutMs, memoryMb, outcome }: ProcessOptions<Outcome>,
): Promise<ProcessAnswer<Outcome>> {
  // The sync may have ended while the process was starting, and the signal does not report that again.
  signal.throwIfAborted();
  const settled = new AbortController();
  const answer = new Promise<ProcessAnswer<Outcome>>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new ProcessBroke('time', `took more than ${timeoutMs / 1000} s`)),
      timeoutMs,
    );
    const onExit = (code: number | null, name: string | null) =>
      reject(
        // The process was killed by its watchdog, by the operating system, or by V8 at the end of its heap.
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
        // No message comes after null. The handlers above find out whether the process has ended or hangs.
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

/** `serve.ts` adds these fields to every answer. */
const Held = z.object({ rss: z.number() });

const nonsense = (cause?: unknown) =>
  new ProcessBroke('exit', 'gave an answer that cannot be used', cause);

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
