import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { SourceError } from '../../errors.ts';
import { fail, skip } from '../../sources/items.ts';
import { storedEntity } from '../../test/stored-entity.ts';
import { noTally, type Tally } from '../jobs/tally.ts';
import { type Changes, noChanges } from './changes.ts';
import { deletes, ofKind, type Touch } from './decision.ts';
import { createPostponed, mayWait } from './postponed.ts';

const record = (id: string): Touch => ({
  kind: 'touch',
  stored: storedEntity({ id: `row of ${id}`, entity_id: id }),
  generation: 1,
  version: null,
  partition: '',
  parent: null,
  contentHash: null,
  createdAt: null,
  updatedAt: null,
});
const kept = (count: number): Tally => ({ ...noTally, kept: count });
const some = (count: number, from = 0) => ({
  decisions: Array.from({ length: count }, (_, i) => record(`e${from + i}`)),
  leftOut: [],
  tally: kept(count),
});
const skipped = (id: string) => ({ ...skip(id, 'Page', { reason: 'too large' }), stage: 'pull' });

describe('unchanged records', () => {
  it('wait only when nothing else must be committed', () => {
    const { decisions } = some(3);
    assert.ok(mayWait({ ...noChanges, decisions: [...decisions, skipped('b')] }));
    const failure = { ...fail('a', 'Page', new SourceError('skip', 'broken')), stage: 'pull' };
    for (const more of [
      { cursor: null },
      {
        bookmark: {
          position: 1,
          additions: { met: new Set(), listed: new Set(), lost: new Set() },
        },
      },
      { decisions: deletes([record('a').stored]) },
      { decisions: [...decisions, skipped('b'), failure] },
      { decisions: [{ kind: 'write' }] },
      { decisions: [{ kind: 'hide' }] },
    ])
      assert.ok(!mayWait({ ...noChanges, ...some(3), ...(more as Partial<Changes>) }));
  });

  it('wait until there are a thousand', () => {
    const postponed = createPostponed();
    assert.ok(postponed.isEmpty());
    postponed.add(some(900));
    assert.ok(!postponed.isDue());
    postponed.add(some(100, 900));
    assert.ok(postponed.isDue());
    const { decisions, tally } = postponed.take();
    assert.deepEqual(
      ofKind(decisions, 'touch').map(({ stored }) => stored.entity_id),
      Array.from({ length: 1000 }, (_, i) => `e${i}`),
    );
    assert.equal(tally.kept, 1000);
    assert.ok(postponed.isEmpty() && !postponed.isDue());
    assert.deepEqual(postponed.take(), { decisions: [], leftOut: [], tally: noTally });
  });

  it('[JOB-49] wait together with skipped records, a thousand in total', () => {
    const postponed = createPostponed();
    const leftOut = Array.from({ length: 400 }, (_, i) => skipped(`s${i}`));
    postponed.add({ ...some(500), leftOut, decisions: [...some(500).decisions, ...leftOut] });
    assert.ok(!postponed.isDue());
    const more = leftOut.slice(0, 100);
    postponed.add({ decisions: more, leftOut: more, tally: noTally });
    assert.ok(postponed.isDue());
    assert.deepEqual(postponed.take().leftOut, [...leftOut, ...leftOut.slice(0, 100)]);
  });

  it('wait no longer than a quarter of a second', (test: TestContext) => {
    let now = 1000;
    test.mock.method(performance, 'now', () => now);
    const postponed = createPostponed();
    postponed.add(some(1));
    now += 240;
    postponed.add(some(1, 1));
    assert.ok(!postponed.isDue());
    now += 10;
    assert.ok(postponed.isDue());
    postponed.take();
    postponed.add(some(1));
    assert.ok(!postponed.isDue());
  });

  it('are found by their ids in the source while they wait', () => {
    const postponed = createPostponed();
    postponed.add(some(3));
    assert.ok(postponed.hasUnchanged(['x', 'e2']));
    assert.ok(!postponed.hasUnchanged(['x', 'row of e2']));
    postponed.take();
    assert.ok(!postponed.hasUnchanged(['e2']));
  });
});
