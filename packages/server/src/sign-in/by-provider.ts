/**
 * Connections whose credentials an auth provider keeps. In the mode `token` the provider gives them, and the keeper of
 * tokens stores them like tokens of OAuth until they end. In the mode `proxy` the provider forwards the requests, and its
 * credentials of the source never come here.
 */
import { isDeepStrictEqual } from 'node:util';
import { signInHint } from '../auth-providers/faults.ts';
import type {
  GivenCredentials,
  ProviderAccess,
  ProviderRef,
  ProviderTransport,
} from '../auth-providers/kind.ts';
import { kindOf } from '../auth-providers/kinds.ts';
import type { Send } from '../net/guarded-send.ts';
import type { CountedCaller, RateLimiter } from '../rate-limits/limiter.ts';
import { originsOf, placeOf } from '../sources/api.ts';
import type { Authorizer, ConnectionAccess } from '../sources/auth.ts';
import type { Source, SourceEnvironment } from '../sources/define.ts';
import { must } from '../util.ts';
import { givenAuthorizer } from './authorizer.ts';
import { signedBy } from './given.ts';
import type { TokenHolder } from './keeper.ts';
import { exchangeOf } from './renewal.ts';
import { forwardBy, routeBy } from './through-proxy.ts';
import type { IssuedTokens, Renewal, Tokens, TokenTransport } from './tokens.ts';

type ProviderMode = 'token' | 'proxy';

/** A connection stores this, sealed. A provider keeps its kind and its readable_id for ever. */
export interface ProvidedSignIn extends ProviderRef {
  readonly mode: ProviderMode;
  /** It names the connection at the provider. */
  readonly place: unknown;
}

interface ProvidedConnection {
  readonly source: Source;
  readonly config: unknown;
  /** Reads the credentials of the provider, which may change. */
  readonly open: () => Promise<ProviderAccess<unknown>>;
  readonly signIn: ProvidedSignIn;
}

/** The keeper of tokens, or the memory of one request, holds what the provider gives. */
export interface HeldConnection extends ProvidedConnection {
  readonly hold: (renewal: Renewal) => TokenHolder;
}

interface AccessDeps {
  readonly environment: SourceEnvironment;
  readonly rateLimiter: RateLimiter;
}

interface AccessOptions {
  /** Its requests go to the source. */
  readonly transport: TokenTransport;
  readonly caller: CountedCaller;
  readonly sendToProvider: Send;
}

/** Returns how the requests of the connection are signed and sent. */
export function providedAccess(
  deps: AccessDeps,
  connection: HeldConnection,
  { transport, caller, sendToProvider }: AccessOptions,
): Pick<ConnectionAccess, 'send' | 'authorizer'> {
  const { environment, rateLimiter } = deps;
  const { source, signIn, hold } = connection;
  const { send, meter } = transport;
  if (signIn.mode === 'token') {
    const provider = { send: rateLimiter.limit(sendToProvider, caller), meter };
    const renewal = byProvider(connection, { provider, source: transport });
    return { send, authorizer: givenAuthorizer(source, connection.config, hold(renewal)) };
  }
  const proxied = forwardBy(sendToProvider, {
    ref: signIn,
    forwarding: must(kindOf(signIn.shortName).forwarding),
    place: signIn.place,
    open: connection.open,
    allowHost: environment.allowService,
  });
  const counted = rateLimiter.limit(proxied, { ...caller, viaProxy: true });
  return {
    send: routeBy(addressesOf(connection), { proxied: counted, direct: send }),
    authorizer: unsigned,
  };
}

function addressesOf({ source, config }: ProvidedConnection): ReadonlySet<string> {
  const api = must(source.api);
  const operatorBaseUrl = source.operator?.baseUrl;
  return originsOf(placeOf(api, { config, isDirect: false, operatorBaseUrl }));
}

interface ProviderTransports {
  /** Requests to the provider go here. */
  readonly provider: ProviderTransport;
  /** Requests to the source go here, such as those that exchange credentials for a token. */
  readonly source: TokenTransport;
}

/** The provider can be asked as often as needed, so a lost answer costs nothing. */
function byProvider(
  { source, config, open, signIn }: ProvidedConnection,
  transports: ProviderTransports,
): Renewal {
  const kind = kindOf(signIn.shortName);

  async function ask(isFresh: boolean): Promise<GivenCredentials> {
    const access = await open();
    const { place } = signIn;
    const transport = transports.provider;
    return kind.give({ ...access, place, source: source.shortName, isFresh, transport });
  }

  async function issue(isFresh: boolean): Promise<IssuedTokens> {
    const given = await ask(isFresh);
    const found = signedBy(source, given, signIn);
    const common = { refreshToken: null, lifeMs: given.lifeMs, scopes: null };
    if ('accessToken' in found) return { ...common, accessToken: found.accessToken };
    const { credentials } = found;
    const exchange = exchangeOf(source, { credentials, config }, transports.source);
    return exchange ? exchange.renewal.renew(null) : { ...common, accessToken: '', credentials };
  }

  return {
    spends: null,
    isFinal: false,
    hint: signInHint(signIn),
    canRenew: () => true,
    async renew(before) {
      const issued = await issue(false);
      // The provider does not know yet that the service has refused these credentials, or that they have expired.
      return kind.renews && before && isSame(before, issued) ? issue(true) : issued;
    },
  };
}

const isSame = (before: Tokens, issued: IssuedTokens): boolean =>
  before.accessToken === issued.accessToken &&
  isDeepStrictEqual(before.credentials, issued.credentials);

/** The provider signs the requests that it forwards. */
const unsigned: Authorizer = {
  sign: async ({ url }) => ({ url, headers: {}, stamp: null }),
};
