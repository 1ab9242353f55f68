/**
 * Runs one sync job from its claim to its end.
 *
 * The job ends in exactly one state: COMPLETED after its last commit, CANCELLED when a caller asked for it, FAILED
 * when the source or we could not go on. When the process drains, the job does not end: it stays RUNNING, its lease
 * is given back, and the next worker goes on with it. The same happens when our own database cannot be written, when
 * the source asks us to wait, and after a network error that may pass (patience.ts).
 */
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { DatabaseKind } from '../../db/connect.ts';
import type { Schema } from '../../db/schema.ts';
import { unavailableReason } from '../../db/unavailable.ts';
import type { Extractor } from '../../documents/extract.ts';
import type { Embedder, SearchIndex } from '../../engines/ports.ts';
import type { RateLimiter } from '../../rate-limits/limiter.ts';
import type { Vault } from '../../secrets.ts';
import { openSource, type SignInDeps } from '../../sign-in/open-source.ts';
import type { PullContext, Source, SourceEnvironment } from '../../sources/define.ts';
import { definitionIdsOf } from '../../sources/definitions.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { Span } from '../../telemetry/trace.ts';
import type { Chain } from '../../transformers/chain.ts';
import { openChain, type TransformerRuntime } from '../../transformers/open.ts';
import { must } from '../../util.ts';
import { listingOf } from '../jobs/bookmark-store.ts';
import { watchForCancel } from '../jobs/cancel.ts';
import { Fenced } from '../jobs/fence.ts';
import { endIfCancelled } from '../jobs/job-end-store.ts';
import * as jobs from '../jobs/job-store.ts';
import { emptyListing } from '../jobs/listing.ts';
import { postpone } from '../jobs/postpone.ts';
import { storedPush } from '../jobs/push-store.ts';
import type { ChunkThreads } from './chunks.ts';
import { type CommitTarget, createCommitter } from './commit.ts';
import { endBadly } from './end-badly.ts';
import { hooksOf } from './job-hooks.ts';
import { areMembersDue, forgetOutdated, storeMembers } from './members.ts';
import { below, groupScopeOf, hydrate, ofSource } from './of-source.ts';
import { type PipelineDeps, runPull } from './pipeline.ts';
import { pushedItems } from './push.ts';
import { handlersOf, recipeOf } from './recipe.ts';
import { type Following, noteIncomplete, reprocess } from './reprocess.ts';
import * as runs from './run-store.ts';
import { belowInScope, inScope, membersInScope } from './scope-groups.ts';
import { countedCommitter, emptyReport, type SyncReport, waitReason } from './sync-report.ts';
import type { Upkeep } from './upkeep.ts';

export interface RunDeps {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
  readonly index: SearchIndex;
  readonly embedder: Embedder;
  readonly chunkThreads?: ChunkThreads | undefined;
  readonly extractor: Extractor;
  readonly vault: Vault;
  readonly sources: ReadonlyMap<string, Source>;
  readonly environment: SourceEnvironment;
  readonly keeper: SignInDeps['keeper'];
  readonly rateLimiter: RateLimiter;
  readonly upkeep: Upkeep;
  readonly transformerRuntime: TransformerRuntime;
  /** Returns a function that returns the partitions in which a watch has noticed changes since its last call. */
  readonly beforePull: (connection: runs.SyncedConnection) => Promise<() => readonly string[]>;
  /** Is told of each pull that has ended, except a cancelled one. */
  readonly afterPull: (connectionId: string, isCompleted: boolean) => void;
  readonly metrics: Metrics;
  /** It is the span of the attempt. */
  readonly span: Span;
  readonly log: Logger;
}

/**
 * `signal` aborts when the process drains or another worker has the lease; the job then stays as it is. Returns nothing
 * when there was nothing to do.
 */
