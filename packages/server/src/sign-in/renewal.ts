/** These are the ways to get new tokens: by a refresh token of OAuth, and by direct credentials. */
import { SourceError } from '../errors.ts';
import type {
  DirectAuth,
  HeaderFields,
  OAuthFlow,
  Outgoing,
  TokenRequest,
} from '../sources/auth.ts';
import type { Source } from '../sources/define.ts';
import { basic } from '../sources/kit/sign.ts';
import { strangeField } from '../sources/servers.ts';
import { must } from '../util.ts';
import { requestTokens } from './token-endpoint.ts';
import type { IssuedTokens, Renewal, TokenTransport } from './tokens.ts';

/**
 * A client is a registration of Quarry at the provider (RFC 6749, 2): that of the operator, or one that the user has
 * made.
 */
export interface RegisteredClient {
  readonly id: string;
  /** A public client has no secret. */
  readonly secret: string | null;
}

/** Tokens of one connection come from this client and this token endpoint. */
export interface OAuthPeer {
  readonly flow: OAuthFlow<unknown>;
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  /** Without a client, tokens cannot be renewed. */
  readonly client: RegisteredClient | null;
  readonly isClientOfUser: boolean;
}

/**
 * `ownClient` is the client of the user, or null. The client of the operator is used only where the source or the operator
 * says, because its secret must reach no server that a user has set.
 */
export function peerOf(
  source: Source,
  config: unknown,
  ownClient: RegisteredClient | null,
): OAuthPeer {
  const flow = must(source.auth.oauth, `${source.shortName} has no OAuth`);
  return {
    flow,
    authorizeUrl: source.operator?.authorizeUrl ?? addressOf(flow.authorizeUrl, config),
    tokenUrl: source.operator?.tokenUrl ?? addressOf(flow.tokenUrl, config),
    client: ownClient ?? operatorClient(source, config),
    isClientOfUser: ownClient !== null,
  };
}

/** Returns null when the operator has no client, or when the configuration leads to the server of a user. */
export function operatorClient(source: Source, config: unknown): RegisteredClient | null {
  const client = source.operator?.client;
  if (!client) return null;
  const values = config as Readonly<Record<string, unknown>>;
  return strangeField(source, 'oauth_browser', values) === undefined ? client : null;
}

const addressOf = (address: OAuthFlow<unknown>['tokenUrl'], config: unknown): string =>
  typeof address === 'string' ? address : address(config);

/** Makes the request for tokens in which the client signs in (RFC 6749, 2.3.1). */
function clientRequest(
  { flow, tokenUrl }: Pick<OAuthPeer, 'flow' | 'tokenUrl'>,
  client: RegisteredClient,
  form: HeaderFields,
): TokenRequest {
  const { id, secret } = client;
  if (secret !== null && flow.clientAuth === 'basic')
    return { url: tokenUrl, form, headers: basic(formEncoded(id), formEncoded(secret)) };
  const withClient = { ...form, client_id: id, ...(secret !== null && { client_secret: secret }) };
  return { url: tokenUrl, form: withClient };
}

/** A code is the answer of the provider to a person who has signed in (RFC 6749, 4.1.3). */
interface ReturnedCode {
  readonly code: string;
  /** This is the verifier of PKCE (RFC 7636). */
  readonly verifier: string;
  readonly redirectUri: string;
}

/** Exchanges a code for tokens. Throws a SourceError. */
export function byCode(
  { client, ...peer }: OAuthPeer & { readonly client: RegisteredClient },
  transport: TokenTransport,
  { code, verifier, redirectUri }: ReturnedCode,
): Promise<IssuedTokens> {
  const { flow, isClientOfUser } = peer;
  const asked = clientRequest(peer, client, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    ...(flow.pkce !== false && { code_verifier: verifier }),
  });
  return requestTokens(transport, asked, { flow, isClientOfUser });
}

const formEncoded = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);

export function byRefreshToken(
  { flow, client, ...peer }: OAuthPeer,
  transport: TokenTransport,
  hint: string,
): Renewal {
  const { isClientOfUser } = peer;
  return {
    spends:
      flow.refresh === 'rotating' ? { graceMs: (flow.refreshGraceSeconds ?? 0) * 1000 } : null,
    isFinal: true,
    hint,
    canRenew: (tokens) => flow.refresh !== 'never' && client !== null && !!tokens?.refreshToken,
    async renew(tokens) {
      const refreshToken = tokens?.refreshToken;
      if (!client || !refreshToken)
        throw new SourceError('auth', 'there is nothing to renew the access token with');
      const form = { grant_type: 'refresh_token', refresh_token: refreshToken };
      const asked = clientRequest({ flow, ...peer }, client, form);
      const issued = await requestTokens(transport, asked, { flow, isClientOfUser });
      // A service that sends no new refresh token goes on accepting the old one (RFC 6749, 6).
      return { ...issued, refreshToken: issued.refreshToken ?? refreshToken };
    },
  };
}

type ExchangedSign = Extract<NonNullable<DirectAuth<unknown, unknown>['sign']>, { token: unknown }>;

interface ExchangedSettings {
  readonly credentials: unknown;
  readonly config: unknown;
  /** The token is for requests on behalf of this person. */
  readonly person?: string;
}

/** The credentials can be exchanged as often as needed, so a lost answer does no harm. */
export function byCredentials(
  { token }: ExchangedSign,
  { credentials, config, person }: ExchangedSettings,
  transport: TokenTransport,
): Renewal {
  return {
    spends: null,
    isFinal: false,
    hint: 'Give the connection new credentials.',
    canRenew: () => true,
    async renew() {
      const asked = await token(credentials, config, person);
      const issued = await requestTokens(transport, asked, { isClientOfUser: true }).catch(
        (error: unknown) => {
          // The credentials may still act for others.
          const isOfPerson = person !== undefined && error instanceof SourceError;
          throw isOfPerson && error.kind === 'auth'
            ? new SourceError('skip', `${person}: ${error.message}`, { cause: error })
            : error;
        },
      );
      return { ...issued, refreshToken: null };
    },
  };
}

/** Credentials are exchanged for a token, and for one of each person on whose behalf requests are sent. */
interface CredentialExchange {
  readonly renewal: Renewal;
  readonly people: PeopleRenewals | null;
}

export interface PeopleRenewals {
  personOf(request: Outgoing): string | undefined;
  renewalOf(person: string): Renewal;
}

/** Returns undefined when the source takes the credentials as they are. */
export function exchangeOf(
  { auth }: Source,
  settings: Omit<ExchangedSettings, 'person'>,
  transport: TokenTransport,
): CredentialExchange | undefined {
  const sign = auth.direct?.sign;
  if (!sign || !('token' in sign)) return undefined;
  const { personOf } = sign;
  return {
    renewal: byCredentials(sign, settings, transport),
    people: personOf
      ? {
          personOf: (request) => personOf(request, settings.credentials),
          renewalOf: (person) => byCredentials(sign, { ...settings, person }, transport),
        }
      : null,
  };
}
