import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { smallEmbedder } from '../../test/faults/embedder.ts';
import { recipe, storedEntity } from '../../test/stored-entity.ts';
import { noTally } from '../jobs/tally.ts';
import { type ChangesOptions, splitIntoCommits } from './changes.ts';
import { type Decision, deletes, ofKind } from './decision.ts';
import { asGiven } from './transform.ts';

const options: ChangesOptions = {
  embedder: smallEmbedder(async () => {}),
  knownVectors: async () => new Map(),
  signal: new AbortController().signal,
  maxChunks: 3,
  countOf: ({ kind }) => ({
    tally: { ...noTally, deleted: kind === 'delete' ? 1 : 0 },
    leftOut: null,
  }),
  target: {
    organizationId: 'o',
    collectionId: 'c',
    connectionId: 's',
    syncId: 's',
    jobId: 'j',
    definitionId: (type) => type,
  },
};
const write = (id: string, over = recipe()): Decision =>
  asGiven(
    {
      entity: { id, type: 'Page', name: id, text: `the text of ${id}`, fields: {} },
      hash: id,
      stored: undefined,
      recipe: over,
      version: null,
      partition: '',
      parent: null,
      contentHash: null,
    },
    1,
  );
const touch: Decision = {
  ...{ kind: 'touch', stored: storedEntity(), generation: 1, version: null, partition: '' },
  ...{ parent: null, contentHash: null, createdAt: null, updatedAt: null },
};
const kinds = async (decisions: Decision[], maxChunks = 3) =>
  (await collected(splitIntoCommits(decisions, { ...options, maxChunks }))).map((one) =>
    one.decisions.map((decision) =>
      decision.kind === 'write' ? decision.entity.id : decision.kind,
    ),
  );

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('splitIntoCommits', () => {
  it('keeps the order, and limits the size of each commit', async () => {
    assert.deepEqual(await kinds([]), []);
    assert.deepEqual(await kinds(['a', 'b', 'c', 'd'].map((id) => write(id))), [
      ['a', 'b', 'c'],
      ['d'],
    ]);
    const [gone] = deletes([storedEntity()]);
    assert.ok(gone);
    assert.deepEqual(await kinds([gone, write('a'), gone, gone]), [
      ['delete', 'a', 'delete'],
      ['delete'],
    ]);
    assert.deepEqual(await kinds([touch, touch, touch, touch, write('a'), touch], 1), [
      ['touch', 'touch', 'touch', 'touch', 'a', 'touch'],
    ]);
    assert.deepEqual(await kinds([write('a'), gone, touch, write('b')], Infinity), [
      ['a', 'delete', 'touch', 'b'],
    ]);
  });

  it('gives chunks to searchable entities, and a row to each entity', async () => {
    const [changes] = await collected(
      splitIntoCommits([write('a'), write('b', recipe({ is_searchable: false }))], options),
    );
    const [a, b] = ofKind(changes?.decisions ?? [], 'write');
    assert.ok(a && b);
    assert.deepEqual(
      a.chunks.map(({ entity, text }) => [entity, text]),
      [[a.row, 'the text of a']],
    );
    assert.deepEqual([b.chunks, a.columns.id, b.columns.id], [[], a.row, b.row]);
    assert.notEqual(a.row, b.row);
  });

  it('adds up the counts of each commit', async () => {
    const commits = await collected(
      splitIntoCommits(deletes(Array.from({ length: 5 }, () => storedEntity())), options),
    );
    assert.deepEqual(
      commits.map(({ tally }) => tally.deleted),
      [3, 2],
    );
  });
});
