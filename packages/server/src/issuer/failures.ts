/** A token is refused for one of two reasons: the token is not valid, or its issuer cannot be asked. */

/** The token is not valid. Only the log gets the message, which says why: callers get one answer for all invalid tokens. */
export class InvalidToken extends Error {
  override readonly name = 'InvalidToken';
}

/** The issuer does not answer, or its answer cannot be used. The token may be valid. */
export class IssuerFailure extends Error {
  override readonly name = 'IssuerFailure';
}
