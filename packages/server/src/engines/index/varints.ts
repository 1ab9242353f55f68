/** Writes numbers of up to 31 bits with seven bits in a byte, the lowest bits first; the last byte is below 128. */

/** Writes the number at this place, and returns the place behind it. */
export function writeNumber(bytes: Uint8Array, at: number, number: number): number {
  let to = at;
  let rest = number;
  for (; rest > 127; rest >>= 7) bytes[to++] = (rest & 127) | 128;
  bytes[to++] = rest;
  return to;
}

export function readNumber(bytes: Uint8Array, at: number): number {
  let number = 0;
  for (let i = at, shift = 0; ; i++, shift += 7) {
    const byte = bytes[i]!;
    number |= (byte & 127) << shift;
    if (byte < 128) return number;
  }
}

/** Returns how many bytes the number takes. */
export function bytesOf(number: number): number {
  let bytes = 1;
  for (let rest = number; rest > 127; rest >>= 7) bytes++;
  return bytes;
}
