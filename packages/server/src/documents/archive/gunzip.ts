/** Unpacks gzip (RFC 1952) as a stream, so that the result need not fit into memory. */
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { brokenArchiveOf, tooDense, tooDenseArchive } from './archive-errors.ts';

const BLOCK_BYTES = 64 * 1024;

/**
 * Yields the unpacked bytes of all members. Zeros behind the last member are padding. Throws a SourceError 'skip' for
 * broken content, for other bytes behind the last member, and when it unpacks to suspiciously many bytes.
 */
export async function* gunzipped(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) throw brokenArchiveOf('gzip');
  let size = 0;
  const stream = Readable.from(blocksOf(bytes), { objectMode: false }).pipe(
    createGunzip({ chunkSize: BLOCK_BYTES }),
  );
  try {
    for await (const chunk of stream) {
      size += chunk.length;
      if (tooDense(size, bytes.length)) throw tooDenseArchive();
      yield chunk;
    }
  } catch (error) {
    throw isZlibError(error) ? brokenArchiveOf('gzip', error) : error;
  }
}

function* blocksOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) yield bytes.subarray(at, at + BLOCK_BYTES);
}

const isZlibError = (error: unknown): error is Error & { readonly code: string } =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
