/**
 * Runs the program git for repositories that may be hostile. A run gets no environment of this process, no settings of
 * the machine or of its users, and no hooks. It may use one protocol, and is limited in time, memory and the size of
 * its files. When it is stopped, so is everything that it has started.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { failureOf, type GitFailure, notInstalled } from './failure.ts';

const PROGRAMS = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin';
/** Files in blocks of 512 bytes: 4 GiB. Memory in KiB: 4 GiB of addresses, of which most are parts of mapped files. */
const LIMITED = 'ulimit -c 0; ulimit -f 8388608; ulimit -v 4194304 2>/dev/null; exec "$0" "$@"';
const MAX_STDERR = 16 * 1024;
const CREDENTIALS_FD = 3;

const SETTINGS: Readonly<Record<string, string>> = {
  'core.hooksPath': '/dev/null',
  'core.askPass': '',
  'core.bigFileThreshold': '16m',
  'core.packedGitWindowSize': '16m',
  'core.packedGitLimit': '128m',
  'core.deltaBaseCacheLimit': '32m',
  'credential.helper': '',
  'fetch.recurseSubmodules': 'false',
  'fetch.unpackLimit': '1',
  'fetch.writeCommitGraph': 'false',
  'gc.auto': '0',
  'http.followRedirects': 'false',
  'http.lowSpeedLimit': '1000',
  'http.lowSpeedTime': '60',
  'http.proxy': '',
  'maintenance.auto': 'false',
  'pack.threads': '1',
  'pack.windowMemory': '64m',
  'protocol.allow': 'never',
  'protocol.version': '2',
  'transfer.bundleURI': 'false',
};

/** A helper of git for credentials prints what stands in the file descriptor. It ignores all words after it. */
const HELPER = `!cat <&${CREDENTIALS_FD} #`;

export interface GitRun {
  readonly args: readonly string[];
  readonly folder: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** These settings are added to those for all runs. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** These credentials for http go through a file descriptor, so that they are in no list of processes. */
  readonly credentials?: { readonly username: string; readonly password: string } | undefined;
  /** Errors must not show these texts. */
  readonly hidden?: readonly string[];
}

export interface RunningGit {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves when git has ended well. Throws a SourceError, or the reason of the signal. */
  readonly ended: Promise<void>;
  stop(): void;
}

export function startGit(run: GitRun): RunningGit {
  run.signal.throwIfAborted();
  const { args, folder, credentials } = run;
  const command = ['git', ...args];
  // The shell and its limits do not exist on Windows.
  if (process.platform !== 'win32') command.unshift('/bin/sh', '-c', LIMITED);
  const [program = '', ...rest] = command;
  const child = spawn(program, rest, {
    cwd: folder,
    env: environmentOf(run),
    // A group of its own can be stopped as a whole.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', credentials ? 'pipe' : 'ignore'],
  });
  const stdin = child.stdin as Writable;
  const stdout = child.stdout as Readable;
  // A write to a process that has ended fails here. The end of the process says more.
  stdin.on('error', () => {});
  if (credentials) give(child, credentials);
  return { stdin, stdout, ended: ending(child, run), stop: () => killGroup(child) };
}

/** Runs git to its end, and returns what it prints. More than `maxBytes` is a failure. */
export async function runGit(run: GitRun, input = '', maxBytes = 16 * 2 ** 20): Promise<string> {
  const git = startGit(run);
  git.ended.catch(() => {});
  git.stdin.end(input);
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of git.stdout) {
    bytes += (piece as Buffer).length;
    if (bytes > maxBytes) {
      git.stop();
      throw failureOf('fatal: the answer is too long', run);
    }
    pieces.push(piece as Buffer);
  }
  await git.ended;
  return Buffer.concat(pieces).toString();
}

function environmentOf({ folder, settings = {}, env = {}, credentials }: GitRun) {
  const all = Object.entries({
    ...SETTINGS,
    ...settings,
    ...(credentials && { 'credential.helper': HELPER }),
  });
  return {
    PATH: PROGRAMS,
    HOME: folder,
    LC_ALL: 'C',
    GIT_DIR: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_CONFIG_COUNT: String(all.length),
    ...Object.fromEntries(
      all.flatMap(([key, value], i) => [
        [`GIT_CONFIG_KEY_${i}`, key],
        [`GIT_CONFIG_VALUE_${i}`, value],
      ]),
    ),
    ...env,
  };
}

function give(child: ChildProcess, { username, password }: NonNullable<GitRun['credentials']>) {
  const pipe = child.stdio[CREDENTIALS_FD] as Writable;
  pipe.on('error', () => {});
  pipe.end(`username=${username}\npassword=${password}\n`);
}

async function ending(child: ChildProcess, run: GitRun): Promise<void> {
  let complaints = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(-MAX_STDERR);
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    killGroup(child);
  }, run.timeoutMs);
  const abort = () => killGroup(child);
  run.signal.addEventListener('abort', abort, { once: true });
  try {
    const [code, signal] = await once(child, 'close').catch((cause: unknown) => {
      throw notInstalled(cause);
    });
    run.signal.throwIfAborted();
    const failure: GitFailure = { ...run, isLate, signal };
    if (code === 127) throw notInstalled(complaints);
    if (code !== 0) throw failureOf(complaints, failure);
  } finally {
    clearTimeout(timer);
    run.signal.removeEventListener('abort', abort);
  }
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group has ended, or the system has no groups.
    child.kill('SIGKILL');
  }
}
