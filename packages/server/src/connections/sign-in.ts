/** Prepares the sign-in of a request: one part is checked with the source, another part is stored with the connection. */
import { z } from 'zod';
import { kindOf } from '../auth-providers/kinds.ts';
import { openProvider } from '../auth-providers/open-provider.ts';
import type { AuthProviderRow } from '../auth-providers/store.ts';
import type { Ctx } from '../context.ts';
import { invalid } from '../errors.ts';
import { parsePart } from '../http/parse-part.ts';
import type { ProvidedSignIn } from '../sign-in/by-provider.ts';
import type { UnsavedSettings } from '../sign-in/open-source.ts';
import { operatorClient, type RegisteredClient } from '../sign-in/renewal.ts';
import { isSendable } from '../sign-in/token-endpoint.ts';
import type { Tokens } from '../sign-in/tokens.ts';
import type { Source } from '../sources/define.ts';
import { strangeField } from '../sources/servers.ts';
import type { ProviderSignIn, SignIn, TokenSignIn } from './authentication.ts';
import { parseCredentials } from './check.ts';
import type { ConnectionDeps } from './deps.ts';

/** A part that the method does not have is null. */
export interface PreparedSignIn {
  readonly method: SignIn['method'];
  /** These are direct credentials, the user's own OAuth client, or a connection at a provider. They are stored sealed. */
  readonly secrets: Readonly<Record<string, unknown>> | RegisteredClient | ProvidedSignIn | null;
  /** The source is asked whether it accepts these; null when nobody has signed in yet. */
  readonly toCheck: SignInToCheck | null;
  readonly provider: AuthProviderRow | null;
  readonly tokens: (Tokens & { readonly lifeMs: number | null }) | null;
  readonly browser: { readonly redirectUri: string | null } | null;
}

type SignInToCheck = Pick<UnsavedSettings, 'credentials' | 'tokens' | 'provided'>;

/** Returns what the row of the connection stores of the sign-in. */
export const sealedSignIn = (
  vault: ConnectionDeps['vault'],
  connectionId: string,
  { secrets, provider }: PreparedSignIn,
) => ({
  credentials: secrets && vault.seal(secrets, connectionId),
  credentials_key: secrets && vault.keyId,
  auth_provider_id: provider?.id ?? null,
});

interface SignInContext {
  /** The settings of the connection. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly deps: Pick<ConnectionDeps, 'db' | 'vault' | 'authProviders'>;
  readonly ctx: Ctx;
  readonly now: Date;
}

/**
 * Throws a 422 when the source, or the client that the operator has set, does not fit the sign-in, and a 404 for an auth
 * provider that the organization does not have.
 */
export async function prepareSignIn(
  source: Source,
  signIn: SignIn,
  { deps, ctx, now, config }: SignInContext,
): Promise<PreparedSignIn> {
  const { method, loc } = signIn;
  const nothing = { secrets: null, toCheck: null, provider: null, tokens: null, browser: null };
  switch (signIn.method) {
    case 'direct': {
      const credentials = parseCredentials(source, signIn.credentials, loc);
      return { ...nothing, method, secrets: credentials, toCheck: { credentials } };
    }
    case 'oauth_browser': {
      const { client, redirectUri } = signIn;
      requireClient(source, client, { config, loc });
      return { ...nothing, method, secrets: client, browser: { redirectUri } };
    }
    case 'oauth_token': {
      const tokens = tokensOf(source, signIn, { config, now });
      const toCheck = { credentials: null, tokens };
      return { ...nothing, method, secrets: signIn.client, toCheck, tokens };
    }
    case 'auth_provider': {
      requireKnownServer(source, config);
      const provider = await deps.authProviders.resolve(ctx, signIn.readableId);
      const secrets = providedBy(provider, signIn);
      const open = () => openProvider(deps, provider.id, secrets);
      const toCheck = { credentials: null, provided: { signIn: secrets, open } };
      return { ...nothing, method, secrets, toCheck, provider };
    }
  }
}

const Mode = z.object({ mode: z.enum(['token', 'proxy']).default('token') });

/** Throws a 422 when `provider_config` does not name a connection at this kind of provider. */
function providedBy(
  { short_name: shortName, readable_id: readableId }: AuthProviderRow,
  signIn: ProviderSignIn,
): ProvidedSignIn {
  const loc = [...signIn.loc.filter((name) => name !== 'provider_readable_id'), 'provider_config'];
  const { mode } = parsePart(Mode, signIn.config, loc);
  const { mode: _, ...named } = signIn.config;
  const kind = kindOf(shortName);
  if (mode === 'proxy' && !kind.forwarding)
    throw invalid(`${shortName} forwards no requests of sources: use the mode token`, {
      loc: [...loc, 'mode'],
    });
  return { shortName, readableId, mode, place: parsePart(kind.place, named, loc) };
}

/** Throws a 422 where the credentials that an auth provider keeps would be sent to a server that the user has set. */
function requireKnownServer(source: Source, config: SignInContext['config']): void {
  const field = strangeField(source, 'auth_provider', config);
  if (field === undefined) return;
  throw invalid(
    `what an auth provider keeps is not sent to this server: leave ${field} out, or give credentials of your own`,
    { loc: ['body', 'config', field], code: 'unknown_server' },
  );
}

/** Throws a 422 unless the user or the operator has a client for the source and its address. */
export function requireClient(
  source: Source,
  own: RegisteredClient | null,
  { config, loc }: Pick<SignInContext, 'config'> & { readonly loc: readonly string[] },
): void {
  if (own || operatorClient(source, config)) return;
  throw invalid(
    `to sign in to ${source.name} you need your own OAuth client: register one, and give its client_id and client_secret`,
    { loc: [...loc, 'client_id'], code: 'client_required' },
  );
}

function tokensOf(
  source: Source,
  signIn: TokenSignIn,
  { config, now }: Pick<SignInContext, 'config' | 'now'>,
) {
  const { accessToken, refreshToken, expiresAt, client } = signIn;
  const loc = signIn.loc.filter((name) => name !== 'access_token');
  const at = (field: string) => ({ loc: [...loc, field] });
  if (!isSendable(accessToken))
    throw invalid('the access token has characters that cannot be sent', at('access_token'));
  const lifeMs = expiresAt === null ? null : Date.parse(expiresAt) - now.getTime();
  // A refresh here would use the refresh token up before the connection exists.
  if (lifeMs !== null && lifeMs <= 0)
    throw invalid('the access token has expired: give one that is still valid', at('expires_at'));
  if (refreshToken !== null) {
    if (source.auth.oauth?.refresh === 'never')
      throw invalid(`${source.name} has no refresh tokens: leave it out`, at('refresh_token'));
    requireClient(source, client, { config, loc });
  }
  return { accessToken, refreshToken, lifeMs };
}
