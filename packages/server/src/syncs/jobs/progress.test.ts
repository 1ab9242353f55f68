import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SyncStatus } from '../../model/sync-status.ts';
import type { JobRow } from './job-store.ts';
import { processedCount, speedometer, type WaitingJob, waitOf } from './progress.ts';
import type { QueueHead } from './progress-store.ts';

const NOW = 1_700_000_000_000;
const LATER = '2023-11-14T22:13:21.000Z';

describe('what a job waits for', () => {
  const job = (status: SyncStatus, limit: { reason: string; until: number } | null = null) => ({
    id: 'mine',
    status,
    waits_for: limit?.reason ?? null,
    waits_until: limit?.until ?? null,
  });
  const limit = { reason: 'slow down', until: NOW + 1000 };
  const passed = { reason: 'slow down', until: NOW };
  const head = (over: Partial<QueueHead>): QueueHead => ({
    jobId: 'mine',
    leaseUntil: null,
    runAt: 0,
    ...over,
  });

  for (const [why, one, first, expected] of [
    ['nothing: it is worked on', job('RUNNING'), head({ leaseUntil: NOW }), null],
    ['nothing: it is being stopped', job('CANCELLING'), head({ leaseUntil: NOW }), null],
    ['nothing: it has just ended', job('RUNNING'), null, null],
    [
      'its source, as long as that asked',
      job('RUNNING', limit),
      head({ runAt: NOW + 1000 }),
      { reason: 'slow down', until: LATER },
    ],
    [
      'a worker when the source has waited enough',
      job('RUNNING', passed),
      head({ runAt: NOW }),
      { reason: 'a worker', until: null },
    ],
    [
      'a worker that stops it, whatever the source asked',
      job('CANCELLING', limit),
      head({}),
      { reason: 'a worker', until: null },
    ],
    ['a worker', job('PENDING'), head({}), { reason: 'a worker', until: null }],
    [
      'a worker, when it is tried again later',
      job('RUNNING'),
      head({ runAt: NOW + 1000 }),
      { reason: 'a worker', until: LATER },
    ],
    [
      'a worker, when one died before it began',
      job('PENDING'),
      head({ leaseUntil: NOW - 1 }),
      { reason: 'a worker', until: null },
    ],
    [
      'its worker, when the lease has run out',
      job('RUNNING'),
      head({ leaseUntil: NOW - 1 }),
      { reason: 'its worker', until: null },
    ],
    [
      'the job before it, which runs',
      job('PENDING'),
      head({ jobId: 'other', leaseUntil: NOW + 1 }),
      { reason: 'the job before it', until: null },
    ],
    [
      'the job before it, which waits',
      job('PENDING'),
      head({ jobId: 'other', runAt: NOW + 1000 }),
      { reason: 'the job before it', until: null },
    ],
    [
      'a worker, as does the job before it',
      job('PENDING'),
      head({ jobId: 'other' }),
      { reason: 'a worker', until: null },
    ],
  ] as const)
    it(`[JOB-40] ${why}`, () =>
      assert.deepEqual(waitOf({ job: one, head: first }, null, NOW), expected));

  describe('[JOB-48] while the database takes no writes', () => {
    const refused = (one: WaitingJob['job']) =>
      waitOf({ job: one, head: head({}) }, 'the disk', NOW);

    for (const one of [job('PENDING'), job('RUNNING', limit), job('CANCELLING')])
      it(`is the reason of the database for a job that is ${one.status}`, () =>
        assert.deepEqual(refused(one), { reason: 'the disk', until: null }));

    for (const status of ['COMPLETED', 'FAILED', 'CANCELLED'] as const)
      it(`is null for a job that is ${status}`, () =>
        assert.equal(waitOf({ job: job(status), head: null }, 'the disk', NOW), null));
  });
});

it('[JOB-40] the processed count is the sum of inserted, updated, deleted, kept, skipped and failed records', () =>
  assert.equal(
    processedCount({
      entities_inserted: 1,
      entities_updated: 10,
      entities_deleted: 100,
      entities_kept: 1000,
      entities_skipped: 10_000,
      entities_failed: 100_000,
    } as JobRow),
    111_111,
  ));

describe('rate', () => {
  it('[JOB-40] is that of the last ten seconds, and 0 at first', () => {
    const rate = speedometer();
    assert.equal(rate(100, 0), 0);
    assert.equal(rate(150, 5000), 10);
    assert.equal(rate(160, 10_000), 6);
    // The count at 0 ms is older than ten seconds, so it no longer matters.
    assert.equal(rate(160, 15_000), 1);
    assert.equal(rate(160, 20_500), 0);
  });

  it('is that between two looks more than ten seconds apart', () => {
    const rate = speedometer();
    rate(100, 0);
    assert.equal(rate(200, 20_000), 5);
  });

  it('is never negative, even when a new attempt counts left-out records again', () => {
    const rate = speedometer();
    rate(10, 0);
    assert.equal(rate(4, 1000), 0);
  });
});
