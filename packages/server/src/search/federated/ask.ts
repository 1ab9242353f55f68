/**
 * Asks the sources that are searched live: each connection once in a search, and always for the same number of
 * results, so that the ranking does not depend on the size of a page. The search goes on when a source is slow,
 * refuses or breaks, and its answer says which source did that.
 */
import type { Kysely } from 'kysely';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import type { Schema } from '../../db/schema.ts';
import { SourceError, SourceRateLimitExceededException } from '../../errors.ts';
import { createKeyedLimit } from '../../keyed-limit.ts';
import type { Filter } from '../../model/filter.ts';
import { filterMatches } from '../../model/filter-matches.ts';
import type { RateLimiter } from '../../rate-limits/limiter.ts';
import type { Vault } from '../../secrets.ts';
import { openSource, type SignInDeps } from '../../sign-in/open-source.ts';
import { type Source, type SourceEnvironment, syncMode } from '../../sources/define.ts';
import { NO_SPAN, type Span } from '../../telemetry/trace.ts';
import { must, untilAborted, within } from '../../util.ts';
import { toMatchable } from '../read.ts';
import type { FederatedSource } from '../schema.ts';
import { createPauses } from './pauses.ts';
import { type LiveRow, toRow } from './rows.ts';
import { type FederatedConnection, federatedConnections, liveAmong, refuse } from './store.ts';

/** A connection is asked for this many results, whatever the limit of the search is. */
const LIVE_RESULTS = 50;
const DEADLINE_MS = 3000;
/**
 * In this thread, this many calls to one connection, and this many calls to all connections, run at the same time. A
 * connection that hangs therefore does not keep others from being asked. Waiting for a turn counts towards the deadline.
 */
const MAX_CALLS_OF_ONE = 4;
const MAX_CALLS_OF_ALL = 32;

export interface FederatedDeps {
  readonly db: Kysely<Schema>;
  readonly sources: ReadonlyMap<string, Source>;
  readonly vault: Vault;
  readonly environment: SourceEnvironment;
  readonly keeper: SignInDeps['keeper'];
  readonly rateLimiter: RateLimiter;
  readonly log: Logger;
  readonly deadlineMs?: number;
}

export interface FederatedQuestion {
  /** These are the connections of the collections; those whose sources are not searched live are ignored. */
  readonly connections: readonly { readonly id: string; readonly short_name: string }[];
  readonly query: string;
  readonly filter: Filter;
  /** Its lines have the ids of the request. Without it, the log of the thread is used. */
  readonly log?: Logger;
  /** The requests to sources have spans below this one. */
  readonly span?: Span;
}

export interface FederatedAnswer {
  /** The filter accepts these rows; those of each connection stand with the best first. */
  readonly rows: readonly LiveRow[];
  readonly sources: readonly FederatedSource[];
}

export interface Federated {
  /**
   * Asks with the access of the account whose credentials the connection has, so it must never be called for a
   * person who may see less. It rejects only for faults of our own database.
   */
  ask(question: FederatedQuestion, signal: AbortSignal): Promise<FederatedAnswer>;
}

type ConnectionAnswer = Pick<FederatedAnswer, 'rows'> & Pick<FederatedSource, 'status' | 'message'>;

export function createFederated(deps: FederatedDeps): Federated {
  const { db, sources, deadlineMs = DEADLINE_MS } = deps;
  const isFederated = (shortName: string) => {
    const source = sources.get(shortName);
    return source !== undefined && syncMode(source) === 'federated';
  };
  const connectionLimit = createKeyedLimit(MAX_CALLS_OF_ONE);
  const threadLimit = pLimit(MAX_CALLS_OF_ALL);
  const pauses = createPauses();

  async function askOne(
    connection: FederatedConnection,
    question: FederatedQuestion,
    stop: AbortSignal,
  ): Promise<ConnectionAnswer> {
    if (connection.authenticated_at === null || connection.refused_at !== null)
      return failed('its credentials are refused or missing: set new ones, or sign in again');
    const seconds = pauses.secondsLeft(connection);
    if (seconds > 0) return failed(`it asks to wait for ${seconds} s`);
    const late = new Error('late');
    return within({ ms: deadlineMs, late: () => late, signal: stop }, (signal) =>
      askInTime(connection, question, signal),
    );
  }

  async function askInTime(
    connection: FederatedConnection,
    { query, filter, log = deps.log, span = NO_SPAN }: FederatedQuestion,
    signal: AbortSignal,
  ): Promise<ConnectionAnswer> {
    try {
      const call = { signal, meter: { requests: 0, bytes: 0 }, mayWait: false, span };
      await using opened = openSource({ ...deps, log }, connection, call);
      const { source, context } = opened;
      const inTime = <T>(work: () => Promise<T>) => untilAborted(signal, work);
      const search = () => inTime(() => must(source.search)(context, query, LIVE_RESULTS));
      // A search that has ended gives up its turns at once, in both queues.
      const entities = await inTime(() =>
        connectionLimit.run(connection.id, () => inTime(() => threadLimit(search))),
      );
      const rows = entities
        .slice(0, LIVE_RESULTS)
        .flatMap((entity) => toRow(source, connection, entity) ?? [])
        .filter((row) => filterMatches(toMatchable(row), filter));
      return { status: 'answered', rows };
    } catch (error) {
      if (signal.aborted)
        return {
          status: 'timeout',
          rows: [],
          message: `it did not answer within ${deadlineMs / 1000} s`,
        };
      if (!(error instanceof SourceError)) {
        log.error({ err: error, connection: connection.id }, 'a live search broke');
        return failed('it could not be asked because of an error in Quarry; see its log');
      }
      // Our own limit may be raised at any moment, and asking it is cheap, so it begins no pause.
      if (error instanceof SourceRateLimitExceededException) return failed(error.message);
      if (error.kind === 'rate_limited') pauses.begin(connection, error.retryAfter);
      if (error.kind === 'auth') await storeRefusal(connection, log);
      return failed(error.message);
    }
  }

  /**
   * Records that the credentials are refused. If this cannot be written, the search goes on, and the next search
   * asks the source again.
   */
  async function storeRefusal(connection: FederatedConnection, log: Logger): Promise<void> {
    await refuse(db, connection).catch((error) =>
      log.error({ err: error, connection: connection.id }, 'a refusal could not be stored'),
    );
  }

  return {
    async ask(question, signal) {
      const ids = question.connections
        .filter(({ short_name }) => isFederated(short_name))
        .map(({ id }) => id);
      if (ids.length === 0) return { rows: [], sources: [] };
      const connections = await federatedConnections(db, ids);
      const answers = await Promise.all(
        connections.map(async (connection) => ({
          connection,
          ...(await askOne(connection, question, signal)),
        })),
      );
      // A deletion takes effect with its commit, also for connections that were being asked meanwhile.
      const live = await liveAmong(db, ids);
      const valid = answers.filter(({ connection }) => live.has(connection.id));
      return {
        rows: valid.flatMap(({ rows }) => rows),
        sources: valid.map(({ connection, rows, status, message }) => ({
          source_connection_id: connection.id,
          source_name: connection.short_name,
          status,
          results: rows.length,
          ...(message !== undefined && { message }),
        })),
      };
    },
  };
}

const failed = (message: string): ConnectionAnswer => ({ status: 'failed', rows: [], message });
