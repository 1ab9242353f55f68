/** The two ways in which a token is not accepted: because of itself, and because nobody can say. */

/** The message is for the log: to the caller every bad token is the same. */
export class InvalidToken extends Error {
  override readonly name = 'InvalidToken';
}

/** Says nothing about the token: the issuer does not answer, or not in a form that can be used. */
export class IssuerFailure extends Error {
  override readonly name = 'IssuerFailure';
}
