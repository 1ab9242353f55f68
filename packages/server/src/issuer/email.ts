/** This file finds the verified e-mail of the person to whom a token belongs. */
import { z } from 'zod';
import { shown } from '../errors.ts';
import { type Claims, EmailClaims } from './claims.ts';
import type { Metadata } from './discovery.ts';
import { EmailNotVouched, InvalidToken } from './failures.ts';
import type { AskIssuer } from './issuer-client.ts';

const UserInfo = EmailClaims.extend({ sub: z.string() });

/**
 * Returns the verified e-mail of the person. It is in the claims of the token, or else the issuer's userinfo endpoint is
 * asked. Throws an InvalidToken, an IssuerFailure, or an EmailNotVouched when the token is valid but neither place
 * has a verified e-mail.
 */
export async function verifiedEmail(
  ask: AskIssuer,
  { token, claims }: { readonly token: string; readonly claims: Claims },
  { userinfo_endpoint: endpoint }: Metadata,
): Promise<string> {
  const hasEmailClaims = claims.email !== undefined && claims.email_verified !== undefined;
  if (hasEmailClaims || endpoint === undefined) return emailIn(claims);
  const { status, value } = await ask(new URL(endpoint), UserInfo, {
    headers: { authorization: `Bearer ${token}` },
    expected: [400, 401, 403],
  });
  if (status === 401) throw new InvalidToken('the userinfo endpoint refuses the token');
  if (!value || status > 299) return emailIn(claims);
  if (value.sub !== claims.sub)
    throw new InvalidToken(
      'the sub that the userinfo endpoint gives for this token differs from the sub of the token',
    );
  return emailIn(value);
}

function emailIn({ email, email_verified: verified }: EmailClaims): string {
  if (email === undefined) throw noEmailError();
  if (String(verified) !== 'true')
    throw new EmailNotVouched(
      `the issuer of this token does not say that the e-mail '${shown(email)}' is verified: verify it there, then sign in again`,
    );
  return email;
}

const noEmailError = () =>
  new EmailNotVouched(
    'this token does not contain the e-mail of its owner: sign in again with the scopes openid and email, or have its issuer put email and email_verified into it',
  );
