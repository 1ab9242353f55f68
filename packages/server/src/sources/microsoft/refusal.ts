/** Reads why Microsoft Graph refuses a request (https://learn.microsoft.com/graph/errors). */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import type { CloudApi } from '../api.ts';

const code = z.string().nullish().catch(null);
interface InnerError {
  readonly code?: string | null | undefined;
  readonly innererror?: InnerError | null | undefined;
  readonly innerError?: InnerError | null | undefined;
}
const Inner: z.ZodType<InnerError | null | undefined> = z.lazy(() =>
  z.object({ code, innererror: Inner, innerError: Inner }).nullish().catch(null),
);
const Refusal = z.object({
  error: z.object({
    code,
    message: z.string().nullish().catch(null),
    innererror: Inner,
    innerError: Inner,
  }),
});

/** The codes within a code say more than it does, and are written in two ways. */
function* codesOf(error: InnerError | null | undefined): Generator<string, void, void> {
  if (!error) return;
  yield error.code ?? '';
  yield* codesOf(error.innererror ?? error.innerError);
}

/** The person has no mailbox at Exchange Online. */
export class NoMailbox extends SourceError {}

/** Graph does not understand the request, such as the link to a page that it has forgotten. */
export class BadRequest extends SourceError {}

/** Graph no longer knows the position of a delta query, whatever the status is. */
const OUTDATED = /^(?:resync|syncState)/i;

export const refusal: NonNullable<CloudApi<unknown>['refusal']> = ({ status, body }) => {
  if (status < 400) return undefined;
  const error = Refusal.safeParse(body).data?.error;
  const codes = [...codesOf(error)];
  const says = `Microsoft Graph answered ${status}: ${error?.message || codes[0] || 'it gives no reason'}`;
  if (status === 410 || codes.some((one) => OUTDATED.test(one)))
    return new SourceError('outdated', says);
  if (/^Mailbox(?:NotEnabledForRESTAPI|NotSupportedForRESTAPI)$/.test(codes[0] ?? ''))
    return new NoMailbox('skip', says);
  if (status === 400) return new BadRequest('fatal', says);
  // Somebody has locked the file.
  return status === 423 ? new SourceError('skip', says) : undefined;
};
