/**
 * Joins many small arrays into one array of bytes, so that a statement has one parameter for all of them. `at` and
 * `length` are in bytes; `at` counts from 1.
 */
export function joined(arrays: readonly (Int8Array | Uint32Array)[]) {
  const bytes = new Uint8Array(arrays.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let end = 0;
  const parts = arrays.map(({ buffer, byteOffset, byteLength }) => {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), end);
    end += byteLength;
    return { at: 1 + end - byteLength, length: byteLength };
  });
  return { bytes, parts };
}
