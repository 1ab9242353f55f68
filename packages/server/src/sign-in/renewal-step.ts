/** Decides what a caller that needs a token does next, from the row with the tokens. keeper.ts gives the reasons. */
import { SourceError } from '../errors.ts';
import { LONGEST_CLAIM_MS, type TokenRow } from './token-store.ts';
import type { Renewal, Tokens } from './tokens.ts';

/** A token that ends this soon might end before the service has received it. */
const SLACK_MS = 5000;
/**
 * The grace period, in which the service still accepts a used refresh token, is shortened by this, because a request
 * takes time.
 */
const REQUEST_MS = 20_000;
/** No rest after a failed renewal is longer than this. */
export const MAX_REST_MS = 3_600_000;

export type RenewalStep =
  | { readonly do: 'use'; readonly tokens: Tokens }
  /** Somebody else renews the tokens. */
  | { readonly do: 'wait' }
  /** With `takesOver`, a claim that has run out is taken over. */
  | { readonly do: 'renew'; readonly takesOver: boolean }
  /** The sign-in has ended, because a process died while it renewed the tokens. */
  | { readonly do: 'abandon'; readonly error: SourceError }
  | { readonly do: 'fail'; readonly error: SourceError };

export interface TokenNeed {
  readonly row: Omit<TokenRow, 'tokens' | 'tokens_key'>;
  readonly tokens: Tokens | null;
  /** The service has refused the token with this stamp. */
  readonly refused: string | null;
  readonly renewal: Omit<Renewal, 'renew'>;
}

export const stampOf = ({ version }: Pick<TokenRow, 'version'>): string => String(version);

export function nextStep({ row, tokens, refused, renewal }: TokenNeed): RenewalStep {
  const { now, expires_at, renew_at, rest_until } = row;
  const isAlive = stampOf(row) !== refused && (expires_at ?? Infinity) - SLACK_MS > now;
  const alive = tokens && isAlive ? tokens : null;
  // While the token works, the caller uses it and neither waits nor fails.
  const otherwise = (step: RenewalStep): RenewalStep =>
    alive ? { do: 'use', tokens: alive } : step;
  if (alive && (renew_at ?? Infinity) > now) return { do: 'use', tokens: alive };
  if (!renewal.canRenew(tokens)) return otherwise({ do: 'fail', error: cannotRenew(renewal) });
  if (isWithin(row.claimed_until, now, LONGEST_CLAIM_MS)) return otherwise({ do: 'wait' });
  if (row.fault_kind === 'auth' && renewal.isFinal)
    return otherwise({ do: 'fail', error: faultOf(row, renewal) });
  if (isWithin(rest_until, now, 2 * MAX_REST_MS))
    return otherwise({ do: 'fail', error: faultOf(row, renewal) });
  if (!mayBeSpent(row, renewal)) return { do: 'renew', takesOver: true };
  // The refresh token may have been used up, so it is sent again only when the access token does not work any more.
  const step: RenewalStep =
    row.claim === null
      ? { do: 'renew', takesOver: false }
      : { do: 'abandon', error: diedWhileRenewing(renewal) };
  return otherwise(step);
}

/**
 * Returns false for a time that has passed, and for one that is more than `longestMs` away: that one was written before
 * the clock was set back.
 */
const isWithin = (until: number | null, now: number, longestMs: number): boolean =>
  until !== null && until > now && until <= now + longestMs;

/** When the clock was set back after the refresh token was sent, nobody knows whether its grace period has passed. */
const mayBeSpent = (
  { sent_at, now }: TokenNeed['row'],
  { spends }: TokenNeed['renewal'],
): boolean =>
  spends !== null &&
  sent_at !== null &&
  (sent_at > now || sent_at + spends.graceMs - REQUEST_MS <= now);

function faultOf({ fault, fault_kind, rest_until, now }: TokenNeed['row'], { hint }: Renewed) {
  const kind = fault_kind ?? 'transient';
  return new SourceError(kind, fault ?? 'the tokens could not be renewed', {
    ...(kind === 'auth' && { hint }),
    ...(kind === 'rate_limited' && { retryAfter: ((rest_until ?? now) - now) / 1000 }),
  });
}

type Renewed = Pick<Renewal, 'hint'>;

const cannotRenew = ({ hint }: Renewed) =>
  new SourceError('auth', 'the access token has expired or was refused, and cannot be renewed', {
    hint,
  });

const diedWhileRenewing = ({ hint }: Renewed) =>
  new SourceError(
    'auth',
    'a process died while it renewed the access token, and the service accepts a refresh token only once',
    { hint },
  );
