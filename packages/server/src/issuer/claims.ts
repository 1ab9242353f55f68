/**
 * The claims of a token come from the token itself or from its issuer. This file checks the claims that every token
 * must have.
 */
import { z } from 'zod';
import { InvalidToken } from './failures.ts';

/**
 * The clock of the issuer may be ahead of ours by this many seconds. This tolerance does not apply to the end of a
 * token.
 */
export const SKEW_S = 10;

/** The userinfo endpoint of the issuer returns these claims too. */
export const EmailClaims = z.object({
  email: z.string().optional(),
  // Some issuers write this claim as a string.
  email_verified: z.union([z.boolean(), z.enum(['true', 'false'])]).optional(),
});
export type EmailClaims = z.infer<typeof EmailClaims>;

export const Claims = z.object({
  iss: z.string().optional(),
  sub: z.string().min(1),
  aud: z.union([z.string(), z.array(z.string())]),
  exp: z.number().optional(),
  nbf: z.number().optional(),
  /**
   * A token with this claim is bound to a key, and its sender must prove that it has the key (RFC 9449, RFC 8705).
   * Quarry does not check such proofs, so it refuses the token, which may be stolen.
   */
  cnf: z.unknown().optional(),
  /** An ID token repeats the nonce of its sign-in, and may name the client for which it was made. */
  nonce: z.string().optional(),
  azp: z.string().optional(),
  ...EmailClaims.shape,
});
export type Claims = z.infer<typeof Claims>;

/** Parses the claims. Throws an InvalidToken when a claim is missing or malformed. */
export function readClaims(value: unknown): Claims {
  const parsed = Claims.safeParse(value);
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues.map(({ path }) => path.join('.'));
  throw new InvalidToken(`the token has no usable ${where.join(', ')}`);
}

/** Throws an InvalidToken when the token is not valid now, or not for this issuer and audience. */
export function checkClaims(
  { iss, aud, exp, nbf, cnf }: Claims,
  { issuer, audience }: { readonly issuer: string; readonly audience: string },
): void {
  const now = Date.now() / 1000;
  if (iss !== undefined && iss !== issuer) throw new InvalidToken('another issuer made the token');
  if (![aud].flat().includes(audience)) throw new InvalidToken('the token has another audience');
  if (exp !== undefined && exp <= now) throw new InvalidToken('the token has expired');
  if (nbf !== undefined && nbf > now + SKEW_S) throw new InvalidToken('the token is not yet valid');
  if (cnf !== undefined) throw new InvalidToken('the token is bound to a key');
}
