/**
 * A sign-in through the issuer ends without a session. The dashboard's sign-in page gets the code in its address and
 * says in its own words what has happened, because a text in an address could be that of anybody.
 */
export const REFUSALS = [
  'refused_by_issuer',
  'unknown_account',
  'email_not_verified',
  'email_not_usable',
  'expired',
  'invalid_answer',
  'issuer_unavailable',
  'try_again',
  'no_issuer',
] as const;
export type RefusalCode = (typeof REFUSALS)[number];

/** The person is not signed in. */
export interface SignInRefusal {
  readonly refused: RefusalCode;
  /** The person had asked for this page of the dashboard, or for none. */
  readonly to: string | null;
}

export class SignInRefused extends Error {
  override readonly name = 'SignInRefused';
  readonly code: RefusalCode;

  /** The reason is for the log. */
  constructor(code: RefusalCode, reason: string) {
    super(reason);
    this.code = code;
  }
}
