import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { upsert } from '../../sources/define.ts';
import { judge, stands, tallyChange, tallySeen, timesChanged } from './compare.ts';
import type { StoredEntity } from './store.ts';
import { asSaid } from './transform.ts';

const by = { jobId: 'job', generation: 5, firstGeneration: 5, recipe: () => 'r1', attempt: 'this' };
const stored = (over: Partial<StoredEntity> = {}): StoredEntity => ({
  id: 'row',
  entity_id: 'a',
  entity_type: 'Page',
  hash: 'h1',
  recipe: 'r1',
  version: 'v1',
  partition: '',
  generation: 4,
  sync_job_id: 'earlier',
  is_listed: true,
  source_hash: null,
  origin: null,
  is_hidden: false,
  has_secret: false,
  source_created_at: null,
  source_updated_at: 1000,
  created_at: 1,
  modified_at: 1,
  ...over,
});
const record = upsert(
  { id: 'a', type: 'Page', name: 'A', text: '', updatedAt: new Date(1000), fields: {} },
  { version: 'v2', partition: 'p' },
);
const change = (known: StoredEntity | undefined, hash = 'h2', hasSecret = false) => {
  const verdict = judge(record, hash, known, by);
  assert.ok('stale' in verdict, 'the record counts as unchanged');
  return { ...asSaid(verdict.stale, by.generation), hasSecret };
};

describe('judge', () => {
  it('a record that is not stored is a change', () => {
    assert.deepEqual(
      [change(undefined).contentChanged, change(undefined).partition, change(undefined).version],
      [true, 'p', 'v2'],
    );
  });

  it('equal hash and recipe are no change', () => {
    const verdict = judge(record, 'h1', stored(), by);
    assert.ok('seen' in verdict);
    assert.deepEqual(
      [verdict.seen.version, verdict.seen.partition, verdict.seen.updatedAt],
      ['v2', 'p', 1000],
    );
  });

  it('another hash is a change of content, another recipe is one of form', () => {
    assert.equal(change(stored(), 'h2').contentChanged, true);
    assert.equal(change(stored({ recipe: 'r0' }), 'h1').contentChanged, false);
  });

  it('times that differ are noticed, equal ones are not', () => {
    const seen = (known: StoredEntity) => {
      const verdict = judge(record, 'h1', known, by);
      assert.ok('seen' in verdict);
      return verdict.seen;
    };
    assert.equal(timesChanged(seen(stored())), false);
    assert.equal(timesChanged(seen(stored({ source_updated_at: 999 }))), true);
    assert.equal(timesChanged(seen(stored({ source_created_at: 1 }))), true);
  });
});

describe('stands', () => {
  const one = { version: 'v1', type: 'Page' };
  it('asks for a record only when something about it differs', () => {
    assert.equal(stands(one, stored(), by), true);
    assert.equal(stands(one, undefined, by), false);
    assert.equal(stands(one, stored({ version: 'v0' }), by), false);
    assert.equal(stands(one, stored({ entity_type: 'Post' }), by), false);
    assert.equal(stands(one, stored({ recipe: 'r0' }), by), false);
  });
});

describe('tally', () => {
  const counts = (tally: ReturnType<typeof tallyChange>) => [
    tally.inserted,
    tally.updated,
    tally.kept,
    tally.encountered.Page ?? 0,
  ];

  it('[JOB-24] counts a new record as inserted and a changed one as updated', () => {
    assert.deepEqual(counts(tallyChange(change(undefined), by)), [1, 0, 0, 1]);
    assert.deepEqual(counts(tallyChange(change(stored()), by)), [0, 1, 0, 1]);
  });

  it('[JOB-25] counts a record whose recipe alone changed as kept', () => {
    assert.deepEqual(counts(tallyChange(change(stored({ recipe: 'r0' }), 'h1'), by)), [0, 0, 1, 1]);
  });

  it('[JOB-43] counts what this job has counted only once', () => {
    const mine = { generation: 5, sync_job_id: 'job' };
    assert.deepEqual(counts(tallyChange(change(stored(mine)), by)), [0, 0, 0, 0]);
    const verdict = judge(record, 'h1', stored({ generation: 5 }), by);
    assert.ok('seen' in verdict);
    assert.deepEqual(counts(tallySeen(verdict.seen, by)), [0, 0, 0, 0]);
  });

  it('[JOB-43] turns what was kept into an update when it changes within the job', () => {
    assert.deepEqual(counts(tallyChange(change(stored({ generation: 5 })), by)), [0, 1, -1, 0]);
  });

  it('[CON-41] counts a record that holds a secret once a job, however it changes within it', () => {
    const found = ({ secrets, secretExamples }: ReturnType<typeof tallyChange>) => [
      secrets,
      secretExamples,
    ];
    const kept = { generation: 5, has_secret: true };
    assert.deepEqual(found(tallyChange(change(undefined, 'h2', true), by)), [1, ['a']]);
    assert.deepEqual(found(tallyChange(change(stored(), 'h2', true), by)), [1, ['a']]);
    const had = stored({ has_secret: true });
    assert.deepEqual(found(tallyChange(change(had, 'h2', true), by)), [1, ['a']]);
    assert.deepEqual(found(tallyChange(change(had, 'h2', false), by)), [0, []]);
    assert.deepEqual(found(tallyChange(change(stored(kept), 'h2', true), by)), [0, []]);
    assert.deepEqual(found(tallyChange(change(stored(kept), 'h2', false), by)), [-1, []]);
    const again = { ...kept, has_secret: false };
    assert.deepEqual(found(tallyChange(change(stored(again), 'h2', true), by)), [1, ['a']]);
    const seen = (one: StoredEntity) => {
      const verdict = judge(record, 'h1', one, by);
      assert.ok('seen' in verdict);
      return found(tallySeen(verdict.seen, by));
    };
    assert.deepEqual(seen(had), [1, ['a']]);
    assert.deepEqual(seen(stored()), [0, []]);
    assert.deepEqual(seen(stored(kept)), [0, []]);
  });

  it('[JOB-25] counts an unchanged record as kept', () => {
    const verdict = judge(record, 'h1', stored(), by);
    assert.ok('seen' in verdict);
    assert.deepEqual(counts(tallySeen(verdict.seen, by)), [0, 0, 1, 1]);
  });
});
