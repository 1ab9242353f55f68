import type { ResponseHeaders } from '../../net/guarded-send.ts';

/**
 * Returns the time of the service's clock at its answer, in milliseconds since 1970, because the clock of this machine may
 * be wrong. It is used only where an answer has no valid `Date`, which a server with a clock must send
 * (https://www.rfc-editor.org/rfc/rfc9110#section-6.6.1).
 */
export const serviceTime = (headers: ResponseHeaders): number =>
  Date.parse(headers.get('date') ?? '') || Date.now();
