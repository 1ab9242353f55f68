/** These small functions belong to no other file. */
import { randomUUID } from 'node:crypto';

let lastMs = 0;
let counter = 0;

/**
 * Makes a UUIDv7. The ids of one process are in the order in which they were made, also within a millisecond and
 * when the clock is set back: the 12 bits after the time count (RFC 9562, section 6.2, method 1).
 */
export function newId(): string {
  const now = Date.now();
  counter = now > lastMs ? 0 : counter + 1;
  lastMs = Math.max(now, lastMs);
  if (counter > 0xfff) {
    lastMs++;
    counter = 0;
  }
  const count = counter.toString(16).padStart(3, '0');
  // This part of a random UUID holds the variant and 62 random bits.
  return `${partOfTime(lastMs)}-7${count}${randomUUID().slice(18)}`;
}

function partOfTime(ms: number): string {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}`;
}

/**
 * Makes an id that comes after `earlier`, even when that one was made on another machine whose clock is ahead, or
 * before the clock was set back.
 */
export function newIdAfter(earlier: string): string {
  const id = newId();
  return id > earlier ? id : `${partOfTime(timeOfId(earlier) + 1)}${id.slice(13)}`;
}

/** Returns when the id was made, in milliseconds since 1970. */
export const timeOfId = (id: string): number =>
  Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** Returns a function that calls `make` when it is called for the first time, and always returns what that call returned. */
export function onFirstUse<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/**
 * Returns a function whose callers share one answer of `make` for so many milliseconds, so that many of them cost as much
 * as one.
 */
export function sharedFor<T>(
  ms: number,
  make: () => Promise<T>,
  now: () => number = () => performance.now(),
): () => Promise<T> {
  let madeAt = Number.NEGATIVE_INFINITY;
  let made: Promise<T>;
  return () => {
    if (now() - madeAt < ms) return made;
    madeAt = now();
    made = make();
    return made;
  };
}

/**
 * Returns a function that runs `make` once at a time: who calls it meanwhile gets the answer of the call that runs. Each
 * caller waits at most `ms` milliseconds, and then gets the error that `late` makes; the call itself goes on.
 */
export function oneAtATime<T>(
  make: () => Promise<T>,
  { ms, late }: { readonly ms: number; readonly late: () => Error },
): () => Promise<T> {
  let running: Promise<T> | undefined;
  return async () => {
    running ??= make().finally(() => {
      running = undefined;
    });
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(late()), ms);
    try {
      return await Promise.race([running, promise]);
    } finally {
      clearTimeout(timer);
    }
  };
}

/**
 * Runs the steps one after the other, also those after one that fails, such as the steps that close a process. `report`
 * gets each error. Throws the first one at the end.
 */
export async function runAll(
  steps: readonly (() => Promise<void> | void)[],
  report: (error: unknown) => void,
): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps)
    try {
      await step();
    } catch (error) {
      errors.push(error);
      report(error);
    }
  if (errors.length > 0) throw errors[0];
}

/** Returns the value, which the caller knows to exist. Throws an Error otherwise. */
export function must<T>(value: T | null | undefined, message = 'a value is missing'): T {
  if (value === null || value === undefined) throw new Error(message);
  return value;
}

/** Returns the items in groups of at most `size`, in order. */
export function* chunked<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

export interface Deadline {
  readonly ms: number;
  readonly late: () => Error;
  readonly signal: AbortSignal;
}

/**
 * Yields groups of neighbours whose sizes add up to at most `most`. An item that is larger is in a group without
 * other items, except for those without a size.
 */
export function* groupedBySize<T>(
  items: Iterable<T>,
  sizeOf: (item: T) => number,
  most: number,
): Generator<T[]> {
  let group: T[] = [];
  let sum = 0;
  for (const item of items) {
    const size = sizeOf(item);
    if (sum > 0 && size > 0 && sum + size > most) {
      yield group;
      group = [];
      sum = 0;
    }
    group.push(item);
    sum += size;
  }
  if (group.length > 0) yield group;
}

/**
 * Runs work whose signal aborts when `signal` does, or after `ms` milliseconds with the error that `late` makes.
 * The result is that of the work.
 */
export async function within<T>(
  { ms, late, signal }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(late()), ms).unref();
  try {
    return await work(AbortSignal.any([signal, timeout.signal]));
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Starts the work unless the signal has aborted. Rejects when the signal aborts, whether the work looks at the signal
 * or not.
 */
export async function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work(), promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/**
 * Returns at most this many UTF-16 units of a text, and never half a character, because some readers of JSON refuse
 * one.
 */
export const beginningOf = (text: string, units: number): string =>
  text.slice(0, text.codePointAt(units - 1)! > 0xffff ? units - 1 : units);

/** Returns the text with single blanks in the place of all white space. */
export const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Returns bytes, each of which is a character of Latin-1, as text in which those beyond ASCII are written as `\xe4`. */
export const withBytesEscaped = (latin1: string): string =>
  latin1.replaceAll(/[^\x20-\x7e]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`);

/** Turns milliseconds since 1970 into ISO 8601 in UTC, the form of every timestamp in the API. */
export const instant = (ms: number): string => new Date(ms).toISOString();
export const instantOrNull = (ms: number | null): string | null =>
  ms === null ? null : instant(ms);
