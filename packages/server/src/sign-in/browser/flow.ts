/**
 * Signs a person in to a source in a browser (RFC 6749, 4.1):
 *
 *   link (once, 10 minutes) ▸ provider ▸ callback ▸ code for tokens ▸ the source accepts them ▸ one transaction:
 *   tokens, account, event, first sync ▸ back to the caller
 *
 * Opening the link gives the browser a state and a cookie. The state belongs to one connection and works once; without
 * the cookie of the browser that opened the link it does nothing. So an attacker cannot begin a sign-in and let another
 * person's browser finish it. Until the last step nothing changes in the connection.
 */
import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import { type Ctx, causeOf } from '../../context.ts';
import type { Tx } from '../../db/schema.ts';
import { sha256 } from '../../model/hash.ts';
import { openCredentials } from '../../secrets.ts';
import { checkSettings, type Source } from '../../sources/define.ts';
import type { Cause, Span } from '../../telemetry/trace.ts';
import { sealTokens } from '../keeper.ts';
import { type CountedFor, openUnsaved, type SignInDeps, transportOf } from '../open-source.ts';
import { byCode, type OAuthPeer, peerOf, type RegisteredClient } from '../renewal.ts';
import { replace, type TokenDatabase } from '../token-store.ts';
import type { IssuedTokens } from '../tokens.ts';
import {
  type CallbackQuery,
  endOf,
  failAs,
  NO_STATE,
  otherBrowser,
  refusedByProvider,
  type SignInEnd,
  SignInFailure,
  UNKNOWN_LINK,
  UNKNOWN_STATE,
  usedLink,
  usedState,
} from './ends.ts';
import { cookieName, isSameHash, randomText, type SignInLinks, verifierOf } from './links.ts';
import * as store from './store.ts';

const CHECK_MS = 10_000;
/**
 * These scopes of OpenID Connect do not ask for access to data, and many providers do not list them among the granted
 * scopes.
 */
const UNNAMED_SCOPES = ['openid', 'profile', 'email', 'offline_access'];

/** After these failures in one browser, another browser may still complete the sign-in, or has already completed it. */
const MAY_STILL_SUCCEED = ['other_browser', 'link_used', 'already_used', 'link_replaced'];

export interface BrowserSignInDeps extends TokenDatabase, Omit<SignInDeps, 'keeper'> {
  readonly links: SignInLinks;
  /** This function is called in the transaction that completes the sign-in. */
  readonly signedIn: (tx: Tx, signIn: CompletedSignIn) => Promise<void>;
  readonly wake: () => void;
  readonly log: Logger;
}

export interface CompletedSignIn {
  readonly connectionId: string;
  /** If true, a sync starts after the sign-in; the caller may forbid that. */
  readonly startsSync: boolean;
  readonly email: string;
  readonly cause: Cause;
}

export type BrowserSignIn = ReturnType<typeof createBrowserSignIn>;

