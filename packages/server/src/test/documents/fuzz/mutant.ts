/** Makes mutants: files of a kind that a generator with a seed has changed. */
import { type Random, random } from '../../random/random.ts';
import { BYTE_MUTATORS, MOST_BYTES, type Mutator } from './bytes.ts';
import { inCompound, isCompound } from './compound.ts';
import { changeJson } from './json.ts';
import { inGzip, inTar, inZip } from './packed.ts';
import type { FuzzedKind, Sample } from './samples.ts';
import { TEXT_MUTATORS } from './tokens.ts';
import { XML_MUTATORS } from './xml.ts';

const MOST_MUTATIONS = 4;

/** Returns the same mutant for the same kind, seed and samples. It keeps the name of the sample, which names its kind. */
export function mutantOf(kind: FuzzedKind, seed: number, samples: readonly Sample[]): Sample {
  const numbers = random(seed);
  const { name, bytes } = numbers.pick(samples);
  let mutant: Buffer = Buffer.from(bytes);
  for (
    let left = 1 + numbers.below(MOST_MUTATIONS);
    left > 0 && mutant.length < 2 * MOST_BYTES;
    left--
  ) {
    const other = Buffer.from(numbers.pick(samples).bytes);
    mutant = mutatorFor(kind, mutant, numbers)({ bytes: mutant, other }, numbers);
  }
  return { name, bytes: mutant };
}

function mutatorFor(kind: FuzzedKind, bytes: Buffer, random: Random): Mutator {
  // A change from outside mostly ends in a file that cannot be opened.
  if (random.below(12) === 0) return plainMutator;
  if (isCompound(bytes)) return inCompound(plainMutator);
  if (isZip(bytes)) return inZip(plainMutator);
  if (bytes[0] === 0x1f && bytes[1] === 0x8b)
    return inGzip(kind === 'gzip' ? inTar(plainMutator) : plainMutator);
  if (kind === 'tar') return inTar(plainMutator);
  return kind === 'ipynb' ? changeJson : plainMutator;
}

/** Changes the elements of XML and HTML, the tokens of a text, or the bytes of any file. */
const plainMutator: Mutator = (mutable, random) => {
  if (!isText(mutable.bytes)) return random.pick(BYTE_MUTATORS)(mutable, random);
  // Most converters of XML refuse what is not well-formed, so most changes keep it well-formed.
  const isMarkup = mutable.bytes.toString('latin1', 0, 10).trimStart().startsWith('<');
  if (isMarkup && random.below(10) > 1) return random.pick(XML_MUTATORS)(mutable, random);
  return random.pick(ALL_MUTATORS)(mutable, random);
};

const ALL_MUTATORS = [...TEXT_MUTATORS, ...BYTE_MUTATORS];

const isZip = (bytes: Buffer): boolean => bytes.toString('latin1', 0, 4) === 'PK\x03\x04';

/** A PDF counts as text, because its objects are. */
function isText(bytes: Buffer): boolean {
  const head = bytes.subarray(0, 2000);
  const controls = head.reduce((count, byte) => count + (byte < 9 ? 1 : 0), 0);
  return controls <= head.length * 0.1 && !isZip(bytes);
}
