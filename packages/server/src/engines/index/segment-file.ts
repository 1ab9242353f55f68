/**
 * The form of a segment, which is a file with the copy of a collection in memory.
 *
 * The columns of the copy lie one after the other, as they are in memory. Behind them is the footer, as JSON, with the length
 * and the checksum (CRC-32) of each column; then the length and the checksum of the footer, with four bytes each, and MAGIC.
 * A file that was not written to its end has no footer, and one whose bytes have changed has another checksum.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { endianness } from 'node:os';
import { crc32 } from 'node:zlib';
import { z } from 'zod';

/** The last character changes with the form of the file and with what its columns mean. */
const MAGIC = Buffer.from('QSEGMEN1');
const TAIL = 8 + MAGIC.length;
const LONGEST_FOOTER = 2 ** 20;
/** Pieces of this many bytes are read, checked and written, so that searches of the same thread can run in between. */
const PIECE = 2 ** 21;

const Footer = z.object({
  /** The columns have numbers in the byte order of the machine. */
  endianness: z.enum(['LE', 'BE']),
  facts: z.unknown(),
  columns: z.array(z.object({ name: z.string(), bytes: z.int().min(0), checksum: z.int() })),
});

/** The bytes of the columns, by name. The views are valid until the copy changes. */
export type SegmentColumns = Readonly<Record<string, Uint8Array>>;

/** These are a part of what a stored copy has of the lists of words; the rest are columns. */
export interface PostingFacts {
  readonly factor: number;
  readonly places: number;
  readonly taken: number;
  readonly used: number;
}

/**
 * Writes a segment. `columns` is called before each piece, and returns undefined when the copy is another one by now; then
 * the rest is not written, and the result is false.
 */
export async function writeSegment(
  path: string,
  facts: unknown,
  columns: () => SegmentColumns | undefined,
): Promise<boolean> {
  const file = await open(path, 'wx', 0o600);
  try {
    const written: z.infer<typeof Footer>['columns'] = [];
    for (const name of Object.keys(columns() ?? {})) {
      let checksum = 0;
      let at = 0;
      for (;;) {
        const column = columns()?.[name];
        if (!column) return false;
        // The piece is copied, because the memory may grow, and so move, while it is written.
        const piece = Buffer.from(column.subarray(at, at + PIECE));
        if (piece.length === 0) break;
        await writeAll(file, piece);
        checksum = crc32(piece, checksum);
        at += piece.length;
      }
      written.push({ name, bytes: at, checksum });
    }
    if (!columns()) return false;
    const footer = Buffer.from(
      JSON.stringify({ endianness: endianness(), facts, columns: written }),
    );
    const sizes = Buffer.alloc(8);
    sizes.writeUInt32LE(footer.length, 0);
    sizes.writeUInt32LE(crc32(footer), 4);
    await writeAll(file, Buffer.concat([footer, sizes, MAGIC]));
    return true;
  } finally {
    await file.close();
  }
}

async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; )
    at += (await file.write(bytes, at, bytes.length - at)).bytesWritten;
}

/**
 * Reads a segment. `room` gets what was given to `writeSegment` as facts, and returns the memory of the columns, or undefined
 * when the segment is not the wanted one. Returns whether the memory was filled; if not, it must not be used.
 */
export async function readSegment(
  path: string,
  room: (facts: unknown) => SegmentColumns | undefined,
): Promise<boolean> {
  const file = await openIfThere(path);
  if (!file) return false;
  try {
    const footer = await readFooter(file);
    const columns = footer && room(footer.facts);
    if (!columns || footer.columns.length !== Object.keys(columns).length) return false;
    let from = 0;
    for (const { name, bytes, checksum } of footer.columns) {
      const column = columns[name];
      if (column?.length !== bytes) return false;
      if ((await readColumn(file, from, column)) !== checksum) return false;
      from += bytes;
    }
    return true;
  } finally {
    await file.close();
  }
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function readFooter(file: FileHandle): Promise<z.infer<typeof Footer> | undefined> {
  const { size } = await file.stat();
  const tail = Buffer.alloc(TAIL);
  if (size < TAIL || (await readColumn(file, size - TAIL, tail)) === undefined) return undefined;
  const length = tail.readUInt32LE(0);
  // The end of a file that was cut may be anything.
  if (!tail.subarray(8).equals(MAGIC) || length > Math.min(LONGEST_FOOTER, size - TAIL))
    return undefined;
  const footer = Buffer.alloc(length);
  const checksum = await readColumn(file, size - TAIL - length, footer);
  if (checksum !== tail.readUInt32LE(4)) return undefined;
  const { data: read } = Footer.safeParse(JSON.parse(footer.toString()));
  if (read?.endianness !== endianness()) return undefined;
  const bytes = read.columns.reduce((sum, column) => sum + column.bytes, 0);
  return bytes === size - TAIL - footer.length ? read : undefined;
}

/** Fills the memory from this place of the file, and returns the checksum; undefined means that the file has ended. */
async function readColumn(
  file: FileHandle,
  from: number,
  column: Uint8Array,
): Promise<number | undefined> {
  let checksum = 0;
  for (let at = 0; at < column.length; ) {
    const length = Math.min(PIECE, column.length - at);
    const { bytesRead } = await file.read(column, at, length, from + at);
    if (bytesRead === 0) return undefined;
    checksum = crc32(column.subarray(at, at + bytesRead), checksum);
    at += bytesRead;
  }
  return checksum;
}
