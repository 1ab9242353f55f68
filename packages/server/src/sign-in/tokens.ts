/** These types describe tokens, and the ways to get new ones. */
import type { Send } from '../net/guarded-send.ts';
import type { SourceContext } from '../sources/define.ts';

/** A connection signs its requests with these tokens. They are stored sealed. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  /** An auth provider gave these direct credentials. They sign in place of the access token, which is then empty. */
  readonly credentials?: Readonly<Record<string, unknown>>;
}

export interface IssuedTokens extends Tokens {
  /**
   * The access token is valid for this time. Null means that the time is not known, so the token is used until the
   * service refuses it.
   */
  readonly lifeMs: number | null;
  /** These scopes were granted; null when the answer does not name them. */
  readonly scopes: readonly string[] | null;
}

/** Token requests of a connection are counted against its limits, and in the meter of the job. */
export type TokenTransport = { readonly send: Send } & Pick<
  SourceContext<unknown, unknown>,
  'meter'
>;

/** A renewal gets new tokens for one connection. */
export interface Renewal {
  /**
   * If set, every renewal uses the refresh token up. `graceMs` is the time for which the service still accepts a token
   * that is used up, so that a lost answer can be asked for again.
   */
  readonly spends: { readonly graceMs: number } | null;
  /** If true, a refusal ends the sign-in, because a refused refresh token never works again. */
  readonly isFinal: boolean;
  canRenew(tokens: Tokens | null): boolean;
  /**
   * Throws a SourceError: 'auth' when another attempt with the same tokens or credentials would not help, and any other
   * kind when it may.
   */
  renew(tokens: Tokens | null): Promise<IssuedTokens>;
  /** This hint tells a person how to sign in again. */
  readonly hint: string;
}
