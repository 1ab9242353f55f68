/** `quarry logs` prints the last lines of the log of the service, and goes on with new ones. */
import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';
import { prettyFactory } from 'pino-pretty';
import type { Config } from '../config.ts';
import { logFileOf, olderLogOf } from '../log-file.ts';
import { plain } from './live-line.ts';

interface LogFlags {
  readonly lines: number;
  readonly follow?: boolean;
}

const POLL_MS = 200;

/** Prints JSON lines, or readable lines at a terminal. Throws an Error with a message for users without a log. */
export async function logs(config: Config, { lines, follow = false }: LogFlags): Promise<void> {
  const file = logFileOf(config);
  if (file === null)
    throw new Error('a service with PostgreSQL writes its log to standard error only');
  if (!existsSync(file) && !follow)
    throw new Error(
      `${file} does not exist: no service has written a log with this data yet; name another folder with --data-dir`,
    );
  const print = printerTo(process.stdout);
  const whole = readIf(file);
  const last = (readIf(olderLogOf(file)) + whole).split('\n').slice(0, -1);
  for (const line of last.slice(Math.max(0, last.length - lines))) print(line);
  if (follow) await followLines(file, Buffer.byteLength(whole), print);
}

/** A log file is small, because a new one begins when it has grown (log-file.ts). */
const readIf = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');

function printerTo(out: NodeJS.WriteStream): (line: string) => void {
  const format = out.isTTY ? prettyFactory({ colorize: true, ignore: 'pid,hostname' }) : null;
  return (line) => void out.write(format ? format(harmless(line)) : `${line}\n`);
}

/** Returns the JSON without characters that control a terminal, also where they are escaped. */
const harmless = (json: string): string => plain(json).replaceAll(/\\u00[01][\da-f]/gi, ' ');

/** Ctrl-C ends the process. The log is read by its name each time, so a new file is followed, too. */
async function followLines(
  file: string,
  start: number,
  print: (line: string) => void,
): Promise<never> {
  let offset = start;
  let decoder = new StringDecoder('utf8');
  let unfinished = '';
  for (;;) {
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size < offset) {
      offset = 0;
      decoder = new StringDecoder('utf8');
      unfinished = '';
    }
    if (size > offset) {
      const bytes = bytesOf(file, { offset, length: size - offset });
      offset += bytes.length;
      const lines = (unfinished + decoder.write(bytes)).split('\n');
      unfinished = lines.pop() ?? '';
      for (const line of lines) print(line);
    }
    await sleep(POLL_MS);
  }
}

function bytesOf(file: string, { offset, length }: { offset: number; length: number }): Buffer {
  const bytes = Buffer.alloc(length);
  const descriptor = openSync(file, 'r');
  try {
    return bytes.subarray(0, readSync(descriptor, bytes, 0, length, offset));
  } finally {
    closeSync(descriptor);
  }
}
