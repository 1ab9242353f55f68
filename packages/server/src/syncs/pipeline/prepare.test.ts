import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { SourceError } from '../../errors.ts';
import type { Access } from '../../model/entity.ts';
import { stub, upsert } from '../../sources/items.ts';
import { recipe, storedEntity } from '../../test/stored-entity.ts';
import { createChain } from '../../transformers/chain.ts';
import { must } from '../../util.ts';
import { nothingBelow } from './below.ts';
import type { Decision } from './decision.ts';
import { extract } from './extract.ts';
import { prepare } from './prepare.ts';
import type { StoredEntity } from './store.ts';

const never = new AbortController().signal;

const relatives = {
  batchIds: new Set<string>(),
  made: new Map(),
  recordOf: new Map<string, string>(),
  findStored: async () => new Map(),
};

type Outcome = Error | 'text';

/** Prepares a batch of these records, in which the extractor answers with the outcome of each. */
function decide(
  outcomes: Readonly<Record<string, Outcome>>,
  {
    breaks,
    isListed = breaks !== undefined,
    access,
    stored = [],
    made = [],
    ...limits
  }: Partial<Limits> & Giving & Before = {},
) {
  const extract = async (name: string) => {
    const outcome = outcomes[name];
    if (outcome instanceof Error) throw outcome;
    return { kind: 'text' as const, text: name, version: 'pdf-1' };
  };
  return prepare(
    {
      upserts: isListed ? [] : Object.keys(outcomes).map((id) => recordOf(id, access)),
      stubs: isListed ? Object.keys(outcomes).map(stubOf) : [],
      leftOut: [],
      removals: [],
      listed: [],
      lost: [],
      cursor: undefined,
      bookmark: undefined,
    },
    {
      stored: new Map(stored.map((row) => [row.entity_id, row])),
      relatives: { ...relatives, made: Map.groupBy(made, ({ origin }) => must(origin)) },
      below: nothingBelow,
      refusals: new Map(),
    },
    {
      extractor: {
        extract: ({ name }) => extract(name),
        extractHtml: (html) => extract(html),
        close: async () => {},
      },
      hydrate: async function* (stubs) {
        yield* stubs.map(({ id }) => recordOf(id, access));
        if (breaks) throw breaks;
      },
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
      characters: 1_000_000,
      milliseconds: 1_000_000,
      ...limits,
      signal: never,
    },
  );
}

interface Giving {
  /** If true, the source lists the records before it gives them. */
  readonly isListed?: boolean;
  /** The source throws this after the last record. */
  readonly breaks?: Error;
}

interface Before {
  /** The source gives each record this access now. */
  readonly access?: Access;
  /** These rows are stored. */
  readonly stored?: readonly StoredEntity[];
  /** These were made of the records. */
  readonly made?: readonly StoredEntity[];
}

interface Limits {
  readonly characters: number;
  readonly milliseconds: number;
}

const recordOf = (id: string, access?: Access) =>
  upsert({
    ...{ id, type: 'File', name: id, text: '', fields: {}, access },
    file: { path: `/${id}`, name: id, size: 1, inode: '1' },
  });

const stubOf = (id: string) => stub(id, 'File', { version: '1' });

const idsOf = (decisions: readonly Decision[] | undefined): string[] =>
  (decisions ?? []).flatMap((one) =>
    one.kind === 'write' ? one.entity.id : one.kind === 'fail' ? one.id : [],
  );

