/** Reads a file. An error of the file system becomes a SourceError about this file (`file-error.ts`). */
import { type BigIntStats, constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { fileError } from './file-error.ts';

export interface OpenFile extends AsyncDisposable {
  stat(): Promise<BigIntStats>;
  /** Fills `bytes` with what stands at this position, and returns how many bytes these were: 0 at the end. */
  read(bytes: Uint8Array, position: number): Promise<number>;
  /** Yields the whole content. It can be called again. */
  blocks(): AsyncIterable<Uint8Array>;
}

/** Opens a file without waiting, even when it is a pipe. */
export async function openFile(path: string): Promise<OpenFile> {
  const handle = await aboutFile(open(path, constants.O_RDONLY | constants.O_NONBLOCK));
  return {
    stat: () => aboutFile(handle.stat({ bigint: true })),
    async read(bytes, position) {
      const { bytesRead } = await aboutFile(handle.read(bytes, 0, bytes.length, position));
      return bytesRead;
    },
    async *blocks() {
      try {
        yield* handle.createReadStream({ start: 0, autoClose: false });
      } catch (error) {
        throw fileError(error, WHAT);
      }
    },
    [Symbol.asyncDispose]: () => aboutFile(handle.close()),
  };
}

const WHAT = 'the file';

async function aboutFile<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw fileError(error, WHAT);
  }
}
