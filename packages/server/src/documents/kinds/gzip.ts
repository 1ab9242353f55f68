/**
 * Reads a file that is packed with gzip. A tar archive in it is read like one that is not packed; any other file becomes
 * the content of the document itself, so that `log.gz` is found like `log`.
 */

import { gunzipped } from '../archive/gunzip.ts';
import { leftOutByName } from '../archive/members.ts';
import { createStreamReader } from '../archive/stream-reader.ts';
import type { Convert } from '../convert.ts';
import { largestBytes, reasonToLeaveOut, tooLargeFile } from '../kinds.ts';
import { convertTar } from './tar.ts';

const TAR_HEADER_BYTES = 512;

export const convert: Convert = async (bytes, container) => {
  if (await isTar(bytes)) return convertTar(gunzipped(bytes), container);
  const name = container.name.replace(/\.gz$/i, '');
  const omission = leftOutByName(name) ?? reasonToLeaveOut(name, 0);
  if (omission) return omission;
  const most = largestBytes(name);
  await using reader = createStreamReader(gunzipped(bytes));
  const packed = await reader.take(most + 1);
  return packed.length > most ? tooLargeFile(name) : container.readAs(name, packed);
};

/** The mark of a tar archive stands at the end of its first header. */
async function isTar(bytes: Uint8Array): Promise<boolean> {
  await using reader = createStreamReader(gunzipped(bytes));
  const header = await reader.take(TAR_HEADER_BYTES);
  return Buffer.from(header.subarray(257, 262)).toString('latin1') === 'ustar';
}
