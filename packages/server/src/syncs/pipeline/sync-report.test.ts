import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createMetrics } from '../../telemetry/metrics.ts';
import { NO_SPAN } from '../../telemetry/trace.ts';
import { noTally, type Tally } from '../jobs/tally.ts';
import { noChanges } from './changes.ts';
import { countedCommitter, emptyReport } from './sync-report.ts';

const about = { source: 'jira', connection: 'c1', trigger: 'manual' };

describe('the report of a sync', () => {
  it('follows a record that was kept and then changed, and the counter of the metrics only rises', async () => {
    const metrics = createMetrics();
    const report = emptyReport(about);
    const meter = { requests: 3, bytes: 100 };
    const committer = countedCommitter(
      {
        total: () => noTally,
        commit: async () => 'RUNNING',
        commitWork: async () => 'RUNNING',
      },
      report,
      { metrics, meter, span: NO_SPAN },
    );
    const commit = (tally: Partial<Tally>) =>
      committer.commit({ ...noChanges, tally: { ...noTally, ...tally } });
    await commit({ kept: 2, inserted: 1 });
    Object.assign(meter, { requests: 5, bytes: 140 });
    await commit({ updated: 1, kept: -1 });

    const { kept, inserted, updated, requests, bytes } = report;
    assert.deepEqual(
      { kept, inserted, updated, requests, bytes },
      { kept: 1, inserted: 1, updated: 1, requests: 2, bytes: 40 },
    );
    const { values } = await metrics.quarry_sync_records_total.get();
    assert.deepEqual(
      Object.fromEntries(values.map(({ labels, value }) => [labels.outcome, value])),
      { inserted: 1, kept: 2, updated: 1 },
    );
  });
});
