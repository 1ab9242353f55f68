/** Gives the lines of the log to the program that embeds Quarry, without secrets. */
import pino, { type Logger } from 'pino';
import { scrub } from '../log.ts';
import type { EmbeddedLog } from './options.ts';

const { debug, info, warn } = pino.levels.values as Record<keyof EmbeddedLog, number>;

export function hostLog(level: string, log: EmbeddedLog | undefined): Logger {
  const write = (line: string) => {
    const { level, msg = '', time: _, ...fields } = JSON.parse(scrub(line));
    // An error that the program throws while it logs is its own, and must not end a sync.
    queueMicrotask(() => log?.[methodFor(level)](fields, msg));
  };
  return pino({ level, base: null }, { write });
}

function methodFor(level: number): keyof EmbeddedLog {
  if (level <= debug) return 'debug';
  if (level <= info) return 'info';
  return level <= warn ? 'warn' : 'error';
}
