/**
 * Says what keeps the service from doing its whole work although it can serve: a model that does not answer, or work
 * that no worker takes. It names no model and no tenant, because everybody may ask.
 */
import type { Kysely } from 'kysely';
import type { DatabaseKind } from '../db/connect.ts';
import type { Schema } from '../db/schema.ts';
import type { ServiceProblem } from '../model/service-problem.ts';
import { oneAtATime, sharedFor } from '../util.ts';
import { createDueClock, type DueClock } from './due-clock.ts';
import * as store from './facts-store.ts';
import { type Metrics, type MetricsSnapshot, merged } from './metrics.ts';
import type { ThreadMetrics } from './thread-metrics.ts';

/** The answer is reused for this time, however often somebody asks. */
const FRESH_MS = 5000;
/** Who asks whether the service is ready waits no longer. */
const PATIENCE_MS = 2000;
/** A worker looks for jobs several times in a second. */
const LATE_MS = 60_000;
/** A process that started so recently does not say that a backup is overdue. */
const STARTING_MS = 15 * 60_000;

export interface ProblemDeps {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
  readonly metrics: Metrics;
  readonly threadMetrics: ThreadMetrics;
  readonly now?: () => number;
  /** It is null or missing when no backup is scheduled. */
  readonly backupEveryMs?: number | null;
  readonly uptimeMs?: () => number;
  /** The database must have answered by then. */
  readonly patienceMs?: number;
}

const ownUptimeMs = () => process.uptime() * 1000;

export type Problems = () => Promise<readonly ServiceProblem[]>;

/** The returned function throws when the database cannot be asked. One that is slow keeps nobody from being ready. */
export function watchProblems(deps: ProblemDeps): Problems {
  const dueClock = createDueClock();
  const late = new Error(SLOW.problem);
  const findOnce = oneAtATime(() => find(deps, dueClock), {
    ms: deps.patienceMs ?? PATIENCE_MS,
    late: () => late,
  });
  const findInTime = () =>
    findOnce().catch((error) => {
      if (error === late) return [SLOW];
      throw error;
    });
  return sharedFor(FRESH_MS, findInTime, deps.now);
}

async function find(
  { db, kind, metrics, threadMetrics, backupEveryMs = null, uptimeMs = ownUptimeMs }: ProblemDeps,
  dueClock: DueClock,
): Promise<ServiceProblem[]> {
  const work = workProblem(await store.queue(db, kind), dueClock);
  const backup =
    backupEveryMs === null
      ? undefined
      : backupProblem(await store.backups(db, kind), { everyMs: backupEveryMs, uptimeMs });
  const own = await metrics.registry.getMetricsAsJSON();
  const threads = await threadMetrics.snapshots('look');
  const roles = downIn(await merged([own, ...threads]).getMetricsAsJSON());
  return [
    ...roles.map((role) => ({ problem: PROBLEMS[role] ?? PROBLEMS.llm, remedy: MODEL_REMEDY })),
    ...(work ? [work] : []),
    ...(backup ? [backup] : []),
  ];
}

/** A worker that has as many long jobs as it takes leaves others waiting, although it does its work. */
function workProblem(
  queue: readonly store.QueueFact[],
  dueClock: DueClock,
): ServiceProblem | undefined {
  const lateMs = Math.max(0, ...dueClock.look(queue).values());
  if (lateMs <= LATE_MS) return undefined;
  const waited = `work has waited for ${Math.round(lateMs / 60_000)} minutes`;
  return queue.some(({ state }) => state === 'running')
    ? {
        problem: `${waited}, and all workers are busy`,
        remedy:
          'it goes on when other work ends; start another process with the role worker if this lasts',
      }
    : {
        problem: `${waited}, and no worker takes it`,
        remedy: 'see whether a process with the role worker runs, and start one, or more of them',
      };
}

/** A service that was away for days makes the backup soon, so one that has just started is given time. */
function backupProblem(
  { hasScheduledFailed, scheduledAgeMs }: store.BackupFacts,
  { everyMs, uptimeMs }: { readonly everyMs: number; readonly uptimeMs: () => number },
): ServiceProblem | undefined {
  if (hasScheduledFailed)
    return {
      problem: 'the last scheduled backup failed',
      remedy:
        'GET /v1/backups has the reason, and so has the log; another one is tried within an hour',
    };
  const upMs = uptimeMs();
  const ageMs = scheduledAgeMs ?? upMs;
  if (ageMs <= 2 * everyMs || upMs <= STARTING_MS) return undefined;
  return {
    problem: `the last scheduled backup is ${Math.round(ageMs / 3_600_000)} hours old, which is more than twice the time of QUARRY_BACKUP_EVERY`,
    remedy:
      'see whether a process with the role worker has QUARRY_BACKUP_DIR and QUARRY_BACKUP_EVERY, and whether a backup is being made',
  };
}

/** Returns the roles of which no model answers: the last call of each one that was called failed. */
function downIn(snapshot: MetricsSnapshot): string[] {
  const { values = [] } = snapshot.find(({ name }) => name === 'quarry_model_up') ?? {};
  const byRole = Map.groupBy(values, ({ labels }) => String(labels.role));
  const down = [...byRole].filter(([, models]) => models.every(({ value }) => value === 0));
  return down.map(([role]) => role).toSorted();
}

const PROBLEMS: Readonly<Record<string, string>> & { readonly llm: string } = {
  embedder: 'the embedder does not answer: syncs wait for it, and searches compare words only',
  reranker: 'the reranker does not answer: searches are ranked by the built-in one',
  llm: 'no language model answers: built-in methods take its place',
  transcriber: 'the transcriber does not answer: syncs wait for it',
};

const SLOW: ServiceProblem = {
  problem:
    'whether work waits and models answer is not known, because the database did not answer in time',
  remedy: 'ask again, and see what the database is busy with if this lasts',
};

const MODEL_REMEDY =
  'see whether its server runs and its key is valid; the log has the error, and GET /v1/system names the models';
