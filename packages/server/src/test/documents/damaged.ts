/** Damages files at random, in the same way at each run. */

/** Yields copies of the file with some bytes changed, moved or cut off. */
export function* damaged(file: Uint8Array, copies: number): Generator<Buffer> {
  let seed = 1;
  const next = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed % Math.max(1, below);
  };
  const numbers = [0, 1, 0x10000, 0x7fffffff, 0xfffffffe, 0xffffffff];
  for (let copy = 0; copy < copies; copy++) {
    const bytes = Buffer.from(file);
    for (let i = next(8); i >= 0; i--) {
      const at = next(bytes.length - 4);
      const way = next(4);
      if (way === 0) bytes[at] = next(256);
      else if (way === 1) bytes.writeUInt32LE(numbers[next(numbers.length)] ?? 0, at);
      else if (way === 2) bytes.fill(next(256), at, at + next(64));
      else bytes.copyWithin(at, next(bytes.length), next(bytes.length));
    }
    yield next(5) === 0 ? bytes.subarray(0, next(bytes.length)) : bytes;
  }
}
