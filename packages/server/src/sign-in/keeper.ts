/**
 * Keeps the tokens of connections fresh, over all threads and processes. OAuth, client credentials, signed JWTs and
 * auth providers all use it.
 *
 * 1. The tokens of a connection are renewed by one caller at a time. A renewal begins with a claim: one UPDATE of the
 * row with the tokens, which succeeds only if the row still has the version that the claimant has seen. A caller that
 * does not get the claim waits until the row changes.
 * 2. The token endpoint is asked outside of any transaction. New tokens are stored with the next version, and
 * everybody, the claimant too, takes them from the row. So no token is used before it is stored.
 * 3. A renewal that has begun is not stopped when its caller goes away, because the tokens in the answer would be lost.
 * `settled` waits for such renewals before the database is closed.
 * 4. Tokens are renewed ahead of their end. While the old tokens still work, no caller waits for the renewal of another
 * one, and a failed renewal does no harm.
 * 5. After a failed renewal comes a rest: for a while, nobody asks the token endpoint again, and all callers get the
 * error of the failure.
 * 6. Where every renewal uses the refresh token up, a renewal without an answer may have used it up too. If the process
 * lives and saw the failure, the token is sent again, but only after the access token has expired, because then nothing
 * else is possible. If the process died, the token is never sent again, and the sign-in has ended. Neither rule applies
 * while the service still accepts a token that is used up (`graceMs`).
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { SEALED_TABLES } from '../db/sealed-columns.ts';
import { asSourceError } from '../db/unavailable.ts';
import { SourceError } from '../errors.ts';
import { openSealed, type Vault } from '../secrets.ts';
import { untilAborted } from '../util.ts';
import { MAX_REST_MS, nextStep, type RenewalStep, stampOf } from './renewal-step.ts';
import * as store from './token-store.ts';
import type { IssuedTokens, Renewal, Tokens } from './tokens.ts';

const STORE_FOR_MS = 30_000;
const STORE_PAUSE_MS = 500;
/**
 * A caller that waits for a renewal reads the row again after these pauses: the first one, and then longer and longer
 * ones up to the last.
 */
const LOOK_MS = { first: 20, last: 500 };
/**
 * A token is renewed when less than this time, or less than a tenth of its life, is left, but never in the first half
 * of its life.
 */
const AHEAD_MS = 60_000;
/**
 * The rest doubles with each failure in a row. After a failure that does not pass by itself, the rest has the longest
 * time at once.
 */
const REST_MS = { first: 1000, last: 60_000 };

/** The message of the error for a caller whose connection has been deleted meanwhile. */
export const CONNECTION_DELETED = 'the connection has been deleted';

interface KeptToken {
  readonly tokens: Tokens;
  /** The stamp names the token; null when it cannot be renewed. */
  readonly stamp: string | null;
}

export interface TokenHolder {
  /**
   * Returns a token that has not expired and does not have the stamp `refused`. Throws a SourceError: 'auth' when
   * somebody has to sign in again, and another kind when the token endpoint or our database could not be asked.
   */
  token(refused: string | null, signal: AbortSignal): Promise<KeptToken>;
}

export interface TokenKeeper {
  /** Returns the holder of the tokens of a connection, for one opened source. */
  hold(connectionId: string, renewal: Renewal): TokenHolder;
  /** Waits until the renewals that have begun have ended. */
  settled(): Promise<void>;
}

export interface TokenKeeperDeps extends store.TokenDatabase {
  readonly vault: Vault;
  readonly log: Logger;
  /** The clock is in milliseconds, and is never set back. */
  readonly clock?: () => number;
}

interface SeenRow {
  readonly row: store.TokenRow;
  readonly tokens: Tokens | null;
  /** The clock of this process showed this time when the row was read. */
  readonly at: number;
}

/** A caller needs a token, and looks at the row from time to time. */
interface TokenCaller {
  readonly connectionId: string;
  readonly renewal: Renewal;
  readonly pauseMs: number;
  readonly signal: AbortSignal;
}

type StepWithoutToken = Exclude<RenewalStep, { do: 'use' }>;