export async function runSyncJob(
  deps: RunDeps,
  claim: jobs.SyncClaim,
  signal: AbortSignal,
): Promise<SyncReport | undefined> {
  const { jobId } = claim.data;
  const begun = await begin(deps, claim);
  if (begun === 'lost') return undefined;
  if (!begun) {
    await deps.db.transaction().execute((tx) => endIfCancelled(tx, jobId));
    return undefined;
  }
  const { started, connection } = begun;
  const job = {
    id: jobId,
    kind: deps.kind,
    claim,
    connectionId: started.connection_id,
    startedAt: must(started.started_at),
  };
  const { short_name: source, id: connectionId } = connection;
  const { trigger } = started;
  deps.span.note({
    'quarry.organization_id': started.organization_id,
    'quarry.connection_id': connectionId,
    'quarry.source': source,
    'quarry.sync.trigger': trigger,
  });
  const report = emptyReport({ source, connection: connectionId, trigger });
  const cancelled = new AbortController();
  const watch = watchForCancel(deps, jobId, cancelled);
  let membersList: number | null = null;
  try {
    const result = await sync(deps, {
      job: started,
      connection,
      claim,
      report,
      signal: AbortSignal.any([signal, cancelled.signal]),
    });
    await runs.complete(deps.db, job, result);
    report.state = 'COMPLETED';
    membersList = result.membersList;
    if (jobs.isPull(started.trigger)) deps.afterPull(job.connectionId, true);
  } catch (error) {
    if (error instanceof Fenced) {
      deps.log.warn({ jobId, reason: error.message }, 'a sync stopped');
      return report;
    }
    if (signal.aborted && !cancelled.signal.aborted) throw error;
    const later = await laterError(deps, claim, { error, cancelled: cancelled.signal.aborted });
    if (later !== null) {
      deps.metrics.quarry_sync_waits_total.inc({ source, reason: waitReason(error) });
      throw later;
    }
    report.state = await endBadly(deps, job, { error, cancelled: cancelled.signal.aborted });
    if (jobs.isPull(started.trigger) && !cancelled.signal.aborted)
      deps.afterPull(job.connectionId, false);
  } finally {
    clearInterval(watch);
  }
  // The job has ended, so an error here cannot change its status.
  deps.metrics.quarry_syncs_total.inc({ source, state: report.state });
  deps.span.note({ 'quarry.sync.state': report.state });
  if (membersList !== null) await forgetOutdated(deps.db, job.connectionId, signal);
  return report;
}

/** Returns the error with which the queue runs the job again later, or null when the job must end. */
async function laterError(
  deps: RunDeps,
  claim: jobs.SyncClaim,
  { error, cancelled }: { readonly error: unknown; readonly cancelled: boolean },
): Promise<unknown> {
  // Our own database is unreachable or full.
  if (unavailableReason(error) !== null) return error;
  return cancelled ? null : postpone(deps, claim, error);
}

/**
 * Returns undefined when the job has ended, was cancelled or its connection is deleted, and 'lost' when another worker
 * has the job.
 */
async function begin({ db, kind }: RunDeps, claim: jobs.SyncClaim) {
  try {
    return await db.transaction().execute(async (tx) => {
      const started = await jobs.start(tx, kind, claim);
      // The job and its connection are read in one transaction, because a change of the configuration removes the
      // cursor of the connection.
      return started && { started, connection: await runs.connectionOf(tx, started.connection_id) };
    });
  } catch (error) {
    if (error instanceof Fenced) return 'lost';
    throw error;
  }
}

interface StartedSync {
  readonly job: jobs.JobRow;
  readonly connection: runs.SyncedConnection;
  readonly claim: jobs.SyncClaim;
  readonly report: SyncReport;
  readonly signal: AbortSignal;
}

