/** Reads the records of binary slides of PowerPoint (MS-PPT, section 2.3). */

export interface PptRecord {
  readonly type: number;
  /** Its meaning depends on the type. */
  readonly instance: number;
  /** These are the bytes behind the head of the record. */
  readonly content: Buffer;
  /** This is the offset of its head in the stream. */
  readonly offset: number;
  /** The records inside of it are those before this offset. A broken file may name one outside of the stream. */
  readonly end: number;
}

const HEAD_BYTES = 8;
/** A record of this version contains records. */
const CONTAINER = 0xf;

/**
 * Yields the record at the offset, and all records that are inside of it, in the order in which they stand. A record that
 * contains others comes before them.
 */
export function* recordsAt(stream: Buffer, offset: number): Generator<PptRecord> {
  let end = offset + HEAD_BYTES;
  for (let at = offset; at >= 0 && at + HEAD_BYTES <= Math.min(end, stream.length); ) {
    const head = stream.readUInt16LE(at);
    const next = at + HEAD_BYTES + stream.readUInt32LE(at + 4);
    if (at === offset) end = next;
    const content = stream.subarray(at + HEAD_BYTES, Math.min(next, end));
    const type = stream.readUInt16LE(at + 2);
    yield { type, instance: head >>> 4, content, offset: at, end: next };
    at = (head & 0xf) === CONTAINER ? at + HEAD_BYTES : next;
  }
}

/** Returns the number at an offset of the content, or null when the content is too short. */
export const numberAt = ({ content }: PptRecord, offset: number): number | null =>
  offset + 4 <= content.length ? content.readUInt32LE(offset) : null;