describe('prepare', () => {
  it('[JOB-20] names extraction as the stage when it fails a record or ends the sync', async () => {
    const { value } = await decide({ a: new SourceError('skip', 'broken') }).next();
    assert.deepEqual(
      (value ?? []).map((one) => 'stage' in one && [one.kind, one.id, one.stage]),
      [['fail', 'a', 'extract']],
    );
    const whole = { characters: Infinity, milliseconds: Infinity };
    const busy = new SourceError('transient', 'too many open files');
    await assert.rejects(decide({ a: busy }, whole).next(), {
      kind: 'transient',
      message: 'too many open files',
      stage: 'extract',
    });
    const ours = new Error('ours');
    await assert.rejects(decide({ a: ours }).next(), ours);
  });

  it('stores what was read before the source broke, unless the batch is stored as a whole', async () => {
    const outcomes = { a: 'text', b: new SourceError('transient', 'too many'), c: 'text' } as const;
    const decisions = decide(outcomes);
    const { value } = await decisions.next();
    assert.deepEqual(idsOf(value ?? []), ['a', 'c']);
    await assert.rejects(decisions.next(), { message: 'too many' });
    const whole = decide(outcomes, { characters: Infinity, milliseconds: Infinity });
    await assert.rejects(whole.next(), { message: 'too many' });
  });

  it('stores the few records that the source gave before it broke, once', async () => {
    const breaks = new SourceError('transient', 'the source is gone');
    for (const records of ['abc', 'abcdefghij']) {
      const outcomes = Object.fromEntries([...records].map((id) => [id, 'text' as const]));
      const decisions = decide(outcomes, { breaks });
      const { value } = await decisions.next();
      assert.deepEqual(idsOf(value ?? []), [...records]);
      await assert.rejects(decisions.next(), breaks);
    }
  });

  it('remembers what could not be read of a file, unless that may be a fault of its disk', async () => {
    const cause = Object.assign(new Error('EIO'), { code: 'EIO', syscall: 'read' });
    const outcomes = {
      broken: new SourceError('skip', 'the document is broken'),
      unreadable: new SourceError('skip', 'the file cannot be read: EIO', { cause }),
    };
    const { value } = await decide(outcomes, { isListed: true }).next();
    assert.deepEqual(
      (value ?? []).map((one) => one.kind === 'fail' && [one.id, one.refusedVersion]),
      [
        ['broken', '1'],
        ['unreadable', undefined],
      ],
    );
  });

  it('[ENT-17] deletes what somebody finds who may no longer see a record whose new file cannot be read', async () => {
    const of = (...viewers: string[]): Access => ({ viewers, isPublic: false });
    const shown = { ...storedEntity(), viewers: ['ann', 'ben'] };
    const own = { made: [], stored: [shown] };
    const inside = { ...shown, entity_id: 'a!/b', origin: 'a' };
    const withInside = { made: [inside], stored: [{ ...shown, is_hidden: true, viewers: null }] };
    const broken = { a: new SourceError('skip', 'the document is broken') };
    const long = 'a'.repeat(3000);
    const deleted = async (access: Access, before: Before, outcomes: object = broken) => {
      const { value } = await decide({ ...outcomes }, { ...before, access }).next();
      return (value ?? []).map((one) => (one.kind === 'delete' ? one.stored.entity_id : one.kind));
    };
    for (const isListed of [false, true]) {
      const listed = { ...own, isListed };
      assert.deepEqual(await deleted(of('ann'), listed), ['fail', 'a']);
      assert.deepEqual(await deleted(of('ben', 'cem', 'ann'), listed), ['fail']);
    }
    assert.deepEqual(await deleted({ viewers: null, isPublic: false }, own), ['fail']);
    assert.deepEqual(await deleted({ viewers: ['ann'], isPublic: true }, own), ['fail']);
    assert.deepEqual(await deleted(of('ann'), withInside), ['fail', 'a!/b', 'a']);
    assert.deepEqual(await deleted(of('ann', 'ben'), withInside), ['fail']);
    for (const open of [{ viewers: null }, { is_public: true }])
      assert.deepEqual(await deleted(of('ann', 'ben'), { stored: [{ ...shown, ...open }] }), [
        'fail',
        'a',
      ]);
    const tooLong = { stored: [{ ...shown, entity_id: long }] };
    assert.deepEqual(await deleted(of('ann'), tooLong, { [long]: 'text' }), ['fail', long]);
  });

  it('ends a part after some time', async () => {
    const parts: string[][] = [];
    for await (const part of decide({ a: 'text', b: 'text' }, { milliseconds: 0 }))
      parts.push(idsOf(part));
    assert.deepEqual(parts, [['a'], ['b'], []]);
  });

  it('removes a file that was downloaded for a record, also when the record is refused', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quarry-prepare-'));
    try {
      const path = join(folder, 'a.pdf');
      for (const id of ['a', 'a'.repeat(3000)]) {
        writeFileSync(path, 'content');
        const { entity } = recordOf(id);
        const file = { ...must(entity.file), path, isTemporary: true };
        const deps = {
          extractor: {
            extract: async () => ({ kind: 'text' as const, text: '', version: 'pdf-1' }),
            extractHtml: async () => assert.fail(),
            close: async () => {},
          },
          findExtracted: async () => null,
          signal: never,
        };
        const [one] = await extract(upsert({ ...entity, file }), deps);
        assert.equal(one?.kind, id === 'a' ? 'upsert' : 'fail');
        assert.equal(existsSync(path), false);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
