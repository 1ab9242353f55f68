/**
 * This file reads from a request how a connection signs in to its source. A request may name the method in one of
 * two forms, `authentication` or `auth`.
 */
import { invalid } from '../errors.ts';
import type { RegisteredClient } from '../sign-in/renewal.ts';
import type { AuthMethod } from '../sources/auth.ts';
import { methodsOf, type Source } from '../sources/define.ts';
import type { Auth, Authentication } from './schema.ts';

interface Located {
  /** This is the path of the credentials in the body; an error names it. */
  readonly loc: readonly string[];
}

interface DirectSignIn extends Located {
  readonly method: 'direct';
  /** The credentials are null for sources without credentials. */
  readonly credentials: Readonly<Record<string, unknown>> | null;
}

interface BrowserSignInRequest extends Located {
  readonly method: 'oauth_browser';
  /** The user brings this client; null stands for the client of the operator. */
  readonly client: RegisteredClient | null;
  readonly redirectUri: string | null;
}

export interface TokenSignIn extends Located {
  readonly method: 'oauth_token';
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly expiresAt: string | null;
  readonly client: RegisteredClient | null;
}

export interface ProviderSignIn extends Located {
  readonly method: 'auth_provider';
  readonly readableId: string;
  readonly config: Readonly<Record<string, unknown>>;
}

export type SignIn = DirectSignIn | BrowserSignInRequest | TokenSignIn | ProviderSignIn;

interface Input {
  readonly authentication?: Authentication | undefined;
  readonly auth?: Auth | undefined;
  readonly redirect_url?: string | undefined;
}

/** Throws a 422 when the request uses both forms, or when the source does not support the method. */
export function signInOf(source: Source, input: Input): SignIn {
  if (input.authentication && input.auth)
    throw invalid('give authentication or auth, not both', { loc: ['body', 'auth'] });
  const { oauth } = source.auth;
  const signIn = requestedSignIn(input) ?? (oauth ? browser({}, BODY) : withoutSignIn(source));
  const methods = methodsOf(source);
  if (!methods.includes(signIn.method))
    throw invalid(
      `${source.shortName} does not sign in by ${signIn.method}; it takes ${methods.join(', ')}`,
      { loc: signIn.loc },
    );
  return signIn.method === 'oauth_browser' ? withRedirect(signIn, input.redirect_url) : signIn;
}

const BODY = ['body', 'authentication'];

/** Missing credentials count as empty ones, so that the caller learns which fields they have. */
const withoutSignIn = ({ auth }: Source): SignIn =>
  auth.direct && !auth.direct.isOptional
    ? direct({}, [...BODY, 'credentials'])
    : { method: 'direct', credentials: null, loc: ['body'] };

function requestedSignIn({ authentication, auth }: Input): SignIn | null {
  if (auth) {
    const [method = 'oauth_browser'] = Object.keys(auth) as AuthMethod[];
    const loc = ['body', 'auth', method];
    if (auth.direct) return direct(auth.direct.credentials, [...loc, 'credentials']);
    if (auth.oauth_token) return tokens(auth.oauth_token, loc);
    if (auth.auth_provider) return provider(auth.auth_provider, loc);
    return browser(auth.oauth_browser ?? {}, loc);
  }
  if (!authentication || Object.keys(authentication).length === 0) return null;
  const { credentials, access_token, provider_readable_id } = authentication;
  if (credentials) return direct(credentials, [...BODY, 'credentials']);
  if (access_token !== undefined)
    return tokens({ ...authentication, access_token }, [...BODY, 'access_token']);
  if (provider_readable_id !== undefined)
    return provider({ ...authentication, provider_readable_id }, [...BODY, 'provider_readable_id']);
  return browser(authentication, BODY);
}

const direct = (credentials: Record<string, unknown>, loc: readonly string[]): DirectSignIn => ({
  method: 'direct',
  credentials,
  loc,
});

const tokens = (given: NonNullable<Auth['oauth_token']>, loc: readonly string[]): TokenSignIn => ({
  method: 'oauth_token',
  accessToken: given.access_token,
  refreshToken: given.refresh_token ?? null,
  expiresAt: given.expires_at ?? null,
  client: clientOf(given, loc),
  loc,
});

const provider = (
  { provider_readable_id, provider_config = {} }: NonNullable<Auth['auth_provider']>,
  loc: readonly string[],
): ProviderSignIn => ({
  method: 'auth_provider',
  readableId: provider_readable_id,
  config: provider_config,
  loc,
});

const browser = (
  given: NonNullable<Auth['oauth_browser']>,
  loc: readonly string[],
): BrowserSignInRequest => ({
  method: 'oauth_browser',
  client: clientOf(given, loc),
  redirectUri: given.redirect_uri ?? null,
  loc,
});

interface GivenClient {
  readonly client_id?: string | undefined;
  readonly client_secret?: string | undefined;
}

function clientOf(
  { client_id, client_secret }: GivenClient,
  loc: readonly string[],
): RegisteredClient | null {
  if (client_id !== undefined) return { id: client_id, secret: client_secret ?? null };
  if (client_secret !== undefined)
    throw invalid('client_secret belongs to a client_id: give both', {
      loc: [...loc, 'client_secret'],
    });
  return null;
}

function withRedirect(
  signIn: BrowserSignInRequest,
  redirectUrl: string | undefined,
): BrowserSignInRequest {
  const { redirectUri, loc } = signIn;
  if (redirectUrl === undefined) return signIn;
  if (redirectUri !== null && redirectUri !== redirectUrl)
    throw invalid('redirect_url and redirect_uri mean the same: give one of them', {
      loc: [...loc, 'redirect_uri'],
    });
  return { ...signIn, redirectUri: redirectUrl };
}
