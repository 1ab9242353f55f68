import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLastUse } from './last-use.ts';

describe('last-used times', () => {
  it('[GEN-18] [KEY-07] one write at a time waits for the database, and a use that it left out is noted later', async () => {
    const written: string[] = [];
    const errors: unknown[] = [];
    let ends: PromiseWithResolvers<void>[] = [];
    const { note, settled } = createLastUse(
      (id) => {
        written.push(id);
        const end = Promise.withResolvers<void>();
        ends.push(end);
        return end.promise;
      },
      (error) => errors.push(error),
    );
    const now = Date.now();
    const use = (id: string) => note({ id, lastUsedAt: now - 60_000 }, now);
    for (const id of ['a', 'b', 'c']) use(id);
    assert.deepEqual(written, ['a']);
    ends[0]?.reject(new Error('the database is away'));
    await settled();
    assert.equal(errors.length, 1);
    ends = [];
    use('b');
    ends[0]?.resolve();
    await settled();
    note({ id: 'c', lastUsedAt: now - 59_000 }, now);
    assert.deepEqual(written, ['a', 'b']);
  });
});
