/** Reads Notion's refusals (https://developers.notion.com/reference/status-codes). */
import { SourceError } from '../../errors.ts';
import type { CloudApi } from '../api.ts';
import { sentenceIn } from '../kit/refusal.ts';

/**
 * Notion does not take the request as it is: the cursor of a listing is too old, or a block is of a type that the API
 * does not support.
 */
export class Invalid extends SourceError {}

/** The other refusals mean what their status says. */
export const refusal: NonNullable<CloudApi<unknown>['refusal']> = ({ status, body }) => {
  const { code } = (typeof body === 'object' && body !== null ? body : {}) as { code?: unknown };
  const message = `Notion answered ${status}: ${sentenceIn(body) ?? 'it gives no reason'}`;
  // Two requests at the same time were in each other's way.
  if (status === 409) return new SourceError('transient', message);
  if (status === 400 && code === 'validation_error') return new Invalid('skip', message);
  return undefined;
};
