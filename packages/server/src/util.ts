/** Small functions with no other home. */

/** The value, which the caller knows to be there. */
export function must<T>(value: T | null | undefined, message = 'a value is missing'): T {
  if (value === null || value === undefined) throw new Error(message);
  return value;
}

/** Runs of at most `size`, in order. */
export function* chunked<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

/** Milliseconds since 1970 as ISO 8601 in UTC, the form of every timestamp on the wire. */
export const instant = (ms: number): string => new Date(ms).toISOString();
export const instantOrNull = (ms: number | null): string | null =>
  ms === null ? null : instant(ms);
