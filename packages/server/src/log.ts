/**
 * The log consists of JSON lines on standard error, or of readable lines on a terminal. Secrets are removed by
 * their form from the finished line, because redaction by path misses them in messages and nested errors.
 */
import { Writable } from 'node:stream';
import pino, { type Logger } from 'pino';
import pretty from 'pino-pretty';

/** These are our API keys, signing secrets, bearer tokens, and passwords in URLs. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/quarry_[A-Za-z0-9_-]{43}/g, 'quarry_***'],
  [/whsec_[A-Za-z0-9+/=]+/g, 'whsec_***'],
  [/(Bearer\s+)[A-Za-z0-9._~+/=-]+/gi, '$1***'],
  [/(:\/\/[^\s:/@"]*):[^\s/@"]+@/g, '$1:***@'],
];

export const scrub = (text: string): string =>
  PATTERNS.reduce((line, [pattern, replacement]) => line.replace(pattern, replacement), text);

export function createLog(level: string, options = { pretty: process.stderr.isTTY }): Logger {
  const sink = options.pretty
    ? pretty({ colorize: true, ignore: 'pid,hostname', destination: process.stderr })
    : process.stderr;
  const scrubbing = new Writable({
    decodeStrings: false,
    write(line: string, _encoding, done) {
      sink.write(scrub(line));
      done();
    },
  });
  return pino({ level, base: null }, scrubbing);
}
