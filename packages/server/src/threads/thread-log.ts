/**
 * A thread writes its log where its process does: to standard error, or by messages into the log of the thread that has
 * started it, which a program that embeds Quarry has given.
 */
import type { MessagePort } from 'node:worker_threads';
import pino, { type Level, type Logger } from 'pino';
import { createLog } from '../log.ts';
import { logFileOf } from '../log-file.ts';
import type { ThreadData } from './protocol.ts';

interface ThreadLine {
  readonly logLine: string;
}

export function createThreadLog({ config, logTo }: ThreadData, parent: MessagePort): Logger {
  const level = config.QUARRY_LOG_LEVEL;
  return logTo === 'parent'
    ? createParentLog(level, parent)
    : createLog(level, { pretty: logTo === 'terminal', file: logFileOf(config) });
}

/** Writes into the log of the thread that has started this one. */
export function createParentLog(level: string, parent: MessagePort): Logger {
  const write = (logLine: string) => parent.postMessage({ logLine } satisfies ThreadLine);
  return pino({ level, base: null }, { write });
}

/** Writes the line of a thread into the log. Returns false for a message that is something else. */
export function passLineOn(message: unknown, log: Logger): boolean {
  const { logLine } = Object(message) as Partial<ThreadLine>;
  if (logLine === undefined) return false;
  const { level, msg, time: _, ...fields } = JSON.parse(logLine);
  log[pino.levels.labels[level] as Level](fields, msg);
  return true;
}
