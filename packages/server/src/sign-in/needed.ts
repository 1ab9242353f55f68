/**
 * Decides for which connections the source must not be asked, because nobody has signed in or the sign-in has ended.
 */
import { AppError } from '../errors.ts';

export interface SignInState {
  readonly id: string;
  readonly auth_method: string;
  readonly authenticated_at: number | null;
  readonly refused_at: number | null;
}

/** Returns true when the user signed in at an OAuth provider, or gave tokens of one. */
export const isOAuth = (method: string): boolean =>
  method === 'oauth_browser' || method === 'oauth_token';

/**
 * A connection whose direct credentials were refused may be asked: the source may accept them again. A sign-in by OAuth
 * that has ended never works again.
 */
export const needsSignIn = ({ auth_method, authenticated_at, refused_at }: SignInState): boolean =>
  authenticated_at === null || (refused_at !== null && isOAuth(auth_method));

/** Throws a 409 that says how to sign in. */
export function requireSignIn(connection: SignInState): void {
  if (!needsSignIn(connection)) return;
  const why =
    connection.authenticated_at === null ? 'nobody has signed in yet' : 'the sign-in has ended';
  throw new AppError(
    409,
    `${why}: POST /v1/source-connections/${connection.id}/reinitiate-oauth gives a link to sign in with`,
    { code: 'sign_in_needed' },
  );
}
