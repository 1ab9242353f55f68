/**
 * This file has the format of the messages between a limited process and its parent. Requests go to the standard input
 * of the process, answers to its file descriptor 3. A message is the length of its JSON (4 bytes, big-endian) and then
 * the JSON in UTF-8. A request may be followed by bytes. The channel of `fork` is not used: code in the process could
 * write something there that is not JSON, and then Node would throw an error in the parent that nothing can catch.
 */
import type { Readable } from 'node:stream';

export const ANSWERS_FD = 3;

/** A process may send this message before its answer, to say that it is still working. */
export const PROGRESS = { isWorking: true } as const;

const LENGTH_BYTES = 4;
const NOTHING = Buffer.alloc(0);
const { parse, stringify } = JSON;

/** The received bytes are not a message. */
class InvalidMessage extends Error {
  override readonly name = 'InvalidMessage';
}

export function frame(message: object): Buffer {
  const json = stringify(message);
  const length = Buffer.byteLength(json);
  const bytes = Buffer.allocUnsafe(LENGTH_BYTES + length);
  bytes.writeUInt32BE(length);
  bytes.write(json, LENGTH_BYTES);
  return bytes;
}

export type Incoming = ReturnType<typeof incoming>;

/** Reads bytes and messages from a stream. Both functions return null when the stream ends too early. */
export function incoming(stream: Readable) {
  const blocks: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]();
  let block: Buffer = NOTHING;

  async function bytes(size: number): Promise<Buffer | null> {
    const all = Buffer.allocUnsafe(size);
    for (let at = 0; at < size; ) {
      if (block.length === 0) {
        const next = await blocks.next();
        if (next.done) return null;
        block = next.value;
      }
      const copied = block.copy(all, at);
      at += copied;
      block = block.subarray(copied);
    }
    return all;
  }

  return {
    bytes,

    /** Reads one message. Throws InvalidMessage when the message is longer than `maxBytes` or is not JSON. */
    async message(maxBytes: number): Promise<unknown> {
      const length = (await bytes(LENGTH_BYTES))?.readUInt32BE();
      if (length === undefined) return null;
      if (length > maxBytes) throw new InvalidMessage(`a message of ${length} bytes`);
      const json = await bytes(length);
      if (!json) return null;
      try {
        return parse(json.toString());
      } catch (cause) {
        throw new InvalidMessage('a message that is not JSON', { cause });
      }
    },
  };
}
