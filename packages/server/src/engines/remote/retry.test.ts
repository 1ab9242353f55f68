import assert from 'node:assert/strict';
import { it } from 'node:test';
import { skipWaits } from '../../test/skip-waits.ts';
import { RemoteFailure } from './failure.ts';
import { retrying } from './retry.ts';

it('a model that asks for no time is not asked again at once', async () => {
  const skipped = skipWaits(0);
  try {
    const limits = { deadline: Date.now() + 600_000, signal: new AbortController().signal };
    const fail = (retryAfter: number) => () =>
      Promise.reject(new RemoteFailure('limited', '429', retryAfter));
    await assert.rejects(retrying(fail(0), limits), { kind: 'limited' });
    assert.equal(skipped.waits.length, 2);
    for (const [i, least] of [112.5, 450].entries())
      assert.ok((skipped.waits[i] ?? 0) >= least, `${skipped.waits}`);
    await assert.rejects(retrying(fail(5000), limits), { kind: 'limited' });
    assert.deepEqual(skipped.waits.slice(2), [5000, 5000]);
  } finally {
    skipped.restore();
  }
});
