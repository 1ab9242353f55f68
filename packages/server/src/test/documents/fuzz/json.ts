/** Changes values of JSON, and leaves it JSON. */
import type { Random } from '../../random/random.ts';
import { MOST_BYTES, type Mutator } from './bytes.ts';
import { HOSTILE } from './tokens.ts';

const TIMES = 10_000;

/** This is a value inside of an object or an array. */
interface Spot {
  readonly holder: object;
  readonly key: string;
}

function spotsIn(value: unknown, found: Spot[] = []): Spot[] {
  if (value === null || typeof value !== 'object') return found;
  for (const [key, inner] of Object.entries(value)) {
    found.push({ holder: value, key });
    spotsIn(inner, found);
  }
  return found;
}

/** Returns the value at the spot of a document that has been changed, which may be gone. */
const valueAt = ({ holder, key }: Spot): unknown => Reflect.get(holder, key);

export const changeJson: Mutator = ({ bytes, other }, random) => {
  const [root, foreign] = [parsed(bytes), parsed(other)];
  const spots = spotsIn(root);
  if (spots.length === 0) return bytes;
  const spot = random.pick(spots);
  const values = [...spots, ...spotsIn(foreign)];
  Reflect.set(spot.holder, spot.key, changed(valueAt(spot), values, random));
  return Buffer.from(JSON.stringify(root));
};

function changed(value: unknown, others: readonly Spot[], random: Random): unknown {
  const change = random.pick(['other', 'scalar', 'repeat', 'nest', 'remove', 'word'] as const);
  switch (change) {
    case 'other':
      return structuredClone(valueAt(random.pick(others)));
    case 'scalar':
      return random.pick([null, true, -1, 1e308, '', [], {}, [[]], [null], { '': null }]);
    case 'repeat': {
      const size = Math.max(1, JSON.stringify(value)?.length ?? 1);
      return Array(Math.min(TIMES, Math.ceil(MOST_BYTES / size))).fill(value);
    }
    case 'nest':
      return nested(value, random);
    case 'remove':
      return undefined;
    case 'word':
      return random.pick(HOSTILE);
  }
}

function nested(value: unknown, random: Random): unknown {
  let outer = value;
  for (let left = random.pick([2, 50, 1000]); left > 0; left--) outer = [outer];
  return outer;
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
