/** A token is not accepted for one of two reasons: the token itself is bad, or its issuer cannot tell. */

/** The message is for the log only: a caller gets the same answer for every bad token. */
export class InvalidToken extends Error {
  override readonly name = 'InvalidToken';
}

/** The error says nothing about the token: the issuer does not answer, or not in a form that can be used. */
export class IssuerFailure extends Error {
  override readonly name = 'IssuerFailure';
}
