/** Derives from a seed what goes wrong in a pull. */
import type { SourceErrorKind } from '../../errors.ts';
import { type Random, random } from '../random/random.ts';
import { PARENTS, PARTS } from './company.ts';
import type { Trouble } from './source.ts';

const KINDS: readonly SourceErrorKind[] = [
  'transient',
  'transient',
  'rate_limited',
  'fatal',
  'config',
  'auth',
  'outdated',
];

export const noTrouble = (): Trouble => ({
  random: random(1),
  error: undefined,
  slow: undefined,
  change: undefined,
  lost: [],
  cut: [],
  fails: 0,
  skips: 0,
  repeats: 0,
  isShuffled: false,
  checkpoints: 0.5,
  bookmarks: 0.5,
  online: 0,
});

export function someTrouble(chance: Random, happen: () => void): Trouble {
  if (chance.next() < 0.5) return interrupted(chance);
  const after = chance.below(chance.next() < 0.5 ? 6 : 30);
  const often = (share: number) => chance.next() < share;
  return {
    random: random(chance.below(2 ** 31)),
    error: often(0.45)
      ? {
          after,
          kind: chance.pick(KINDS),
          retryAfter: chance.pick([{}, { retryAfter: 5 }, { retryAfter: 100_000 }]),
        }
      : undefined,
    slow: often(0.1) ? { after: chance.below(6), ms: 200 + chance.below(45_000) } : undefined,
    change: often(0.4) ? { after: chance.below(12), happen } : undefined,
    lost: often(0.4) ? [chance.pick(PARTS)] : [],
    cut: often(0.3) ? [chance.pick(PARTS)] : [],
    fails: often(0.3) ? 0.2 : 0,
    skips: often(0.2) ? 0.2 : 0,
    repeats: often(0.4) ? 0.5 : 0,
    isShuffled: often(0.4),
    checkpoints: often(0.6) ? 0.6 : 0,
    bookmarks: often(0.6) ? 0.6 : 0,
    online: chance.pick([0.1, 0.4]),
  };
}

/** Partitions cannot be listed, or only in part, and the pull fails soon after a bookmark that records them as done. */
function interrupted(chance: Random): Trouble {
  // A lost parent keeps the records of all partitions below it, even when these are listed.
  const parts = [chance.pick(PARENTS), chance.pick(PARTS)];
  return {
    ...noTrouble(),
    random: random(chance.below(2 ** 31)),
    error: { after: 2 + chance.below(25), kind: 'transient', retryAfter: {} },
    ...(chance.next() < 0.6 ? { lost: parts } : { cut: PARTS }),
    isShuffled: true,
    bookmarks: 1,
    online: chance.pick([0, 0.3]),
  };
}
