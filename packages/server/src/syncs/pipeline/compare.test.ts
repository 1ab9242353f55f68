import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SourceError } from '../../errors.ts';
import { quantize } from '../../model/vector.ts';
import { fail, skip, upsert } from '../../sources/items.ts';
import { recipe, storedEntity as stored } from '../../test/stored-entity.ts';
import { noCounts, noTally, type Tally } from '../jobs/tally.ts';
import { compare, isUnchangedStub, type SyncAttempt } from './compare.ts';
import { countOf } from './count.ts';
import {
  type Decision,
  damage,
  deletes,
  deletesMissing,
  droppedRecord,
  type PreparedDecision,
  type Touch,
  timesChanged,
} from './decision.ts';
import { toRow } from './row.ts';
import type { StoredEntity } from './store.ts';
import { asGiven } from './transform.ts';

const by: SyncAttempt = {
  jobId: 'job',
  generation: 5,
  firstGeneration: 5,
  recipe: () => recipe(),
  attempt: 'this',
};
const older = recipe({ chunk_version: 'older' });
const record = {
  ...upsert(
    { id: 'a', type: 'Page', name: 'A', text: '', updatedAt: new Date(1000), fields: {} },
    { version: 'v2', partition: 'p' },
  ),
  extractVersion: recipe().extract_version,
  contentHash: null,
};
const change = (known: StoredEntity | undefined, hash = 'h2') => {
  const result = compare(record, { hash, stored: known }, by);
  assert.ok(!('kind' in result), 'the record counts as unchanged');
  return asGiven(result, by.generation);
};
const touch = (known: StoredEntity): Touch => {
  const result = compare(record, { hash: 'h1', stored: known }, by);
  assert.ok('kind' in result, 'the record counts as changed');
  return result;
};

describe('compare', () => {
  it('treats a record that is not stored as a change', () => {
    const { contentChanged, partition, version } = change(undefined);
    assert.deepEqual([contentChanged, partition, version], [true, 'p', 'v2']);
  });

  it('finds no change for an equal hash and recipe', () => {
    const { version, partition, updatedAt, generation } = touch(stored());
    assert.deepEqual([version, partition, updatedAt, generation], ['v2', 'p', 1000, 5]);
  });

  it('finds a change of content for another hash, and a change of form for another recipe', () => {
    assert.equal(change(stored(), 'h2').contentChanged, true);
    assert.equal(change(stored(older), 'h1').contentChanged, false);
  });

  it('makes a damaged row, and a row made of another record, again', () => {
    assert.equal(change(stored({ is_damaged: true }), 'h1').contentChanged, false);
    assert.equal(change(stored({ origin: 'b' }), 'h1').contentChanged, false);
  });

  it('tries a record that transformers failed again only in another attempt', () => {
    assert.ok(touch(stored({ failed_attempt: 'this' })));
    assert.ok(change(stored({ failed_attempt: 'earlier' }), 'h1'));
  });

  it('compares with the hash of the source where transformers have changed the record', () => {
    assert.ok(touch(stored({ hash: 'shown', source_hash: 'h1' })));
    assert.ok(change(stored({ hash: 'h1', source_hash: 'given' }), 'h1'));
  });

  it('notices different times, and no difference between equal times', () => {
    assert.equal(timesChanged(touch(stored())), false);
    assert.equal(timesChanged(touch(stored({ source_updated_at: 999 }))), true);
    assert.equal(timesChanged(touch(stored({ source_created_at: 1 }))), true);
  });
});

describe('isUnchangedStub', () => {
  const one = { version: 'v1', type: 'Page' };
  it('is false when anything about the record differs', () => {
    assert.equal(isUnchangedStub(one, stored(), by), true);
    assert.equal(isUnchangedStub(one, undefined, by), false);
    assert.equal(isUnchangedStub(one, stored({ version: 'v0' }), by), false);
    assert.equal(isUnchangedStub(one, stored({ entity_type: 'Post' }), by), false);
    assert.equal(
      isUnchangedStub(one, stored({ entity_type: 'Post', source_hash: 'h0' }), by),
      true,
    );
    assert.equal(isUnchangedStub(one, stored(older), by), false);
    assert.equal(isUnchangedStub(one, stored({ is_damaged: true }), by), false);
    assert.equal(isUnchangedStub(one, stored({ origin: 'b' }), by), false);
    assert.equal(isUnchangedStub({ ...one, isAgain: true }, stored(), by), false);
  });
});

