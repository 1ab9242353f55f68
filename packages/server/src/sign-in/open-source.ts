/**
 * Opens the source of a connection: with validated settings, decrypted credentials, and requests that are signed and
 * counted. Syncs, live searches, the doctor and the checks of new connections all open sources here.
 *
 * Disposing of an opened source stops what it still reads, such as the other reads when one of several at the same time
 * has failed, and removes what it has downloaded. It never throws, because its error would hide the error of the work.
 */
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import { openProvider } from '../auth-providers/open-provider.ts';
import type { Schema } from '../db/schema.ts';
import { SourceError } from '../errors.ts';
import type { Sealed } from '../model/sealed.ts';
import { tracedSend } from '../net/traced-send.ts';
import type { CountedCaller, RateLimiter } from '../rate-limits/limiter.ts';
import { openCredentials, type Vault } from '../secrets.ts';
import type { Authorizer } from '../sources/auth.ts';
import {
  openContext,
  type Source,
  type SourceContext,
  type SourceEnvironment,
} from '../sources/define.ts';
import { openDownloads } from '../sources/downloads.ts';
import type { Span } from '../telemetry/trace.ts';
import { must } from '../util.ts';
import { directAuthorizer, exchangeAuthorizer, tokenAuthorizer } from './authorizer.ts';
import { type HeldConnection, type ProvidedSignIn, providedAccess } from './by-provider.ts';
import { holdIssued, holdUnsaved } from './hold-unsaved.ts';
import type { TokenKeeper } from './keeper.ts';
import {
  byRefreshToken,
  exchangeOf,
  type OAuthPeer,
  peerOf,
  type RegisteredClient,
} from './renewal.ts';
import type { Renewal, Tokens, TokenTransport } from './tokens.ts';

export interface SignInDeps {
  readonly db: Kysely<Schema>;
  readonly vault: Vault;
  readonly sources: ReadonlyMap<string, Source>;
  readonly environment: SourceEnvironment;
  readonly keeper: Pick<TokenKeeper, 'hold'>;
  readonly rateLimiter: RateLimiter;
  readonly log: Logger;
}

/** A request over a limit of the organization waits for at most this long. Then it fails, and the job waits. */
const LONGEST_WAIT_S = 10;

/** These are the columns of a connection that its source needs. */
export interface ConnectionToOpen {
  readonly id: string;
  readonly organization_id: string;
  readonly short_name: string;
  readonly config: unknown;
  readonly auth_method: string;
  readonly auth_provider_id: string | null;
  readonly credentials: Sealed | null;
  readonly credentials_key: string | null;
}

/** With these the caller can stop the work, and counts its requests; a pull adds its cursor and its bookmark. */
export interface Call extends Pick<SourceContext<unknown, unknown>, 'signal' | 'meter'> {
  /**
   * If true, a request over a limit of the organization waits for a few seconds, and its connection keeps its turn. If
   * false, the request fails at once, because a person waits for the answer.
   */
  readonly mayWait: boolean;
  /** The requests to the source have spans below this one. */
  readonly span: Span;
}

export interface OpenedSource<Added> extends AsyncDisposable {
  readonly source: Source;
  readonly context: SourceContext<unknown, unknown> & Added;
}

/** Throws a SourceError 'config' when the source is not installed or the credentials cannot be opened. */
export function openSource<Added extends Call>(
  deps: SignInDeps,
  connection: ConnectionToOpen,
  call: Added,
): OpenedSource<Added> {
  const source = deps.sources.get(connection.short_name);
  if (!source)
    throw new SourceError('config', `the source '${connection.short_name}' is not installed`);
  const { id, organization_id: organizationId, auth_method, config } = connection;
  const place = { organizationId, connectionId: id, source, config };
  const opened = openCredentials(deps.vault, connection);
  if (auth_method === 'direct')
    return open(deps, call, {
      ...place,
      credentials: opened,
      authorizerOf(settings, transport) {
        const exchange = exchangeOf(source, settings, transport);
        return exchange
          ? exchangeAuthorizer(deps.keeper.hold(id, exchange.renewal), exchange.people)
          : directAuthorizer(source, settings);
      },
    });
  const { auth_provider_id: providerId } = connection;
  if (providerId !== null) {
    const signIn = opened as ProvidedSignIn;
    const provided = {
      signIn,
      open: () => openProvider(deps, providerId, signIn),
      hold: (renewal: Renewal) => deps.keeper.hold(id, renewal),
    };
    return open(deps, call, { ...place, credentials: null, provided });
  }
  return open(deps, call, {
    ...place,
    credentials: null,
    authorizerOf(settings, transport) {
      const peer = peerOf(source, settings.config, opened as RegisteredClient | null);
      const renewal = byRefreshToken(peer, transport, signInAgain(id, peer));
      return tokenAuthorizer(deps.keeper.hold(id, renewal));
    },
  });
}

