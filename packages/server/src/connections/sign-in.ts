/** Turns the sign-in of a request into what is checked with the source, and what is stored with the connection. */
import { invalid } from '../errors.ts';
import type { RegisteredClient } from '../sign-in/renewal.ts';
import { isSendable } from '../sign-in/token-endpoint.ts';
import type { Tokens } from '../sign-in/tokens.ts';
import type { Source } from '../sources/define.ts';
import type { SignIn, TokenSignIn } from './authentication.ts';
import { parseCredentials } from './check.ts';

/** A part that the method does not have is null. */
export interface PreparedSignIn {
  readonly method: SignIn['method'];
  /** These are direct credentials, or the user's own OAuth client. They are stored sealed. */
  readonly secrets: Readonly<Record<string, unknown>> | RegisteredClient | null;
  /** The source is asked whether it accepts these; null when nobody has signed in yet. */
  readonly toCheck: { readonly credentials: unknown; readonly tokens?: Tokens } | null;
  readonly tokens: (Tokens & { readonly lifeMs: number | null }) | null;
  readonly browser: { readonly redirectUri: string | null } | null;
}

/** Throws a 422 when the source, or the client that the operator has set, does not fit the sign-in. */
export function prepareSignIn(source: Source, signIn: SignIn, now: Date): PreparedSignIn {
  const { method, loc } = signIn;
  const nothing = { secrets: null, toCheck: null, tokens: null, browser: null };
  switch (signIn.method) {
    case 'direct': {
      const credentials = parseCredentials(source, signIn.credentials, loc);
      return { ...nothing, method, secrets: credentials, toCheck: { credentials } };
    }
    case 'oauth_browser': {
      const { client, redirectUri } = signIn;
      requireClient(source, client, loc);
      return { ...nothing, method, secrets: client, browser: { redirectUri } };
    }
    case 'oauth_token': {
      const tokens = tokensOf(source, signIn, now);
      const toCheck = { credentials: null, tokens };
      return { ...nothing, method, secrets: signIn.client, toCheck, tokens };
    }
    case 'auth_provider':
      throw invalid(`the auth provider '${signIn.readableId}' does not exist`, { loc });
  }
}

/** Throws a 422 unless the user or the operator has a client for the source. */
export function requireClient(
  source: Source,
  own: RegisteredClient | null,
  loc: readonly string[],
): void {
  if (own || source.operator?.client) return;
  throw invalid(
    `to sign in to ${source.name} you need your own OAuth client: register one, and give its client_id and client_secret`,
    { loc: [...loc, 'client_id'], code: 'client_required' },
  );
}

function tokensOf(source: Source, signIn: TokenSignIn, now: Date) {
  const { accessToken, refreshToken, expiresAt, client } = signIn;
  const loc = signIn.loc.filter((name) => name !== 'access_token');
  const at = (field: string) => ({ loc: [...loc, field] });
  if (!isSendable(accessToken))
    throw invalid('the access token has characters that cannot be sent', at('access_token'));
  const lifeMs = expiresAt === null ? null : Date.parse(expiresAt) - now.getTime();
  // A refresh here would use the refresh token up before the connection exists.
  if (lifeMs !== null && lifeMs <= 0)
    throw invalid('the access token has ended: give one that is still valid', at('expires_at'));
  if (refreshToken !== null) {
    if (source.auth.oauth?.refresh === 'never')
      throw invalid(`${source.name} has no refresh tokens: leave it out`, at('refresh_token'));
    requireClient(source, client, loc);
  }
  return { accessToken, refreshToken, lifeMs };
}
