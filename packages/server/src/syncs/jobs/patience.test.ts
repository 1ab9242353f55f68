import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  SourceError,
  type SourceErrorKind,
  SourceRateLimitExceededException,
} from '../../errors.ts';
import { waitFor } from './patience.ts';

const HOUR = 3_600_000;
const wait = (
  kind: SourceErrorKind,
  {
    retryAfter,
    retries = 0,
    progressedAt = 0,
    now = progressedAt,
  }: { retryAfter?: number; retries?: number; progressedAt?: number; now?: number } = {},
) =>
  waitFor(
    new SourceError(kind, 'why', retryAfter === undefined ? {} : { retryAfter }),
    { retries, progressedAt },
    now,
  );

describe('the wait of a job for its source', () => {
  it('lasts as long as the source asks for, or a minute, and does not count as a retry', () => {
    assert.deepEqual(wait('rate_limited', { retryAfter: 90, now: 5, retries: 1 }), {
      ms: 90_000,
      reason: 'why',
      retries: 1,
    });
    assert.equal(wait('rate_limited', { now: 5 })?.ms, 60_000);
  });

  it('[JOB-47] lasts at least a second, and longer each time, when the source asks for no time again and again', () => {
    const waits = (retryAfter: number) => {
      let now = 0;
      return Array.from({ length: 12 }, () => {
        const ms = wait('rate_limited', { retryAfter, progressedAt: 0, now })?.ms ?? 0;
        now += ms;
        return ms;
      });
    };
    const grown = waits(0);
    assert.deepEqual(grown.slice(0, 5), [1000, 1000, 1000, 1500, 2250]);
    assert.equal(grown.at(-1), 38_443.359375);
    assert.deepEqual(waits(30).slice(0, 4), [30_000, 30_000, 30_000, 45_000]);
    assert.equal(waits(50).at(-1), 60_000);
  });

  it('[JOB-47] ends after a day without progress, and never lasts more than a day', () => {
    const progressedAt = 500 * HOUR;
    const after = (ms: number, retryAfter?: number) =>
      wait('rate_limited', {
        progressedAt,
        now: progressedAt + ms,
        ...(retryAfter !== undefined && { retryAfter }),
      });
    assert.equal(after(0, 24 * 3600)?.ms, 24 * HOUR);
    assert.equal(after(23 * HOUR, 24 * 3600)?.ms, 24 * HOUR);
    assert.ok(after(24 * HOUR - 1));
    assert.equal(after(24 * HOUR), null);
    assert.equal(after(0, 24 * 3600 + 1), null);
  });

  it('[LIM-15] lasts 5 minutes at most when a limit of the organization is reached, because the limit may be raised', () => {
    const job = { retries: 1, progressedAt: 0 };
    const waited = (retryAfter: number) => {
      const limit = { sourceShortName: 'cloud', limit: 1, windowSeconds: 86_400, retryAfter };
      return waitFor(new SourceRateLimitExceededException(limit), job, 5)?.ms;
    };
    assert.deepEqual([0, 12.5, 300, 86_400].map(waited), [1000, 12_500, 300_000, 300_000]);
  });

  it('lasts 1 and then 4 seconds after a broken connection', () => {
    assert.deepEqual(wait('transient', { now: 7 }), { ms: 1000, reason: 'why', retries: 1 });
    assert.deepEqual(wait('transient', { retries: 1 }), { ms: 4000, reason: 'why', retries: 2 });
    assert.equal(wait('transient', { retries: 2 }), null);
  });

  it('lasts up to 10 minutes after a broken connection when a schedule has started the job', () => {
    const waits = [0, 1, 2, 3, 4, 5].map(
      (retries) =>
        waitFor(
          new SourceError('transient', 'why'),
          { retries, progressedAt: 0, isScheduled: true },
          0,
        )?.ms,
    );
    assert.deepEqual(waits, [1000, 4000, 30_000, 120_000, 600_000, undefined]);
  });

  it('ends with the next run of the schedule, so that an outage of minutes is over for a continuous connection', () => {
    const wait = (retries: number, now: number) =>
      waitFor(
        new SourceError('transient', 'why'),
        { retries, progressedAt: 0, isScheduled: true, nextRunAt: 300_000 },
        now,
      )?.ms;
    assert.equal(wait(3, 35_000), 120_000);
    assert.equal(wait(4, 155_000), 145_000);
    assert.equal(wait(4, 299_900), 1000, 'a source is not asked without a pause');
  });

  for (const kind of ['auth', 'skip', 'config', 'fatal'] as const)
    it(`does not happen after an error of the kind '${kind}'`, () =>
      assert.equal(wait(kind, { retryAfter: 1 }), null));
});
