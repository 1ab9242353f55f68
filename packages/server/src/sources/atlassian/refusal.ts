/** Reads how the products of Atlassian's cloud refuse. */
import { SourceError } from '../../errors.ts';
import type { CloudApi } from '../api.ts';
import { ifReadable as ifOpen } from '../kit/listing.ts';
import { sentenceIn } from '../kit/refusal.ts';

export interface AtlassianRefusals {
  /** The name is for people, such as 'Jira'. */
  readonly name: string;
  readonly scopes: readonly string[];
  /** Reads what only this product says, from the status and the sentence of a refusal. */
  readonly special?: (status: number, sentence: string) => SourceError | undefined;
}

/** The token lacks a scope that this request needs. */
class MissingScope extends SourceError {}

export const atlassianRefusal =
  ({ name, scopes, special }: AtlassianRefusals): NonNullable<CloudApi<never>['refusal']> =>
  (answer) => {
    const { status, headers } = answer;
    // Wrong credentials may be answered as a request of nobody, with status 200 and nothing to see.
    if (/AUTHENTICATED_FAILED|AUTHENTICATION_DENIED/.test(headers.get(REASON) ?? ''))
      return new SourceError('auth', `${name} does not accept the e-mail address and API token`);
    if (status < 400) return undefined;
    const { body } = answer;
    const sentence = sentenceIn(body) ?? (typeof body === 'string' ? body : '');
    if (/scope/i.test(sentence) && (status === 401 || status === 403))
      return new MissingScope(
        'config',
        `the token lacks one of the scopes ${scopes.join(', ')}: ${name} answered ${status}: ${sentence}`,
      );
    return special?.(status, sentence);
  };
const REASON = 'x-seraph-loginreason';

/**
 * Throws a SourceError 'skip' when the token lacks a scope. Then only what is read here counts as refused, and not the
 * whole token.
 */
export async function withScope<Value>(read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof MissingScope)) throw error;
    throw new SourceError('skip', error.message, { cause: error });
  }
}

/** Does the same as `ifReadable` of the kit, and also returns `otherwise` when the token lacks a scope. */
export const ifReadable = <Value, Other>(
  read: () => Promise<Value>,
  otherwise: Other,
): Promise<Value | Other> => ifOpen(() => withScope(read), otherwise);
