/** What is said of a token, by itself or by its issuer, and what must be true of every one. */
import { z } from 'zod';
import { InvalidToken } from './failures.ts';

/** Seconds by which the clock of an issuer may be ahead. A token is never used past its end. */
export const SKEW_S = 10;

export const Claims = z.object({
  iss: z.string().optional(),
  sub: z.string().min(1),
  aud: z.union([z.string(), z.array(z.string())]),
  exp: z.number().optional(),
  nbf: z.number().optional(),
  /** Of a token that only who holds a key may use (RFC 9449, RFC 8705): as a bearer it is stolen. */
  cnf: z.unknown().optional(),
  email: z.string().optional(),
  // Some issuers write it as a text.
  email_verified: z.union([z.boolean(), z.enum(['true', 'false'])]).optional(),
});
export type Claims = z.infer<typeof Claims>;

/** Throws an InvalidToken. */
export function readClaims(value: unknown): Claims {
  const parsed = Claims.safeParse(value);
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues.map(({ path }) => path.join('.'));
  throw new InvalidToken(`without a usable ${where.join(', ')}`);
}

/** Throws an InvalidToken. */
export function checkClaims(
  { iss, aud, exp, nbf, cnf }: Claims,
  { issuer, audience }: { readonly issuer: string; readonly audience: string },
): void {
  const now = Date.now() / 1000;
  if (iss !== undefined && iss !== issuer) throw new InvalidToken('of another issuer');
  if (![aud].flat().includes(audience)) throw new InvalidToken('for another audience');
  if (exp !== undefined && exp <= now) throw new InvalidToken('expired');
  if (nbf !== undefined && nbf > now + SKEW_S) throw new InvalidToken('not yet valid');
  if (cnf !== undefined) throw new InvalidToken('bound to a key that was not shown');
}
