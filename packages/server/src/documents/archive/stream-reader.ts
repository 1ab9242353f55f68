/** Reads a stream of bytes piece by piece, and holds no more of it than the piece that is asked for. */
export interface StreamReader extends AsyncDisposable {
  /** Returns the next bytes, or fewer at the end. */
  take(length: number): Promise<Uint8Array>;
  /** Returns the number of bytes that were skipped, which is smaller at the end. */
  skip(length: number): Promise<number>;
}

export function createStreamReader(chunks: AsyncIterable<Uint8Array>): StreamReader {
  const iterator = chunks[Symbol.asyncIterator]();
  let rest: Uint8Array = new Uint8Array();

  /** Calls `use` with the next bytes, up to `length` of them, and returns how many there were. */
  async function read(length: number, use: (part: Uint8Array) => void): Promise<number> {
    let done = 0;
    while (done < length) {
      if (rest.length === 0) {
        const next = await iterator.next();
        if (next.done) break;
        rest = next.value;
        continue;
      }
      const part = rest.subarray(0, length - done);
      use(part);
      done += part.length;
      rest = rest.subarray(part.length);
    }
    return done;
  }

  return {
    async take(length) {
      const parts: Uint8Array[] = [];
      await read(length, (part) => parts.push(part));
      return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    },
    skip: (length) => read(length, () => undefined),
    async [Symbol.asyncDispose]() {
      await iterator.return?.();
    },
  };
}
