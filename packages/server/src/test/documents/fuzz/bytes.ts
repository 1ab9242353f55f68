/** Changes bytes without knowing their format. */
import type { Random } from '../../random/random.ts';

/** A mutant gets no larger than this by repetition. */
export const MOST_BYTES = 1024 * 1024;
const TIMES = 10_000;

export interface Mutable {
  readonly bytes: Buffer;
  /** This is a file of the same kind, from which pieces may come. */
  readonly other: Buffer;
}
export type Mutator = (mutable: Mutable, random: Random) => Buffer;

interface Run {
  readonly from: number;
  readonly to: number;
}

/** Most runs are short, but some are as long as the file. */
export function runIn(length: number, random: Random): Run {
  const most = Math.max(1, Math.floor(length * random.next() ** 4));
  const from = random.below(length + 1);
  return { from, to: Math.min(length, from + 1 + random.below(most)) };
}

const replaced = (bytes: Buffer, { from, to }: Run, by: Uint8Array): Buffer =>
  Buffer.concat([bytes.subarray(0, from), by, bytes.subarray(to)]);

const flipBits: Mutator = ({ bytes }, random) => {
  const flipped = Buffer.from(bytes);
  for (let left = 1 + random.below(16); left > 0 && bytes.length > 0; left--) {
    const at = random.below(bytes.length);
    flipped[at] = flipped[at]! ^ (1 << random.below(8));
  }
  return flipped;
};

const deleteRun: Mutator = ({ bytes }, random) =>
  replaced(bytes, runIn(bytes.length, random), Buffer.alloc(0));

const doubleRun: Mutator = ({ bytes }, random) => {
  const { from, to } = runIn(bytes.length, random);
  return replaced(bytes, { from, to: from }, bytes.subarray(from, to));
};

const swapRuns: Mutator = ({ bytes }, random) => {
  const [one, two] = [runIn(bytes.length, random), runIn(bytes.length, random)];
  const [first, second] = one.from <= two.from ? [one, two] : [two, one];
  if (first.to > second.from) return bytes;
  return Buffer.concat([
    bytes.subarray(0, first.from),
    bytes.subarray(second.from, second.to),
    bytes.subarray(first.to, second.from),
    bytes.subarray(first.from, first.to),
    bytes.subarray(second.to),
  ]);
};

const truncate: Mutator = ({ bytes }, random) => bytes.subarray(0, random.below(bytes.length + 1));

const EXTREMES = [
  0n,
  1n,
  0x7fn,
  0x80n,
  0xffn,
  0x7fffn,
  0x8000n,
  0xffffn,
  0x7fffffffn,
  0x80000000n,
  0xfffffffen,
  0xffffffffn,
  0x7fffffffffffffffn,
  0xffffffffffffffffn,
];

const setInteger: Mutator = ({ bytes }, random) => {
  const width = random.pick([1, 2, 4, 8]);
  if (bytes.length < width) return bytes;
  const integer = Buffer.alloc(8);
  integer.writeBigUInt64LE(random.pick(EXTREMES));
  const little = integer.subarray(0, width);
  const from = random.below(bytes.length - width + 1);
  return replaced(
    bytes,
    { from, to: from + width },
    random.below(2) === 0 ? little : little.toReversed(),
  );
};

const insertNoise: Mutator = ({ bytes }, random) => {
  const from = random.below(bytes.length + 1);
  const noise = Buffer.from(Array.from({ length: 1 + random.below(40) }, () => random.below(256)));
  return replaced(bytes, { from, to: from }, noise);
};

const splice: Mutator = ({ bytes, other }, random) => {
  const from = random.below(bytes.length + 1);
  const piece = runIn(other.length, random);
  return random.below(2) === 0
    ? Buffer.concat([bytes.subarray(0, from), other.subarray(piece.from)])
    : replaced(bytes, { from, to: from }, other.subarray(piece.from, piece.to));
};

export function repeated(piece: Buffer, random: Random): Buffer {
  const times = random.pick([2, 100, TIMES, TIMES]);
  const least = Math.max(1, piece.length);
  return Buffer.concat(Array(Math.min(times, Math.ceil(MOST_BYTES / least))).fill(piece));
}

const repeatRun: Mutator = ({ bytes }, random) => {
  const { from } = runIn(bytes.length, random);
  const run = { from, to: Math.min(bytes.length, from + 1 + random.below(300)) };
  return replaced(bytes, run, repeated(bytes.subarray(run.from, run.to), random));
};

export const BYTE_MUTATORS: readonly Mutator[] = [
  flipBits,
  deleteRun,
  doubleRun,
  swapRuns,
  truncate,
  setInteger,
  insertNoise,
  splice,
  repeatRun,
];