const signInAgain = (id: string, { client }: OAuthPeer): string =>
  client
    ? `Sign in again: POST /v1/source-connections/${id}/reinitiate-oauth gives a link.`
    : 'Delete the connection, and create it again with new tokens.';

/** These settings are not stored yet, because the source is asked first whether it accepts them. */
export interface UnsavedSettings {
  readonly organizationId: string;
  /** It is null for a new connection. */
  readonly connectionId: string | null;
  readonly source: Source;
  readonly config: unknown;
  /** These are the direct credentials, or null. */
  readonly credentials: unknown;
  /** The requests are signed with these tokens of OAuth. */
  readonly tokens?: Tokens | undefined;
  /** An auth provider keeps the credentials. */
  readonly provided?: Omit<ProvidedAccess, 'hold'> | undefined;
}

/** Throws a ZodError when the settings do not fit the schemas of the source. */
export const openUnsaved = <Added extends Call>(
  deps: OpenDeps,
  { tokens, provided, ...unsaved }: UnsavedSettings,
  call: Added,
): OpenedSource<Added> =>
  open(deps, call, {
    ...unsaved,
    ...(provided && { provided: { ...provided, hold: holdUnsaved } }),
    authorizerOf(settings, transport) {
      if (tokens) return tokenAuthorizer(holdIssued(tokens));
      return unsavedAuthorizer(unsaved.source, settings, transport);
    },
  });

/** Signs with direct credentials, of which nothing is stored. */
export function unsavedAuthorizer(
  source: Source,
  settings: ParsedSettings,
  transport: TokenTransport,
): Authorizer {
  const exchange = exchangeOf(source, settings, transport);
  return exchange
    ? exchangeAuthorizer(holdUnsaved(exchange.renewal), exchange.people)
    : directAuthorizer(source, settings);
}

type OpenDeps = Pick<SignInDeps, 'environment' | 'rateLimiter' | 'log'>;
type ParsedSettings = Pick<UnsavedSettings, 'config' | 'credentials'>;

type ProvidedAccess = Pick<HeldConnection, 'signIn' | 'open' | 'hold'>;

interface ToOpen extends Omit<UnsavedSettings, 'tokens' | 'provided'> {
  readonly provided?: ProvidedAccess;
  readonly authorizerOf?: (settings: ParsedSettings, transport: TokenTransport) => Authorizer;
}

/** A limit counts requests by these: an organization, a source, and maybe a connection. */
export type CountedFor = Pick<UnsavedSettings, 'organizationId' | 'connectionId' | 'source'>;

/** Returns a transport whose requests count for the limits of the organization, those for tokens included. */
export function transportOf(
  { environment, rateLimiter }: Pick<OpenDeps, 'environment' | 'rateLimiter'>,
  counted: CountedFor,
  call: Omit<Call, 'signal'>,
): TokenTransport {
  const send = counted.source.mayBeInternal ? environment.sendToProvider : environment.send;
  const traced = tracedSend(send, call.span, factsOf(counted));
  return { send: rateLimiter.limit(traced, callerOf(counted, call)), meter: call.meter };
}

/** Services of others are not told our traces, because the ids would let them connect the requests of one user. */
const factsOf = ({ source }: CountedFor) => ({ facts: { 'quarry.source': source.shortName } });

function callerOf(
  { organizationId, connectionId, source: { shortName, api } }: CountedFor,
  { mayWait }: Pick<Call, 'mayWait'>,
): CountedCaller {
  const patience = mayWait ? Math.min(api?.patience ?? LONGEST_WAIT_S, LONGEST_WAIT_S) : 0;
  return { organizationId, shortName, connectionId, patienceMs: patience * 1000 };
}

function open<Added extends Call>(
  deps: OpenDeps,
  call: Added,
  { source, organizationId, connectionId, provided, authorizerOf, ...unparsed }: ToOpen,
): OpenedSource<Added> {
  const { environment, log } = deps;
  const settings = openContext(source, unparsed);
  const counted = { source, organizationId, connectionId };
  const transport = transportOf(deps, counted, call);
  const access = provided
    ? providedAccess(
        deps,
        { source, config: settings.config, ...provided },
        {
          transport,
          caller: callerOf(counted, call),
          sendToProvider: tracedSend(environment.sendToProvider, call.span, factsOf(counted)),
        },
      )
    : { send: transport.send, authorizer: must(authorizerOf)(settings, transport) };
  const downloads = openDownloads(environment.downloadsFolder, environment.optional);
  const closing = new AbortController();
  const context = {
    ...environment,
    ...call,
    ...settings,
    ...access,
    signal: AbortSignal.any([call.signal, closing.signal]),
    downloads,
    operatorBaseUrl: source.operator?.baseUrl,
    log: log.child({ source: source.shortName }),
  };
  return {
    source,
    context,
    async [Symbol.asyncDispose]() {
      closing.abort(new Error('the source is closed'));
      await downloads
        .close()
        .catch((error) =>
          context.log.error({ err: error }, 'downloaded files could not be removed'),
        );
    },
  };
}
