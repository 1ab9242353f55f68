/**
 * Reads a file that is packed with gzip. A tar archive in it is read like one that is not packed; any other file becomes
 * the content of the document itself, so that `log.gz` is found like `log`.
 */

import { gunzipped } from '../archive/gunzip.ts';
import { leftOutByName } from '../archive/members.ts';
import { createStreamReader } from '../archive/stream-reader.ts';
import type { Convert } from '../convert.ts';
import { decide, HEAD_BYTES } from '../decide.ts';
import { largestBytesOf, reasonInside, tooLargeOf } from '../kinds.ts';
import { convertTar } from './tar.ts';

export const convert: Convert = async (bytes, container) => {
  const { optional } = container;
  const head = await begin(bytes, HEAD_BYTES);
  if (isTar(head, container.name)) return convertTar(gunzipped(bytes), container);
  const name = container.name.replace(/\.gz$/i, '');
  const omission = leftOutByName(name) ?? reasonInside(name);
  if (omission) return omission;
  const decided = decide({ name, size: head.length, head }, optional);
  if (!('kind' in decided)) return decided;
  const most = largestBytesOf(decided.kind, optional);
  const packed = await begin(bytes, most + 1);
  return packed.length > most ? tooLargeOf(decided.kind, optional) : container.readAs(name, packed);
};

/** Returns this many unpacked bytes, or fewer when these are all. */
async function begin(bytes: Uint8Array, length: number): Promise<Uint8Array> {
  await using reader = createStreamReader(gunzipped(bytes));
  return await reader.take(length);
}

/** The mark of a tar archive stands at the end of its first header. Archives of old programs have no mark. */
const isTar = (head: Uint8Array, name: string): boolean =>
  /\.(?:tar\.gz|tgz)$/i.test(name) ||
  Buffer.from(head.subarray(257, 262)).toString('latin1') === 'ustar';
