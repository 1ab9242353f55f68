/** The server could not answer now. It may be asked again, after `wait` seconds if it has said so. */

import type { ResponseHeaders } from '../../net/guarded-send.ts';
import { retryAfterOf } from '../../net/retry-after.ts';

export class Trouble extends Error {
  override readonly name = 'Trouble';
  readonly wait: number | undefined;
  /** The server has received too many requests. */
  readonly isLimit: boolean;

  constructor(
    message: string,
    { wait, isLimit = false }: { wait?: number | undefined; isLimit?: boolean } = {},
  ) {
    super(message);
    this.wait = wait;
    this.isLimit = isLimit;
  }
}

/** Returns the trouble of an answer, or undefined when the server could answer. */
export function troubleIn(
  { status, headers }: { readonly status: number; readonly headers: ResponseHeaders },
  where: string,
): Trouble | undefined {
  if (status < 500 && ![408, 425, 429].includes(status)) return undefined;
  const wait = retryAfterOf(headers, Date.now());
  return new Trouble(`${where} answered ${status}`, { wait, isLimit: status === 429 });
}
