/** Runs a converter in the process of the test. */
import assert from 'node:assert/strict';
import type { Convert, Converted, InnerDocument } from '../../documents/convert.ts';

/** Returns what the converter makes of a document that has no other documents in it. */
export async function converted(
  convert: Convert,
  bytes: Uint8Array,
  name = '',
): Promise<Converted> {
  const { inner, ...result } = await convertedAll(convert, bytes, name);
  assert.deepEqual(
    inner.map(({ path }) => path),
    [],
    'the documents inside',
  );
  return result;
}

/** Returns what the converter makes of a document, and the documents that are in it. */
export async function convertedAll(
  convert: Convert,
  bytes: Uint8Array,
  name = '',
): Promise<Converted & { readonly inner: readonly InnerDocument[] }> {
  const inner: InnerDocument[] = [];
  const result = await convert(bytes, {
    name,
    leaveOut: (part) => assert.fail(`${part} was left out`),
    add: async (one) => {
      inner.push(one);
    },
  });
  assert.ok('text' in result, `left out: ${JSON.stringify(result)}`);
  return { ...result, inner };
}
