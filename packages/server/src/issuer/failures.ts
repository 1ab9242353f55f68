/**
 * A token is refused for one of three reasons: it is not valid, its issuer cannot be asked, or its issuer does not vouch
 * for an e-mail.
 */
import { AppError } from '../errors.ts';

/** The token is not valid. Only the log gets the message, which says why: callers get one answer for all invalid tokens. */
export class InvalidToken extends Error {
  override readonly name = 'InvalidToken';
}

/** The issuer does not answer, or its answer cannot be used. The token may be valid. */
export class IssuerFailure extends Error {
  override readonly name = 'IssuerFailure';
}

/** The token is valid, but has no verified e-mail. The caller may read the message. */
export class EmailNotVouched extends AppError {
  constructor(message: string) {
    super(403, message, { code: 'forbidden' });
  }
}