describe('countOf', () => {
  const target = {
    ...by,
    organizationId: 'o',
    collectionId: 'c',
    connectionId: 's',
    syncId: 's',
    definitionId: () => 'd',
  };
  const written = (known: StoredEntity | undefined, hash = 'h2', hasSecret = false) => {
    const write = { ...change(known, hash), row: 'row' };
    const columns = { ...toRow(write, target), has_secret: hasSecret };
    return { ...write, columns, chunks: [] };
  };
  const tallyOf = (decision: PreparedDecision) => countOf(decision, by).tally;
  const counts = (tally: Tally) => [
    tally.inserted,
    tally.updated,
    tally.kept,
    tally.encountered.Page ?? 0,
  ];

  it('[JOB-24] counts a new record as inserted and a changed record as updated', () => {
    assert.deepEqual(counts(tallyOf(written(undefined))), [1, 0, 0, 1]);
    assert.deepEqual(counts(tallyOf(written(stored()))), [0, 1, 0, 1]);
    assert.deepEqual(counts(tallyOf(written(stored({ is_hidden: true })))), [1, 0, 0, 1]);
  });

  it('[JOB-24] counts the written chunks, for inserted and updated records alike', () => {
    const chunk = {
      entity: 'row',
      index: 0,
      text: 't',
      heading: null,
      page: null,
      place: null,
      line: 1,
    };
    const chunks = [0, 1].map((index) => ({
      ...{
        ...chunk,
        index,
        textHash: 'h',
        isTitled: true,
        terms: [],
        vector: quantize(new Float32Array([1])),
      },
    }));
    for (const one of [written(undefined), written(stored(older), 'h1')])
      assert.equal(tallyOf({ ...one, chunks }).chunks, 2);
  });

  it('[JOB-25] counts a record whose recipe alone changed as kept', () => {
    assert.deepEqual(counts(tallyOf(written(stored(older), 'h1'))), [0, 0, 1, 1]);
  });

  it('[JOB-43] counts a record of this job only once', () => {
    const mine = { generation: 5, sync_job_id: 'job' };
    assert.deepEqual(counts(tallyOf(written(stored(mine)))), [0, 0, 0, 0]);
    assert.deepEqual(counts(tallyOf(touch(stored({ generation: 5 })))), [0, 0, 0, 0]);
  });

  it('[JOB-43] turns a kept record into an updated one when it changes within the job', () => {
    assert.deepEqual(counts(tallyOf(written(stored({ generation: 5 })))), [0, 1, -1, 0]);
    const { encountered, byType } = tallyOf(
      written(stored({ generation: 5, entity_type: 'Draft' })),
    );
    assert.deepEqual(encountered, { Draft: -1, Page: 1 });
    assert.deepEqual(byType, { ...noCounts, updated: { Page: 1 } });
  });

  it('[CON-41] counts a record with a secret once in a job, even if it changes within the job', () => {
    const found = (decision: PreparedDecision) => {
      const { secrets, secretExamples } = tallyOf(decision);
      return [secrets, secretExamples];
    };
    const kept = { generation: 5, has_secret: true };
    const had = stored({ has_secret: true });
    const again = stored({ ...kept, has_secret: false });
    assert.deepEqual(found(written(undefined, 'h2', true)), [1, ['a']]);
    assert.deepEqual(found(written(stored(), 'h2', true)), [1, ['a']]);
    assert.deepEqual(found(written(had, 'h2', true)), [1, ['a']]);
    assert.deepEqual(found(written(had, 'h2', false)), [0, []]);
    assert.deepEqual(found(written(stored(kept), 'h2', true)), [0, []]);
    assert.deepEqual(found(written(stored(kept), 'h2', false)), [-1, []]);
    assert.deepEqual(found(written(again, 'h2', true)), [1, ['a']]);
    assert.deepEqual(found(touch(had)), [1, ['a']]);
    assert.deepEqual(found(touch(stored())), [0, []]);
    assert.deepEqual(found(touch(stored(kept))), [0, []]);
  });

  it('[JOB-25] counts an unchanged record as kept', () => {
    assert.deepEqual(counts(tallyOf(touch(stored()))), [0, 0, 1, 1]);
  });

  const failure = { ...fail('a', 'Page', new SourceError('skip', 'broken')), stage: 'pull' };
  const skipped = { ...skip('a', 'Page', { reason: 'too large' }), stage: 'pull' };
  const hidden = (known: StoredEntity | undefined, over: Partial<Decision> = {}) => {
    const { entity, hash, ...of } = change(known);
    const source = { entity, hash };
    const leftOut = droppedRecord('a', 'Page');
    const hide = { ...of, kind: 'hide', source, failedAttempt: null, leftOut, ...over } as const;
    const row = { ...hide, row: 'row' };
    return { ...row, columns: toRow(row as Parameters<typeof toRow>[0], target) };
  };

  it('[JOB-26] counts and lists records that are left out, by type and reason', () => {
    const dropped = droppedRecord('a', 'Page');
    const failed = {
      ...noTally,
      failed: 1,
      leftOut: { Page: 1 },
      byType: { ...noCounts, failed: { Page: 1 } },
    };
    const droppedTally = {
      ...noTally,
      skipped: 1,
      leftOut: { Page: 1 },
      skippedBy: { 'dropped by a transformer': 1 },
    };
    assert.deepEqual(countOf(failure, by), { tally: failed, leftOut: failure });
    assert.deepEqual(countOf(skipped, by).tally, {
      ...noTally,
      skipped: 1,
      leftOut: { Page: 1 },
      skippedBy: { 'too large': 1 },
    });
    assert.deepEqual(countOf(hidden(undefined) as PreparedDecision, by), {
      tally: droppedTally,
      leftOut: dropped,
    });
    const retained = {
      ...change(stored()),
      kind: 'retain',
      failedAttempt: 'this',
      leftOut: failure,
    } as unknown as PreparedDecision;
    assert.deepEqual(countOf(retained, by), { tally: failed, leftOut: failure });
    assert.equal(countOf(damage(stored()), by).tally.failed, 1);
    // The hidden row of a dropped record is dropped again whenever a pull finds the record.
    const stays = touch(stored({ is_hidden: true }));
    assert.deepEqual(countOf(stays, by), { tally: droppedTally, leftOut: dropped });
    const failedBefore = touch(stored({ is_hidden: true, failed_attempt: 'this' }));
    assert.deepEqual(countOf(failedBefore, by), { tally: noTally, leftOut: null });
  });

  it('[JOB-24] counts a deleted record that was shown, and no hidden one', () => {
    const deleted = (known: StoredEntity) =>
      [...deletes([known]), ...deletesMissing([known]), hidden(known) as PreparedDecision]
        .map(tallyOf)
        .map(({ deleted, missing }) => [deleted, missing]);
    assert.deepEqual(deleted(stored()), [
      [1, 0],
      [1, 1],
      [1, 0],
    ]);
    assert.deepEqual(deleted(stored({ is_hidden: true })), [
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
  });
});