export function createTokenKeeper(deps: TokenKeeperDeps): TokenKeeper {
  const { vault, log, clock = () => performance.now() } = deps;
  /** These are the renewals of this thread that have not ended, by connection. */
  const running = new Map<string, Promise<void>>();

  async function look(connectionId: string): Promise<SeenRow> {
    const row = await store.read(deps, connectionId);
    if (!row) throw new SourceError('fatal', CONNECTION_DELETED);
    return { row, tokens: open(vault, connectionId, row), at: clock() };
  }

  /** Renews the tokens, unless somebody else does. New tokens, or the fault, are in the row afterwards. */
  async function renew(
    { row, tokens }: SeenRow,
    renewal: Renewal,
    { connectionId, takesOver }: { readonly connectionId: string; readonly takesOver: boolean },
  ): Promise<void> {
    const { version, failures } = row;
    const claim = { connectionId, version, claim: randomUUID() };
    if (version === 0) await store.ensure(deps.db, connectionId);
    const isOurs = await store.claim(deps, claim, { failures, forMs: store.CLAIM_MS, takesOver });
    if (!isOurs) return;
    const began = clock();
    const write = (work: () => Promise<unknown>) =>
      persistently(clock, work).catch((error: unknown) => {
        log.error({ connection: connectionId, err: error }, 'renewed tokens could not be stored');
        throw error;
      });
    let issued: IssuedTokens;
    try {
      issued = await renewal.renew(tokens);
    } catch (error) {
      const fault = faultOf(error, failures);
      log.warn({ connection: connectionId, why: fault.message }, 'a renewal of tokens failed');
      await write(() => store.fail(deps, claim, fault));
      throw error;
    }
    const sealed = sealTokens(vault, connectionId, { ...issued, ageMs: clock() - began });
    await write(() => store.store(deps, claim, sealed));
  }

  function renewOnce(...asked: Parameters<typeof renew>): Promise<void> {
    const [, , { connectionId }] = asked;
    const current = running.get(connectionId);
    if (current !== undefined) return current;
    const started = renew(...asked).finally(() => running.delete(connectionId));
    running.set(connectionId, started);
    return started;
  }

  /**
   * Takes the step. Resolves when the caller should read the row again, and otherwise throws the error for the caller.
   */
  async function act(
    step: StepWithoutToken,
    seen: SeenRow,
    { connectionId, renewal, pauseMs, signal }: TokenCaller,
  ): Promise<void> {
    switch (step.do) {
      case 'fail':
        throw step.error;
      case 'abandon': {
        const { version, claim } = seen.row;
        if (claim) await store.abandon(deps, { connectionId, version, claim });
        throw step.error;
      }
      case 'wait':
        return sleep(pauseMs, undefined, { signal });
      case 'renew': {
        const { takesOver } = step;
        return untilAborted(signal, () => renewOnce(seen, renewal, { connectionId, takesOver }));
      }
    }
  }

  function hold(connectionId: string, renewal: Renewal): TokenHolder {
    /** This is the row as it was when this source looked at it last. */
    let last: SeenRow | undefined;

    async function find(refused: string | null, signal: AbortSignal): Promise<KeptToken> {
      const use = ({ row, tokens, at }: SeenRow): KeptToken | StepWithoutToken => {
        const aged = { ...row, now: row.now + clock() - at };
        const step = nextStep({ row: aged, tokens, refused, renewal });
        if (step.do !== 'use') return step;
        return { tokens: step.tokens, stamp: renewal.canRenew(tokens) ? stampOf(row) : null };
      };
      const remembered = last && use(last);
      if (remembered && 'tokens' in remembered) return remembered;
      let failure: SourceError | undefined;
      for (let pauseMs = LOOK_MS.first; ; pauseMs = Math.min(pauseMs * 1.5, LOOK_MS.last)) {
        const seen = await look(connectionId);
        const found = use(seen);
        if ('tokens' in found) {
          last = seen;
          return found;
        }
        // The row has the outcome of the failed renewal, but the error itself says more. Only for 'auth' the outcome
        // in the row is better, because it also says how to sign in again.
        if (failure && failure.kind !== 'auth' && found.do === 'fail') throw failure;
        const asker = { connectionId, renewal, pauseMs, signal };
        failure = await act(found, seen, asker).then(
          () => undefined,
          (error: unknown) => {
            if (found.do === 'renew' && error instanceof SourceError) return error;
            throw error;
          },
        );
      }
    }

    return {
      token: (refused, signal) =>
        find(refused, signal).catch((error: unknown) => {
          throw asSourceError('the tokens of the connection could not be used', error);
        }),
    };
  }

  return {
    hold,
    async settled() {
      await Promise.allSettled(running.values());
    },
  };
}

/**
 * Repeats the write for a while when the database is away, because an outcome that is not stored is lost, and perhaps
 * the sign-in with it.
 */
async function persistently(clock: () => number, write: () => Promise<unknown>): Promise<void> {
  const deadline = clock() + STORE_FOR_MS;
  for (;;) {
    try {
      await write();
      return;
    } catch (error) {
      if (clock() >= deadline) throw error;
      await sleep(STORE_PAUSE_MS);
    }
  }
}

function faultOf(error: unknown, failures: number): store.RenewalFault {
  if (!(error instanceof SourceError))
    return { kind: 'fatal', message: 'the tokens could not be renewed', restMs: REST_MS.last };
  const { kind, message, retryAfter } = error;
  const asked = retryAfter === undefined ? REST_MS.last : Math.min(retryAfter * 1000, MAX_REST_MS);
  const grown = Math.min(REST_MS.first * 2 ** failures, REST_MS.last);
  // An endpoint may ask for no time at all, and must still not be asked again at once.
  const restMs =
    kind === 'rate_limited' ? Math.max(grown, asked) : kind === 'transient' ? grown : REST_MS.last;
  return { kind, message, restMs: Math.ceil(restMs) };
}

/** Sealed tokens are bound to their place, so that they cannot be opened as the credentials of the connection. */
const placeOf = SEALED_TABLES.connection_tokens.place;

function open(vault: Vault, connectionId: string, row: store.TokenRow): Tokens | null {
  const { tokens: sealed, tokens_key: key } = row;
  return openSealed(vault, { sealed, key, place: placeOf(connectionId) }) as Tokens | null;
}

/** Seals tokens that were issued `ageMs` milliseconds ago. */
export function sealTokens(
  vault: Vault,
  connectionId: string,
  issued: Omit<IssuedTokens, 'scopes'> & { readonly ageMs: number },
): store.SealedTokens {
  const { accessToken, refreshToken, credentials, lifeMs, ageMs } = issued;
  const tokens: Tokens = { accessToken, refreshToken, ...(credentials && { credentials }) };
  const aheadMs = (life: number) => Math.min(life / 2, Math.max(AHEAD_MS, life / 10));
  const after = (ms: number) => Math.round(Math.max(0, ms - ageMs));
  return {
    tokens: vault.seal(tokens, placeOf(connectionId)),
    tokens_key: vault.keyId,
    leftMs: lifeMs === null ? null : after(lifeMs),
    renewInMs: lifeMs === null ? null : after(lifeMs - aheadMs(lifeMs)),
  };
}