async function sync(deps: RunDeps, started: StartedSync): Promise<runs.Completion> {
  const { job, connection, signal } = started;
  const meter = { requests: job.requests, bytes: job.bytes_fetched };
  const takeChanged = jobs.isPull(job.trigger) ? await deps.beforePull(connection) : () => [];
  await using opened = openSource({ ...deps, log: deps.log.child({ jobId: job.id }) }, connection, {
    cursor: job.full ? null : connection.cursor,
    lastCursor: connection.cursor,
    cursorField: connection.cursor_field,
    bookmark: job.bookmark?.position ?? null,
    takeChanged,
    signal,
    meter,
    mayWait: true,
    span: deps.span,
  });
  const chain = await openChain(deps.db, job.organization_id, {
    configured: connection.transformers,
    source: opened.source,
    runtime: deps.transformerRuntime,
  });
  try {
    const target = targetOf(deps, started, { ...opened, chain });
    const committer = countedCommitter(
      createCommitter(deps, target, { meter, start: runs.tallyOf(job) }),
      started.report,
      { ...deps, meter },
    );
    const hooks = hooksOf(deps, job, target.collectionId);
    const running = { ...deps, ...hooks, chain, target, signal, committer };
    if (connection.transformed !== chain.signature) {
      // An attempt that goes on at a bookmark, or after a cursor, skips reprocessing: an earlier attempt did it, perhaps
      // with other transformers, and what it left out is counted. The next sync checks again.
      if (job.bookmark || job.settled) await noteIncomplete(running);
      else await reprocess(running, followingOf(job));
    }
    if (job.trigger === 'reprocess') return { heldBack: 0, membersList: null };
    return await pull(running, started, opened);
  } finally {
    await chain.close();
  }
}

function targetOf(
  deps: RunDeps,
  { job, connection, claim }: StartedSync,
  { source, chain }: { readonly source: Source; readonly chain: Chain },
): CommitTarget {
  const handlers = handlersOf(job.sync_config);
  return {
    organizationId: job.organization_id,
    collectionId: connection.collection_id,
    connectionId: connection.id,
    ...cursorOriginOf(connection),
    syncId: job.sync_id,
    jobId: job.id,
    claim,
    generation: job.generation,
    firstGeneration: job.first_generation,
    recipe: (type) => recipeOf(deps.embedder.model, handlers, chain.recipeOf(type)),
    attempt: claim.leaseToken,
    optional: deps.environment.optional,
    definitionId: definitionIdsOf(source),
  };
}

/** A cursor is valid only for the configuration and the cursor field with which it was written. */
const cursorOriginOf = (connection: runs.SyncedConnection) => ({
  configuredAt: connection.configured_at,
  cursorField: connection.cursor_field,
});

interface SourceToPull {
  readonly source: Source;
  readonly context: PullContext<unknown, unknown, unknown>;
}

/** Stores what the source lists, or the body of a push, and then the members of groups when they are due. */
async function pull(
  running: RunDeps & Omit<PipelineDeps, 'hydrate' | 'below' | 'hasParents'>,
  { job, connection }: StartedSync,
  { source, context }: SourceToPull,
): Promise<runs.Completion> {
  const { db } = running;
  const scope = groupScopeOf(source, context);
  const items = source.pull
    ? ofSource(inScope(source.pull(context), scope))
    : pushedItems(await storedPush(db, job.id), context.downloads);
  const options = {
    full: job.full,
    atomic: job.trigger === 'push',
    earlierListing: job.bookmark ? await listingOf(db, job.id) : emptyListing(),
    acceptDeletions: job.accept_deletions || (await runs.wasReconfigured(db, connection)),
  };
  const { heldBack, cursor } = await runPull(items, options, {
    ...running,
    hydrate: (stubs) => ofSource(inScope(hydrate(source, context, stubs), scope)),
    below: (stubs) => ofSource(belowInScope(below(source, context, stubs), scope)),
    hasParents: source.below !== undefined,
  });
  const membersList =
    source.members && (job.full || areMembersDue(connection.members_read_at, Date.now()))
      ? await storeMembers(ofSource(membersInScope(source.members(context), scope)), running)
      : null;
  return {
    heldBack,
    membersList,
    ...(job.full && { cursor: { at: cursor ?? null, ...cursorOriginOf(connection) } }),
  };
}

function followingOf({ trigger, full }: jobs.JobRow): Following {
  if (trigger === 'reprocess') return 'nothing';
  return full ? 'everything' : 'changes';
}
