import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SourceError } from '../../errors.ts';
import { upsert } from '../../sources/items.ts';
import { recipe } from '../../test/stored-entity.ts';
import { createChain } from '../../transformers/chain.ts';
import { nothingBelow } from './below.ts';
import { prepare } from './prepare.ts';

const never = new AbortController().signal;

const relatives = {
  batchIds: new Set<string>(),
  made: new Map(),
  recordOf: new Map<string, string>(),
  findStored: async () => new Map(),
};

describe('prepare', () => {
  const file = { path: '/a.pdf', name: 'a.pdf', size: 1, inode: '1' };
  const record = upsert({ id: 'a', type: 'File', name: 'A', text: '', fields: {}, file });
  const decide = (error: Error) =>
    prepare(
      {
        upserts: [record],
        stubs: [],
        leftOut: [],
        removals: [],
        listed: [],
        lost: [],
        cursor: undefined,
        bookmark: undefined,
      },
      { stored: new Map(), relatives, below: nothingBelow, refusals: new Map() },
      {
        extractor: {
          extract: () => Promise.reject(error),
          extractHtml: () => Promise.reject(error),
          close: async () => {},
        },
        hydrate: async function* () {},
        readStored: async () => new Map(),
        findExtracted: async () => null,
        chain: createChain(
          [],
          (type) => type,
          async () => {},
        ),
        target: {
          jobId: 'job',
          generation: 1,
          firstGeneration: 1,
          recipe: () => recipe(),
          attempt: 'this',
        },
        characters: Number.POSITIVE_INFINITY,
        signal: never,
      },
    ).next();

  it('[JOB-20] names extraction as the stage when it fails a record or ends the sync', async () => {
    const { value } = await decide(new SourceError('skip', 'broken'));
    assert.deepEqual(
      (value ?? []).map((one) => 'stage' in one && [one.kind, one.id, one.stage]),
      [['fail', 'a', 'extract']],
    );
    await assert.rejects(decide(new SourceError('transient', 'too many open files')), {
      kind: 'transient',
      message: 'too many open files',
      stage: 'extract',
    });
    const ours = new Error('ours');
    await assert.rejects(decide(ours), ours);
  });
});
