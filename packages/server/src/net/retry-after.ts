/** When a service wants to be asked again (RFC 9110, 10.2.3): a number of seconds, or a date. */

type ReadHeader = (name: string) => string | null | undefined;

/**
 * Seconds from the moment of the answer; undefined when it does not say. A date is told by the clock
 * of the service, which the answer's own `Date` shows; ours is taken only where there is none.
 */
export function retryAfterOf(header: ReadHeader, now: number): number | undefined {
  const text = header('retry-after')?.trim() ?? '';
  // Some services send fractions, which the RFC does not know.
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  const at = dateOf(text);
  if (at === undefined) return undefined;
  return Math.max(0, (at - (dateOf(header('date') ?? '') ?? now)) / 1000);
}

/** All three forms of an HTTP date; the oldest of them does not name its zone, which is GMT. */
function dateOf(text: string): number | undefined {
  if (!/^[a-z]{3,9},? /i.test(text)) return undefined;
  const at = Date.parse(/ GMT$/.test(text) ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : at;
}
