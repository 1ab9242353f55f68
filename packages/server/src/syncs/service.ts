/** Starts, shows, watches and cancels sync jobs for callers. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Ctx } from '../context.ts';
import type { WhyRefused } from '../db/refused-writes.ts';
import type { Db, Schema, Tx } from '../db/schema.ts';
import { conflict, notFound } from '../errors.ts';
import type { Listed, Page } from '../http/lists.ts';
import { type Reach, reachOf } from '../model/reach.ts';
import { instant } from '../util.ts';
import { countPoints } from './jobs/count-point-store.ts';
import { heldBackBy, newestHeldBack } from './jobs/held-back-store.ts';
import * as ending from './jobs/job-end-store.ts';
import * as jobs from './jobs/job-store.ts';
import * as leftOut from './jobs/left-out-store.ts';
import * as list from './jobs/list-store.ts';
import { follow } from './jobs/stream.ts';
import {
  type RefusalReason,
  shownTo,
  toDetail,
  toFullJob,
  toHeldBack,
  toJob,
  toSourceConnectionJob,
} from './jobs/view.ts';
import type {
  HeldBackDeletion,
  JobFailure,
  JobSkipped,
  SourceConnectionJob,
  SyncJob,
  SyncJobDetail,
} from './schema.ts';
import { start } from './start.ts';

export type { StorePush } from './pushes/intake.ts';
export type { PushedConnection } from './pushes/start.ts';
export type { StartOptions } from './start.ts';

export type Syncs = ReturnType<typeof createSyncs>;

/** The pauses between two looks for the end of a job grow from the first value to the last. */
const FIRST_LOOK_MS = 20;
const LATER_LOOK_MS = 250;

export interface SyncsDeps {
  readonly db: Kysely<Schema>;
  readonly wake: () => void;
  readonly whyRefused: WhyRefused;
}

