/** Runs some test files in one process of node's test runner, and follows what they do. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readSync, statSync, writeFileSync } from 'node:fs';
import { type Line, parse } from './test-record.ts';

const RECORDER = new URL('test-record.ts', import.meta.url).href;
const LOOK_MS = 100;

export interface TestProcessOptions {
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The lines of test-record.ts are written there. */
  readonly record: string;
  readonly timeoutMs: number;
  readonly onLine: (line: Line) => void;
}

export interface TestProcess {
  readonly child: ChildProcess;
  /** The exit code or the name of the signal that ended it. */
  readonly ended: Promise<number | string>;
}

/** A process in which no test ends for longer than one may take was left open by something, and is killed. */
export function runTests(files: readonly string[], options: TestProcessOptions): TestProcess {
  const { flags, env, record, timeoutMs, onLine } = options;
  writeFileSync(record, '');
  const child = spawn(
    process.execPath,
    [
      ...['-C', 'quarry', '--test', `--test-timeout=${timeoutMs}`],
      ...[`--test-reporter=${RECORDER}`, `--test-reporter-destination=${record}`],
      ...flags,
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

/** Gives a function that gives the lines which have been completed since its last call. */
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
