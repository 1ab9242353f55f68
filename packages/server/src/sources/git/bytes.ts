/** Reads lines and pieces of known length from a stream of bytes. */
import type { Readable } from 'node:stream';

const MAX_LINE = 64 * 1024;
const NEWLINE = 10;

export interface ByteReader {
  /** Returns a line without its end. Throws when the stream ends before, or the line is too long. */
  line(): Promise<string>;
  /** Yields exactly this many bytes. Throws when the stream ends before. */
  pieces(length: number): AsyncGenerator<Buffer, void, void>;
}

export function byteReader(stream: Readable): ByteReader {
  const source = stream[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);

  async function more(): Promise<Buffer> {
    const { value, done } = await source.next();
    if (done) throw new Error('the stream has ended too early');
    return value as Buffer;
  }

  return {
    async line() {
      for (;;) {
        const end = rest.indexOf(NEWLINE);
        if (end >= 0) {
          const line = rest.toString('latin1', 0, end);
          rest = rest.subarray(end + 1);
          return line;
        }
        if (rest.length > MAX_LINE) throw new Error('a line is too long');
        rest = Buffer.concat([rest, await more()]);
      }
    },
    async *pieces(length) {
      let left = length;
      while (left > 0) {
        if (rest.length === 0) rest = await more();
        const piece = rest.subarray(0, left);
        rest = rest.subarray(piece.length);
        left -= piece.length;
        yield piece;
      }
    },
  };
}
