/** Reads why Microsoft Graph refuses a request (https://learn.microsoft.com/graph/errors). */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import type { CloudApi } from '../api.ts';

const Refusal = z.object({
  error: z.object({ code: z.string().nullish(), message: z.string().nullish() }),
});

/** The person has no mailbox at Exchange Online. */
export class NoMailbox extends SourceError {}

/** Graph does not understand the request, such as the link to a page that it has forgotten. */
export class BadRequest extends SourceError {}

/** Graph no longer knows the position of a delta query, whatever the status is. */
const OUTDATED = /^(?:resync|syncState)/i;

export const refusal: NonNullable<CloudApi<unknown>['refusal']> = ({ status, body }) => {
  if (status < 400) return undefined;
  const { code, message } = Refusal.safeParse(body).data?.error ?? {};
  const says = `Microsoft Graph answered ${status}: ${message || code || 'it gives no reason'}`;
  if (status === 410 || OUTDATED.test(code ?? '')) return new SourceError('outdated', says);
  if (/^Mailbox(?:NotEnabledForRESTAPI|NotSupportedForRESTAPI)$/.test(code ?? ''))
    return new NoMailbox('skip', says);
  if (status === 400) return new BadRequest('fatal', says);
  // Somebody has locked the file.
  return status === 423 ? new SourceError('skip', says) : undefined;
};
