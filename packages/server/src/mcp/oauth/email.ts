/** This file finds the verified e-mail of the person to whom a token belongs. */
import { z } from 'zod';
import { type AppError, forbidden, shown } from '../../errors.ts';
import { type Claims, EmailClaims } from './claims.ts';
import type { Metadata } from './discovery.ts';
import { InvalidToken } from './failures.ts';
import type { AskIssuer } from './issuer-client.ts';

const UserInfo = EmailClaims.extend({ sub: z.string() });

/**
 * Takes the e-mail from the claims of the token, or else from the issuer's userinfo endpoint. Throws an InvalidToken or
 * an IssuerFailure. Throws a 403 when the token is valid but neither gives a verified e-mail.
 */
export async function verifiedEmail(
  ask: AskIssuer,
  { token, claims }: { readonly token: string; readonly claims: Claims },
  { userinfo_endpoint: endpoint }: Metadata,
): Promise<string> {
  const isSaid = claims.email !== undefined && claims.email_verified !== undefined;
  if (isSaid || endpoint === undefined) return emailIn(claims);
  const { status, value } = await ask(new URL(endpoint), UserInfo, {
    headers: { authorization: `Bearer ${token}` },
    expected: [400, 401, 403],
  });
  if (status === 401) throw new InvalidToken('refused by userinfo');
  if (!value || status > 299) return emailIn(claims);
  if (value.sub !== claims.sub) throw new InvalidToken('of another person than userinfo says');
  return emailIn(value);
}

function emailIn({ email, email_verified: verified }: EmailClaims): string {
  if (email === undefined) throw noPersonError();
  if (String(verified) !== 'true')
    throw forbidden(
      `the issuer of this token does not say that the e-mail '${shown(email)}' is verified: verify it there, then sign in again`,
    );
  return email;
}

const noPersonError = (): AppError =>
  forbidden(
    'this token does not say whose it is: sign in again with the scopes openid and email, or have its issuer put email and email_verified into it',
  );
