/** Reads when a service wants to be asked again (RFC 9110, 10.2.3): a number of seconds, or a date. */

import type { ResponseHeaders } from './guarded-send.ts';

/**
 * Returns the seconds from the moment of the answer, or undefined when the answer does not name a time. A date is
 * compared with the header `Date` of the same answer, because both come from the clock of the service. Without that
 * header it is compared with `now`, in milliseconds since 1970.
 */
export function retryAfterOf(headers: ResponseHeaders, now: number): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? '';
  // Some services send fractions, which the RFC does not allow.
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  const at = dateOf(text);
  if (at === undefined) return undefined;
  return Math.max(0, (at - (dateOf(headers.get('date') ?? '') ?? now)) / 1000);
}

/** Reads all three forms of an HTTP date. The oldest form does not name its zone, which is GMT. */
function dateOf(text: string): number | undefined {
  if (!/^[a-z]{3,9},? /i.test(text)) return undefined;
  const at = Date.parse(/ GMT$/.test(text) ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : at;
}
