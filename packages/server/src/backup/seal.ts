/**
 * The end of a backup is the SHA-256 of all bytes before it, so that a file that was cut or changed anywhere is noticed. It is
 * a frame that programs for zstd skip (RFC 8878, 3.1.2).
 */
import { createHash, type Hash } from 'node:crypto';

const SKIPPED_FRAME = 0x184d2a5b;
const DIGEST_BYTES = 32;
export const SEAL_BYTES = 8 + DIGEST_BYTES;

export async function* withSeal(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
  yield sealOf(hash);
}

/** Returns the last bytes of a file whose other bytes went into the hash. */
export function sealOf(hash: Hash): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(SKIPPED_FRAME, 0);
  head.writeUInt32LE(DIGEST_BYTES, 4);
  return Buffer.concat([head, hash.digest()]);
}

export const looksLikeSeal = (bytes: Buffer): boolean =>
  bytes.length === SEAL_BYTES &&
  bytes.readUInt32LE(0) === SKIPPED_FRAME &&
  bytes.readUInt32LE(4) === DIGEST_BYTES;
