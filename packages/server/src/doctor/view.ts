/** Converts runs and problems to the shapes that the API shows. */
import type { StoredProblem as Found } from '../db/schema.ts';
import type { MaintenanceStatus } from '../model/maintenance-status.ts';
import { instant, instantOrNull } from '../util.ts';
import { kindOf } from './problems.ts';
import type { ShownTask, RunWithTasks as Stored } from './run-store.ts';
import type { MaintenanceProblem, MaintenanceRun } from './schema.ts';

export function toProblem({ kind: stored, count, examples }: Found): MaintenanceProblem {
  const { kind, title, repairable, hint } = kindOf(stored);
  return { kind, title, count, examples, repairable, hint };
}

export function toRun({ tasks, ...run }: Stored, readableId: string): MaintenanceRun {
  const sum = (field: 'total' | 'done' | 'rewritten' | 'failed') =>
    tasks.reduce((all, task) => all + task[field], 0);
  const status = statusOf(tasks);
  const started = tasks.flatMap(({ started_at }) => started_at ?? []);
  const ended = tasks.flatMap(({ ended_at }) => ended_at ?? []);
  const hasEnded = status === 'COMPLETED' || status === 'FAILED';
  return {
    id: run.id,
    kind: run.kind,
    status,
    collection_readable_id: readableId,
    entities_total: sum('total'),
    entities_done: sum('done'),
    entities_rewritten: sum('rewritten'),
    entities_failed: sum('failed'),
    problems: tasks.flatMap(({ findings }) => findings.map(toProblem)),
    errors: tasks.flatMap(({ error }) => error ?? []),
    created_at: instant(run.created_at),
    created_by_email: run.created_by_email,
    started_at: instantOrNull(started.length > 0 ? Math.min(...started) : null),
    completed_at: hasEnded ? instant(Math.max(run.created_at, ...ended)) : null,
  };
}

/** Returns the status of a run. A run without tasks has nothing to do, so it counts as COMPLETED. */
export function statusOf(tasks: readonly Pick<ShownTask, 'status'>[]): MaintenanceStatus {
  const has = (status: MaintenanceStatus) => tasks.some((task) => task.status === status);
  if (has('RUNNING')) return 'RUNNING';
  if (has('PENDING'))
    return tasks.every(({ status }) => status === 'PENDING') ? 'PENDING' : 'RUNNING';
  return has('FAILED') ? 'FAILED' : 'COMPLETED';
}