export function createBrowserSignIn(deps: BrowserSignInDeps) {
  const { db, kind, vault, sources, links, log } = deps;

  /** Returns the connection with its source and its OAuth client. Throws a SignInFailure. */
  async function peerFor(connectionId: string): Promise<Omit<SigningIn, 'span'>> {
    const connection = await store.connectionOf(db, connectionId);
    if (!connection) throw new SignInFailure('connection_deleted', 'the connection was deleted');
    const source = sources.get(connection.short_name);
    if (!source?.auth.oauth)
      throw new SignInFailure('source_inactive', 'the source is switched off');
    const own = openCredentials(vault, connection) as RegisteredClient | null;
    const config = source.config.parse(connection.config);
    const peer = peerOf(source, config, own);
    const { client } = peer;
    if (!client)
      throw new SignInFailure(
        'client_missing',
        'the operator has no OAuth client for this address',
      );
    return { connection, source, config, peer: { ...peer, client } };
  }

  /** Exchanges the code for tokens. Throws a SignInFailure when fewer scopes were granted than the source needs. */
  async function exchange(signingIn: SigningIn, code: string, verifier: string) {
    const { peer } = signingIn;
    const transport = transportOf(deps, countedFor(signingIn), callOf(signingIn));
    const redirectUri = links.callback();
    const issued = await byCode(peer, transport, { code, verifier, redirectUri }).catch(
      failAs('token_exchange_failed'),
    );
    const granted = issued.scopes;
    const missing = peer.flow.scopes.filter(
      (scope) => granted && !granted.includes(scope) && !UNNAMED_SCOPES.includes(scope),
    );
    if (missing.length > 0)
      throw new SignInFailure(
        'missing_scopes',
        `the sign-in did not grant ${missing.join(', ')}: sign in again, and allow everything`,
      );
    return issued;
  }

  /** Asks the source whether it accepts the tokens, and for the account. */
  async function check(signingIn: SigningIn, tokens: IssuedTokens) {
    const { source, config } = signingIn;
    const signal = AbortSignal.timeout(CHECK_MS);
    const unsaved = { ...countedFor(signingIn), config, credentials: null, tokens };
    await using opened = openUnsaved(deps, unsaved, { signal, ...callOf(signingIn) });
    const { context } = opened;
    try {
      return await checkSettings(source, context);
    } catch (error) {
      if (signal.aborted)
        throw new SignInFailure('check_failed', `${source.name} did not answer in time`);
      return failAs('check_failed')(error);
    }
  }

  async function complete(
    row: store.BrowserSignInRow,
    issued: IssuedTokens & { readonly at: number; readonly cause: Cause },
    account: string | null,
  ): Promise<void> {
    const { connection_id: connectionId, starts_sync: startsSync, email } = row;
    const ageMs = performance.now() - issued.at;
    const sealed = sealTokens(vault, connectionId, { ...issued, ageMs });
    await db.transaction().execute(async (tx) => {
      const now = await store.lockConnection(tx, connectionId);
      if (!now) throw new SignInFailure('connection_deleted', 'the connection was deleted');
      const latest = await store.ofConnection(tx, connectionId);
      if (latest?.state_hash !== row.state_hash)
        throw new SignInFailure('link_replaced', 'a newer link was made: use that one');
      if (account !== null && now.account !== null && account !== now.account)
        throw new SignInFailure(
          'account_mismatch',
          `this connection belongs to ${now.account}, and ${account} has signed in: sign in as ${now.account}, or make a new connection`,
        );
      await replace(tx, kind, { connectionId, ...sealed });
      // The time must differ from the earlier one even when the clock was set back, because a live search recognizes a
      // new sign-in by it.
      const at = Math.max(Date.now(), (now.authenticated_at ?? 0) + 1);
      await store.markSignedIn(tx, connectionId, { account: account ?? now.account, at });
      await deps.signedIn(tx, { connectionId, startsSync, email, cause: issued.cause });
    });
    deps.wake();
  }

  /** The browser goes back to the caller with the failure, or shows it. */
  async function failed(row: store.BrowserSignInRow, error: unknown): Promise<SignInEnd> {
    const failure = error instanceof SignInFailure ? error : null;
    const code = failure?.code ?? 'internal';
    const about = { connection: row.connection_id, code };
    if (failure) log.info(about, 'a sign-in failed');
    else log.error({ ...about, err: error }, 'a sign-in broke');
    const message =
      failure?.message ?? 'the sign-in failed because of an error in Quarry; see its log';
    if (!MAY_STILL_SUCCEED.includes(code))
      await store.noteFailure(deps, row.link_hash, { code, message }).catch((err: unknown) => {
        log.error({ ...about, err }, 'the failure of a sign-in could not be stored');
      });
    return endOf(row, { status: 'error', error: code, error_description: message });
  }

  return {
    /** Opens a link: gives the address of the provider, and the cookie for this browser. */
    async open(code: string): Promise<SignInEnd> {
      const row = await store.findByLink(db, sha256(code));
      if (!row) return UNKNOWN_LINK;
      try {
        const { peer } = await peerFor(row.connection_id);
        const [state, cookie] = [randomText(), randomText()];
        const stateHash = sha256(state);
        const hashes = { stateHash, browserHash: sha256(cookie) };
        if (!(await store.openLink(deps, row.link_hash, hashes))) throw usedLink(row);
        const challenge = createHash('sha256')
          .update(verifierOf(state, cookie))
          .digest('base64url');
        const redirect = providerUrl(peer, {
          redirect_uri: links.callback(),
          state,
          ...(peer.flow.pkce !== false && {
            code_challenge: challenge,
            code_challenge_method: 'S256',
          }),
        });
        return { redirect, cookie: { name: cookieName(stateHash), value: cookie } };
      } catch (error) {
        return await failed(row, error);
      }
    },

    /** Ends a sign-in: the provider has sent the browser back. `cookies` are those of the browser. */
    async callback(
      query: CallbackQuery,
      cookies: ReadonlyMap<string, string>,
      request: Pick<Ctx, 'requestId' | 'span'>,
    ): Promise<SignInEnd> {
      const { state, code } = query;
      if (!state) return NO_STATE;
      const stateHash = sha256(state);
      const row = await store.findByState(db, stateHash);
      if (!row) return UNKNOWN_STATE;
      try {
        const cookie = cookies.get(cookieName(stateHash)) ?? '';
        if (!isSameHash(cookie, row.browser_hash)) throw otherBrowser();
        if (!(await store.takeState(deps, stateHash))) throw usedState(row);
        if (query.error) throw refusedByProvider(query);
        if (!code) throw new SignInFailure('code_missing', 'the provider sent no code');
        const { span } = request;
        const signingIn = { ...(await peerFor(row.connection_id)), span };
        const at = performance.now();
        const issued = await exchange(signingIn, code, verifierOf(state, cookie));
        const account = await check(signingIn, issued);
        await complete(row, { ...issued, at, cause: causeOf(request) }, account);
        const { connection_id: source_connection_id } = row;
        return endOf(row, { status: 'success', source_connection_id });
      } catch (error) {
        return await failed(row, error);
      }
    },
  };
}

interface SigningIn {
  readonly connection: store.SigningInConnection;
  readonly source: Source;
  readonly config: unknown;
  readonly peer: OAuthPeer & { readonly client: RegisteredClient };
  /** It is the span of the request by which the browser came back. */
  readonly span: Span;
}

const countedFor = ({ connection, source }: SigningIn): CountedFor => ({
  organizationId: connection.organization_id,
  connectionId: connection.id,
  source,
});

/** A sign-in over a limit waits a little instead of failing, because its code works only once. */
const callOf = ({ span }: SigningIn) => ({
  meter: { requests: 0, bytes: 0 },
  mayWait: true,
  span,
});

function providerUrl(
  { flow, authorizeUrl, client }: SigningIn['peer'],
  params: Readonly<Record<string, string>>,
): string {
  const url = new URL(authorizeUrl);
  const scope = flow.scopes.join(flow.separator ?? ' ');
  const all = {
    response_type: 'code',
    client_id: client.id,
    ...(scope !== '' && { scope }),
    ...flow.params,
    ...params,
  };
  for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
  return url.href;
}
