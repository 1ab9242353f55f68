import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SourceError, type SourceErrorKind } from '../errors.ts';
import { waitFor } from './patience.ts';

const HOUR = 3_600_000;
const wait = (
  kind: SourceErrorKind,
  {
    retryAfter,
    retries = 0,
    startedAt = 0,
    now = startedAt,
  }: { retryAfter?: number; retries?: number; startedAt?: number; now?: number } = {},
) =>
  waitFor(
    new SourceError(kind, 'why', retryAfter === undefined ? {} : { retryAfter }),
    { retries, startedAt },
    now,
  );

describe('patience with a source', () => {
  it('waits as long as the source asks for, or a minute, and counts no retry', () => {
    assert.deepEqual(wait('rate_limited', { retryAfter: 90, now: 5, retries: 1 }), {
      until: 90_005,
      reason: 'why',
      retries: 1,
    });
    assert.equal(wait('rate_limited', { now: 5 })?.until, 60_005);
    assert.equal(wait('rate_limited', { retryAfter: 0, now: 5 })?.until, 5);
  });

  it('waits for no more than a day in all', () => {
    assert.ok(wait('rate_limited', { retryAfter: 24 * 3600 }));
    assert.equal(wait('rate_limited', { retryAfter: 24 * 3600, now: 1 }), null);
    assert.equal(wait('rate_limited', { now: 24 * HOUR }), null);
    const startedAt = 500 * HOUR;
    assert.ok(wait('rate_limited', { retryAfter: 24 * 3600, startedAt }));
    assert.equal(wait('rate_limited', { retryAfter: 24 * 3600 + 1, startedAt }), null);
  });

  it('tries a broken line again after 1 and 4 seconds', () => {
    assert.deepEqual(wait('transient', { now: 7 }), { until: 1007, reason: 'why', retries: 1 });
    assert.deepEqual(wait('transient', { retries: 1 }), { until: 4000, reason: 'why', retries: 2 });
    assert.equal(wait('transient', { retries: 2 }), null);
  });

  for (const kind of ['auth', 'skip', 'config', 'fatal'] as const)
    it(`does not wait when the error is '${kind}'`, () =>
      assert.equal(wait(kind, { retryAfter: 1 }), null));
});
