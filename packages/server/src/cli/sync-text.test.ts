import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JobDone, JobProgress } from '../syncs/schema.ts';
import { jobOf } from '../test/app/job-of.ts';
import { progressText, summaryText } from './sync-text.ts';

const counters = {
  entities_inserted: 1200,
  entities_updated: 0,
  entities_deleted: 3,
  entities_kept: 0,
  entities_skipped: 0,
  entities_failed: 0,
  entities_encountered: { Page: 5, File: 1190, Row: 4, Note: 1 },
  entities_by_type: null,
  skipped_by_reason: {},
  chunks_written: 2500,
  bytes_fetched: 1_250_000,
  requests: 12,
};

describe('the progress of a sync', () => {
  const progress: JobProgress = {
    type: 'progress',
    status: 'RUNNING',
    ...counters,
    rate: 56.2,
    waits_for: null,
  };

  it('[JOB-40] shows counts, rate, bytes and the most frequent types', () =>
    assert.equal(
      progressText(progress),
      'running | 1,200 inserted, 3 deleted | 56.2/s | 1.3 MB | File 1,190, Page 5, Row 4, 1 more type',
    ));

  it('[JOB-40] shows how many rarer types there are', () => {
    const entities_encountered = { A: 5, B: 4, C: 3, D: 2, E: 1 };
    const text = progressText({ ...progress, entities_encountered });
    assert.ok(text.endsWith(' | A 5, B 4, C 3, 2 more types'));
  });

  it('[JOB-40] shows the reason and the end of a wait', () => {
    const until = '2026-01-01T12:00:00.000Z';
    const wait = (waits_for: JobProgress['waits_for']) =>
      progressText({ ...progress, entities_encountered: {}, waits_for })
        .split(' | ')
        .at(-1);
    assert.equal(wait({ reason: 'a worker', until: null }), 'waits: a worker');
    assert.equal(
      wait({ reason: 'slow down', until }),
      `waits until ${new Date(until).toLocaleTimeString()}: slow down`,
    );
  });

  it('[JOB-40] shows sizes in the largest fitting unit', () => {
    const shown = (bytes_fetched: number) =>
      progressText({ ...progress, bytes_fetched }).split(' | ')[3];
    assert.deepEqual([1, 999, 1000, 1500, 12_345_678, 3e12, 5e15].map(shown), [
      '1 B',
      '999 B',
      '1 kB',
      '1.5 kB',
      '12.3 MB',
      '3 TB',
      '5,000 TB',
    ]);
  });
});

describe('the end of a sync', () => {
  const ended = (over: Partial<JobDone['job']>) =>
    summaryText({ ...jobOf('COMPLETED'), ...counters, ...over }).split('\n');

  it('[JOB-40] shows all counts', () =>
    assert.deepEqual(ended({}), [
      'COMPLETED in 2.0 s: 1,200 inserted, 3 deleted',
      '  2,500 chunks, 1.3 MB fetched, 12 requests',
      '  File 1,190, Page 5, Row 4, Note 1',
      '',
    ]));

  it('[JOB-49] shows why records were skipped, and where they are listed', () => {
    const skipped = ended({
      entities_skipped: 1006,
      skipped_by_reason: { 'too large': 2, 'of a kind without text': 1004 },
    });
    const { source_connection_id } = jobOf('COMPLETED');
    assert.deepEqual(skipped.slice(-3), [
      '  1,006 skipped: 1,004 of a kind without text, 2 too large',
      `  what was skipped: quarry skipped ${source_connection_id}`,
      '',
    ]);
  });

  it('[CON-41] shows warnings with hints', () => {
    const message = '2 records hold a key';
    const about = { code: 'secrets_found' as const, count: 2, examples: ['a'] };
    const warned = ended({ warnings: [{ ...about, message, hint: 'redact' }] });
    assert.deepEqual(warned.slice(-3), ['  warning: 2 records hold a key', '  redact', '']);
  });

  it('[JOB-40] shows the error with its hint', () => {
    const details = { code: 'c', stage: 'pull', message: 'why', retryable: false, hint: 'how' };
    const failed = ended({ status: 'FAILED', error: 'why', error_details: details });
    assert.deepEqual(failed.slice(-3), ['  why', '  how', '']);
    // A completed job that has held deletions back shows the error and the hint.
    assert.deepEqual(ended({ error_details: details }).slice(-3), ['  why', '  how', '']);
  });

  it('[JOB-40] shows no duration for a job that never began', () => {
    const [first] = ended({
      status: 'CANCELLED',
      duration_seconds: null,
      entities_inserted: 0,
      entities_deleted: 0,
    });
    assert.equal(first, 'CANCELLED: no entities');
  });

  it('[JOB-40] shows long times in minutes', () =>
    assert.match(ended({ duration_seconds: 119.99 })[0] ?? '', /^COMPLETED in 1 min 59 s: /));
});
