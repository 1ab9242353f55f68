/** Runs some test files in one process of node's test runner, and follows their progress. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readSync, statSync, writeFileSync } from 'node:fs';
import { type Line, parse } from './test-record.ts';

const RECORDER = new URL('test-record.ts', import.meta.url).href;
const LOOK_MS = 100;

const TOGETHER = new URL('test-entry.ts', import.meta.url).pathname;

export interface TestProcessOptions {
  /** If true, all files run in the process itself, and otherwise each file in a further one. */
  readonly isTogether: boolean;
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The lines of test-record.ts are written to this file. */
  readonly record: string;
  readonly timeoutMs: number;
  readonly onLine: (line: Line) => void;
}

export interface TestProcess {
  readonly child: ChildProcess;
  /** Resolves with the exit code, or with the name of the signal that ended the process. */
  readonly ended: Promise<number | string>;
}

/** Kills the process when no test ends for longer than one test may take, because something keeps it open. */
export function runTests(files: readonly string[], options: TestProcessOptions): TestProcess {
  const { isTogether, flags, env, record, timeoutMs, onLine } = options;
  writeFileSync(record, '');
  const child = spawn(
    process.execPath,
    [
      ...['-C', 'quarry', `--test-timeout=${timeoutMs}`],
      ...[`--test-reporter=${RECORDER}`, `--test-reporter-destination=${record}`],
      ...flags,
      isTogether ? TOGETHER : '--test',
      ...files,
    ],
    { stdio: 'inherit', env },
  );
  const follow = followLines(record);
  let last = 'nothing';
  const look = () => {
    for (const line of follow()) {
      if ('begun' in line) last = `${line.file} > ${line.begun}`;
      onLine(line);
    }
  };
  const watch = setInterval(() => {
    look();
    if (Date.now() - statSync(record).mtimeMs < timeoutMs + 30_000) return;
    clearInterval(watch);
    console.error(`No test ended for too long. What began last: ${last}`);
    child.kill('SIGKILL');
  }, LOOK_MS);
  const ended = new Promise<number | string>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      clearInterval(watch);
      look();
      resolve(code ?? signal ?? 'no exit code');
    });
  });
  return { child, ended };
}

/** Returns a function that returns the lines which have been completed since its last call. */
function followLines(path: string): () => Line[] {
  let at = 0;
  let rest = Buffer.alloc(0);
  return () => {
    const size = statSync(path).size;
    if (size === at) return [];
    const bytes = Buffer.alloc(size - at);
    const file = openSync(path, 'r');
    try {
      at += readSync(file, bytes, 0, bytes.length, at);
    } finally {
      closeSync(file);
    }
    const all = Buffer.concat([rest, bytes]);
    const end = all.lastIndexOf('\n') + 1;
    rest = all.subarray(end);
    return all.toString('utf8', 0, end).split('\n').filter(Boolean).map(parse);
  };
}
