/** Packs the JSON of a push, which is stored until its job has ended. */
import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';

const FAST = { level: 1 };
/** A smaller text is packed in less time than another thread takes to begin with it. */
const SMALL = 32 * 1024;

export const packPush = async (json: string): Promise<Uint8Array> =>
  json.length < SMALL ? gzipSync(json, FAST) : promisify(gzip)(json, FAST);
