/** Small functions with no other home. */
import { randomUUID } from 'node:crypto';

let lastMs = 0;
let counter = 0;

/**
 * A UUIDv7. Those of one process are in the order in which they were made, also within a millisecond
 * and when the clock is set back: the 12 bits after the time count (RFC 9562, 6.2, method 1).
 */
export function newId(): string {
  const now = Date.now();
  counter = now > lastMs ? 0 : counter + 1;
  lastMs = Math.max(now, lastMs);
  if (counter > 0xfff) {
    lastMs++;
    counter = 0;
  }
  const time = lastMs.toString(16).padStart(12, '0');
  const count = counter.toString(16).padStart(3, '0');
  // Of a random UUID the part that holds the variant and 62 random bits.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count}${randomUUID().slice(18)}`;
}

/** The value, which the caller knows to be there. */
export function must<T>(value: T | null | undefined, message = 'a value is missing'): T {
  if (value === null || value === undefined) throw new Error(message);
  return value;
}

/** Runs of at most `size`, in order. */
export function* chunked<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

/**
 * Work whose signal aborts when `signal` does, or with the error that `late` makes after so many milliseconds.
 * Settles as the work does.
 */
export async function within<T>(
  ms: number,
  late: () => Error,
  signal: AbortSignal,
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

/** At most so many units of UTF-16 of a text, and no half of a character: not every reader of JSON takes one. */
export const beginningOf = (text: string, units: number): string =>
  text.slice(0, text.codePointAt(units - 1)! > 0xffff ? units - 1 : units);

/** Milliseconds since 1970 as ISO 8601 in UTC, the form of every timestamp on the wire. */
export const instant = (ms: number): string => new Date(ms).toISOString();
export const instantOrNull = (ms: number | null): string | null =>
  ms === null ? null : instant(ms);
