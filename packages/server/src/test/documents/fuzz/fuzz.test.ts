/** Plays a few mutants of every kind. `npm run fuzz` plays many more. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { UNREADABLE } from '../../../documents/convert-file.ts';
import type { Extracted } from '../../../documents/extract.ts';
import { SourceError } from '../../../errors.ts';
import { checkAnswer } from './checks.ts';
import { mutantOf } from './mutant.ts';
import { createPlayer, type Player } from './play.ts';
import { FUZZED_KINDS, SAMPLES } from './samples.ts';

const MUTANTS = 2;

describe('hostile files', () => {
  let folder: string;
  let player: Player;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quarry-fuzz-'));
    player = await createPlayer(join(folder, 'files'));
  });
  after(async () => {
    await player.close();
    await rm(folder, { recursive: true });
  });

  for (const kind of FUZZED_KINDS)
    it(`of the kind ${kind} get an answer in plain words, and harm no document after them`, async () => {
      for (let seed = 1; seed <= MUTANTS; seed++) {
        const { finding } = await player.play(kind, seed, SAMPLES[kind]);
        assert.equal(finding, null, `npm run fuzz -- --kind ${kind} --seed ${seed}`);
      }
    });

  it('are the same for the same seed, and nearly all differ from each other', () => {
    for (const kind of FUZZED_KINDS) {
      const made = Array.from({ length: 6 }, (_, seed) => mutantOf(kind, seed, SAMPLES[kind]));
      const different = new Set(made.map(({ bytes }) => Buffer.from(bytes).toString('latin1')));
      assert.ok(different.size >= 4, `${kind}: ${different.size}`);
      assert.deepEqual(mutantOf(kind, 5, SAMPLES[kind]), made[5]);
    }
  });
});

describe('the checks of the answers to hostile files', () => {
  const text = (more: object): Extracted =>
    ({ kind: 'text', version: 'zip-1', text: 'Text', ...more }) as Extracted;
  const inner = (path: string, outcome: object = { is: 'text', text: '' }, times = 1) =>
    text({ inner: Array(times).fill({ path, outcome }) });
  const skip = (message: string, cause?: unknown) => ({
    kind: 'error' as const,
    error: new SourceError('skip', message, { cause }),
  });

  it('let pass what is right', () => {
    const right = [
      text({ pages: [0, 0, 4], places: ['page 1', 'page 2', 'page 3'] }),
      inner('a/b.zip!/c..d.txt'),
      inner('a', { is: 'broken', reason: 'the file is broken', hint: null }),
      { kind: 'skip' as const, reason: 'binary' },
      skip('the file is broken or is not a PDF'),
    ];
    for (const answer of right) checkAnswer(answer, 'zip');
    checkAnswer(skip('the document took more than 60 s to read'), 'pdf');
  });

  const wrong = {
    'an error of another kind': { kind: 'error' as const, error: new Error('no') },
    'an error that stops the sync': {
      kind: 'error' as const,
      error: new SourceError('transient', 'no'),
    },
    'a process that ended': skip('the process that read the document ended with 1'),
    'a broken limit': skip('the document took more than 60 s to read'),
    'an error of JavaScript': skip(UNREADABLE, 'TypeError: x'),
    'a message of JavaScript': skip("Cannot read properties of undefined (reading 'a')"),
    'a long message': skip('x'.repeat(1000)),
    'a reason of JavaScript': { kind: 'skip' as const, reason: 'Invalid array length' },
    'an unpaired surrogate': text({ text: '\ud83d' }),
    'a character NUL': text({ about: { title: '\0' } }),
    'a page before the last one': text({ pages: [2, 1] }),
    'a page behind the text': text({ pages: [5] }),
    'a page without a place': text({ pages: [0, 1], places: ['page 1'] }),
    'places without pages': text({ places: ['page 1'] }),
    'a path that climbs': inner('a/../b'),
    'a path that begins at the root': inner('/a'),
    'a path with a control character': inner('a\nb'),
    'a path inside that begins at the root': inner('a.zip!//b'),
    'two documents with one path': inner('a', { is: 'text', text: '' }, 2),
    'an error of JavaScript inside': inner('a', { is: 'broken', reason: UNREADABLE, hint: null }),
    'a page behind the text inside': inner('a', { is: 'text', text: '', pages: [1] }),
  };
  for (const [what, answer] of Object.entries(wrong))
    it(`find ${what}`, () =>
      assert.throws(() => checkAnswer(answer, 'zip'), { name: 'Violation' }));
});
