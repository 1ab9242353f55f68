import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { kindOf } from './problems.ts';
import type { RunWithTasks } from './run-store.ts';
import { statusOf, toRun } from './view.ts';

const of = (...statuses: Parameters<typeof statusOf>[0][number]['status'][]) =>
  statusOf(statuses.map((status) => ({ status })));

describe('the status of a run', () => {
  it('is that of unfinished tasks first, then that of failed tasks', () => {
    assert.equal(of(), 'COMPLETED');
    assert.equal(of('PENDING', 'PENDING'), 'PENDING');
    assert.equal(of('PENDING', 'COMPLETED'), 'RUNNING');
    assert.equal(of('FAILED', 'RUNNING', 'PENDING'), 'RUNNING');
    assert.equal(of('FAILED', 'COMPLETED'), 'FAILED');
    assert.equal(of('COMPLETED', 'COMPLETED'), 'COMPLETED');
  });
});

describe('a run in the API', () => {
  const task = (
    changes: Partial<RunWithTasks['tasks'][number]>,
  ): RunWithTasks['tasks'][number] => ({
    id: 't',
    run_id: 'r',
    status: 'COMPLETED',
    total: 5,
    done: 4,
    rewritten: 3,
    failed: 2,
    findings: [],
    error: null,
    started_at: null,
    ended_at: null,
    ...changes,
  });
  const shown = (...tasks: RunWithTasks['tasks'][number][]) =>
    toRun(
      {
        id: 'r',
        collection_id: 'c',
        kind: 'reindex',
        created_at: 1000,
        created_by_email: 'ann@example.org',
        tasks,
      },
      'notes',
    );
  const at = (ms: number) => new Date(ms).toISOString();

  it('adds up its tasks, and lasts from the first start to the last end of a task', () => {
    const run = shown(
      task({ started_at: 3000, ended_at: 9000, error: 'it broke', status: 'FAILED' }),
      task({
        started_at: 2000,
        ended_at: 4000,
        findings: [{ kind: 'missing_here', count: 7, examples: ['a'] }],
      }),
    );
    assert.deepEqual(
      [run.entities_total, run.entities_done, run.entities_rewritten, run.entities_failed],
      [10, 8, 6, 4],
    );
    assert.deepEqual([run.started_at, run.completed_at], [at(2000), at(9000)]);
    assert.deepEqual(
      [run.status, run.errors, run.problems.map(({ kind, count }) => [kind, count])],
      ['FAILED', ['it broke'], [['missing_here', 7]]],
    );
    assert.equal(run.collection_readable_id, 'notes');
  });

  it('has no end before all tasks have ended, and no start before one has started', () => {
    const running = shown(
      task({ started_at: 2000, ended_at: 4000 }),
      task({ status: 'RUNNING', started_at: 3000 }),
    );
    assert.deepEqual([running.status, running.completed_at], ['RUNNING', null]);
    const pending = shown(task({ status: 'PENDING' }));
    assert.deepEqual([pending.started_at, pending.completed_at], [null, null]);
    assert.equal(shown(task({ started_at: 2000, ended_at: 4000 })).started_at, at(2000));
  });

  it('ends at the time of its creation when it has no tasks', () => {
    const run = shown();
    assert.deepEqual([run.status, run.started_at, run.completed_at], ['COMPLETED', null, at(1000)]);
  });
});

describe('kinds of problems', () => {
  it('are known, and an unknown kind is an internal error', () => {
    assert.equal(kindOf('missing_here').repairable, false);
    assert.throws(() => kindOf('toString'), /the kind of problem 'toString' is not known/);
  });
});
