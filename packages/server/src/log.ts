/**
 * The log consists of JSON lines on standard error, or of readable lines on a terminal. Secrets are removed by
 * their form from the finished line, because redaction by path misses them in messages and nested errors.
 */
import { Writable } from 'node:stream';
import pino, { type Logger } from 'pino';
import pretty from 'pino-pretty';
import { appendToLog } from './log-file.ts';

/** These are our API keys, signing secrets, bearer tokens, and passwords in URLs. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/quarry_[A-Za-z0-9_-]{43}/g, 'quarry_***'],
  [/whsec_[A-Za-z0-9+/=]+/g, 'whsec_***'],
  [/(Bearer\s+)[A-Za-z0-9._~+/=-]+/gi, '$1***'],
  [/(:\/\/[^\s:/@"]*):[^\s/@"]+@/g, '$1:***@'],
];

export const scrub = (text: string): string =>
  PATTERNS.reduce((line, [pattern, replacement]) => line.replace(pattern, replacement), text);

interface LogOptions {
  /** It is true when a person reads standard error. */
  readonly pretty?: boolean;
  /** The lines also go, as JSON, to the end of this file. */
  readonly file?: string | null;
}

export function createLog(
  level: string,
  { pretty: isPretty = process.stderr.isTTY, file = null }: LogOptions = {},
): Logger {
  const sink = isPretty
    ? pretty({ colorize: true, ignore: 'pid,hostname', destination: process.stderr })
    : process.stderr;
  const scrubbing = new Writable({
    decodeStrings: false,
    write(line: string, _encoding, done) {
      const clean = scrub(line);
      sink.write(clean);
      if (file !== null) appendToLog(file, clean);
      done();
    },
  });
  return pino({ level, base: null }, scrubbing);
}