export function createSyncs({ db, wake, whyRefused }: SyncsDeps) {
  /**
   * Returns the reason why the database refuses writes now, or null while it accepts writes. It also returns null when
   * all of these jobs have ended, because then the reason does not matter.
   */
  const refusalReasonFor = async (rows: readonly jobs.JobRow[]): Promise<RefusalReason> =>
    rows.some(({ status }) => jobs.isUnfinished(status)) ? whyRefused() : null;

  /** Returns the reach of the caller, or the part of it that is in the collection. Throws a 404 when there is none. */
  async function reachWithin(ctx: Ctx, readableId: string | undefined): Promise<Reach> {
    const reach = reachOf(ctx);
    if (readableId === undefined) return reach;
    const id = await list.collectionId(db, reach, readableId);
    if (id === undefined) throw notFound('collection', readableId);
    return { ...reach, collections: [id] };
  }

  async function get(ctx: Ctx, id: string): Promise<SyncJobDetail> {
    const row = await list.find(db, reachOf(ctx), id);
    if (!row) throw notFound('job', id);
    return shownTo(ctx, toDetail(row, await refusalReasonFor([row])));
  }

  async function cancel(ctx: Ctx, job: jobs.JobRow | undefined, id: string): Promise<jobs.JobRow> {
    if (!job) throw notFound('job', id);
    const [changed] = await db
      .transaction()
      .execute((tx) =>
        ending.cancel(tx, { connectionId: job.connection_id, jobId: job.id }, ctx.account.email),
      );
    const now = changed ?? (await list.find(db, reachOf(ctx), id));
    if (!now) throw notFound('job', id);
    if (!changed && now.status !== 'CANCELLING')
      throw conflict(`the job has already ended (${now.status}); there is nothing to cancel`);
    return now;
  }

  async function leftOutBy(
    kind: leftOut.LeftOutKind,
    { connectionId, id }: { readonly connectionId: string; readonly id: string },
    page: Page,
  ) {
    const job = await list.findOfConnection(db, connectionId, id);
    if (!job) throw notFound('job', id);
    const rows = await leftOut.list(db, id, { kind, ...page });
    return {
      total: await leftOut.count(db, id, kind),
      rows: rows.map((row) => ({ ...row, created_at: instant(row.created_at) })),
    };
  }

  return {
    start,

    /** Resolves true while a job of the connection has not ended. */
    isBusy: async (at: Db, connectionId: string): Promise<boolean> =>
      (await jobs.countUnfinished(at, connectionId)) > 0,

    /** Asks every job of the connection to stop. */
    async cancelAll(tx: Tx, connectionId: string, email: string): Promise<void> {
      await ending.cancel(tx, { connectionId }, email);
    },

    /** Ends every job of the connection, collection or organization that this transaction deletes. */
    endAll: ending.endAll,

    /** Finds the newest job of each connection that has a job. */
    async newest(
      ctx: Ctx,
      connectionIds: readonly string[],
    ): Promise<Map<string, SourceConnectionJob>> {
      const rows = await list.newest(db, connectionIds);
      const refusalReason = await refusalReasonFor(rows);
      const shown = (row: jobs.JobRow) => shownTo(ctx, toSourceConnectionJob(row, refusalReason));
      return new Map(rows.map((row) => [row.connection_id, shown(row)]));
    },

    /** Finds the last full sync that completed of each connection that has one. */
    async newestCompletedFull(connectionIds: readonly string[]) {
      const rows = await list.newestCompletedFull(db, connectionIds);
      return new Map(rows.map((row) => [row.connection_id, toFullJob(row)]));
    },

    /** Returns how many entities the connection had over time, the oldest first. */
    async countsOverTime(connectionId: string) {
      const points = await countPoints(db, connectionId);
      return points.map(({ at, total, by_type }) => ({
        at: instant(at),
        total_entities: total,
        by_type: { ...by_type },
      }));
    },

    /** Returns the connections that have an unfinished job. */
    busy: (connectionIds: readonly string[]): Promise<Set<string>> => list.busy(db, connectionIds),

    /** Finds the times that decide when the connection needs its next full sync. */
    lastFull: list.lastFull,

    /** Finds the id of the connection's newest full sync. */
    newestFull: (connectionId: string): Promise<string | undefined> =>
      list.newestFull(db, connectionId),

    /**
     * Tells the worker that there is work. Without this call the worker would find the work by itself a moment later.
     */
    wake,

    async list(
      ctx: Ctx,
      {
        collection,
        ...query
      }: Page & { statuses: readonly SyncJob['status'][]; collection?: string | undefined },
    ): Promise<Listed<SyncJob>> {
      const reach = await reachWithin(ctx, collection);
      const { total, rows } = await list.ofOrganization(db, reach, query);
      const refusalReason = await refusalReasonFor(rows);
      return { total, rows: rows.map((row) => shownTo(ctx, toJob(row, refusalReason))) };
    },

    get,

    async cancel(ctx: Ctx, id: string): Promise<SyncJobDetail> {
      await cancel(ctx, await list.find(db, reachOf(ctx), id), id);
      return get(ctx, id);
    },

    /** The newest job comes first. */
    async ofConnection(
      ctx: Ctx,
      connectionId: string,
      page: Page,
    ): Promise<Listed<SourceConnectionJob>> {
      const { total, rows } = await list.ofConnection(db, connectionId, page);
      const refusalReason = await refusalReasonFor(rows);
      const shown = (row: jobs.JobRow) => shownTo(ctx, toSourceConnectionJob(row, refusalReason));
      return { total, rows: rows.map(shown) };
    },

    async cancelOfConnection(ctx: Ctx, connectionId: string, id: string) {
      const found = await list.findOfConnection(db, connectionId, id);
      const job = await cancel(ctx, found, id);
      return shownTo(ctx, toSourceConnectionJob(job, await refusalReasonFor([job])));
    },

    async failures(connectionId: string, id: string, page: Page): Promise<Listed<JobFailure>> {
      const { total, rows } = await leftOutBy('fail', { connectionId, id }, page);
      return { total, rows: rows.map(({ detail: _, ...failure }) => failure) };
    },

    /** Lists the records that the job left out on purpose. */
    async skipped(connectionId: string, id: string, page: Page): Promise<Listed<JobSkipped>> {
      const { total, rows } = await leftOutBy('skip', { connectionId, id }, page);
      return {
        total,
        rows: rows.map(({ stage: _, message, ...skipped }) => ({ ...skipped, reason: message })),
      };
    },

    /** Lists the records whose deletion the job holds back, as far as they still wait. */
    async heldBack(
      connectionId: string,
      id: string,
      page: Page,
    ): Promise<Listed<HeldBackDeletion>> {
      const job = await list.findOfConnection(db, connectionId, id);
      if (!job) throw notFound('job', id);
      const { total, rows } = await heldBackBy(db, job, page);
      return { total, rows: rows.map(toHeldBack) };
    },

    /** Finds, for each of the connections, the newest job that holds deletions back. */
    async newestHeldBack(connectionIds: readonly string[]) {
      const rows = await newestHeldBack(db, connectionIds);
      return new Map(
        rows.map((row) => [row.connection_id, { job_id: row.id, count: row.deletions_held_back }]),
      );
    },

    /** Resolves with the job when it has ended. Rejects with the reason of the signal when the signal aborts. */
    async ended(connectionId: string, id: string, signal: AbortSignal) {
      for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(2 * pauseMs, LATER_LOOK_MS)) {
        const job = await list.findOfConnection(db, connectionId, id);
        if (!job) throw notFound('job', id);
        if (!jobs.isUnfinished(job.status)) return toSourceConnectionJob(job, null);
        await sleep(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
      }
    },

    async jobOfConnection(connectionId: string, id: string): Promise<SourceConnectionJob> {
      const job = await list.findOfConnection(db, connectionId, id);
      if (!job) throw notFound('job', id);
      return toSourceConnectionJob(job, await refusalReasonFor([job]));
    },

    /** Returns a function that follows the job; `follow` says what it yields. */
    async watch(ctx: Ctx, connectionId: string, id: string) {
      const job = await list.find(db, reachOf(ctx), id);
      if (job?.connection_id !== connectionId) throw notFound('job', id);
      return (signal: AbortSignal) => follow(db, id, { ctx, signal, whyRefused });
    },
  };
}
