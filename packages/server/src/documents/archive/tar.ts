/**
 * Reads the files of a tar archive from a stream: ustar and pax (POSIX.1-2024, `pax`), and the long names and large
 * numbers of GNU tar (its manual, "Basic Tar Format").
 */
import { brokenArchiveOf, unreadableMember } from './archive-errors.ts';
import { decodeName } from './file-names.ts';
import type { ArchiveMember } from './members.ts';
import { createStreamReader, type StreamReader } from './stream-reader.ts';

const BLOCK = 512;
/** Records with attributes and long names have a few hundred bytes. */
const LONGEST_RECORD = 1024 * 1024;

const FILES: ReadonlySet<string> = new Set(['0', '\0', '7', 'S']);
/** Links, devices, folders and pipes have no content, whatever size their headers have. */
const WITHOUT_CONTENT: ReadonlySet<string> = new Set(['1', '2', '3', '4', '5', '6']);
const LONG_NAME = 'L';
const LONG_LINK = 'K';
const ATTRIBUTES = 'x';
const ATTRIBUTES_OF_ALL = 'g';
const SPARSE = 'S';

interface TarHeader {
  readonly path: string;
  readonly size: number;
  readonly type: string;
  /** If true, a map of the holes of a sparse file follows. */
  readonly isContinued: boolean;
}

/** These values replace those of the header that follows. */
interface Replaced {
  path?: string;
  size?: number;
  isSparse?: boolean;
}

/** Yields the files, without folders and links. Throws a SourceError 'skip' for a broken archive. */
export async function* tarMembers(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<ArchiveMember> {
  await using reader = createStreamReader(chunks);
  let replaced: Replaced = {};
  for (let isFirst = true; ; isFirst = false) {
    const header = headerOf(await reader.take(BLOCK), isFirst);
    if (header === null) return;
    if (isRecord(header)) {
      const record = await content(reader, header.size);
      if (header.type === LONG_NAME) replaced.path = nameOf(record);
      if (header.type === ATTRIBUTES) replaced = { ...replaced, ...attributesOf(record) };
      continue;
    }
    await skipMap(reader, header);
    const { path = header.path, isSparse = header.type === SPARSE } = replaced;
    const size = WITHOUT_CONTENT.has(header.type) ? 0 : (replaced.size ?? header.size);
    replaced = {};
    let isRead = false;
    if (FILES.has(header.type) && !path.endsWith('/'))
      yield {
        path,
        size,
        packed: size,
        async read() {
          if (isSparse) throw unreadableMember('sparse');
          isRead = true;
          return content(reader, size);
        },
      };
    if (!isRead) await skipContent(reader, size);
  }
}

function isRecord({ type, size }: TarHeader): boolean {
  const isOne = [LONG_NAME, LONG_LINK, ATTRIBUTES, ATTRIBUTES_OF_ALL].includes(type);
  if (isOne && size > LONGEST_RECORD) throw brokenArchiveOf('tar');
  return isOne;
}

/** Returns null at the end of the archive, which is a block of zeros or the end of the file. */
function headerOf(block: Uint8Array, isFirst: boolean): TarHeader | null {
  if (block.length === 0 && !isFirst) return null;
  if (block.length < BLOCK) throw brokenArchiveOf('tar');
  if (block.every((byte) => byte === 0)) return null;
  if (numberAt(block, 148, 8) !== checksum(block)) throw brokenArchiveOf('tar');
  const name = nameOf(block.subarray(0, 100));
  // In the form of GNU tar, whose mark ends with blanks, other values stand in the place of the prefix.
  const prefix = textAt(block, 257, 6) === 'ustar\0' ? nameOf(block.subarray(345, 500)) : '';
  return {
    path: prefix === '' ? name : `${prefix}/${name}`,
    size: numberAt(block, 124, 12),
    type: textAt(block, 156, 1),
    isContinued: block[482] === 1,
  };
}

/** The checksum is the sum of all bytes of the header, in which the checksum itself counts as blanks. */
function checksum(block: Uint8Array): number {
  let sum = 8 * 32;
  for (let i = 0; i < BLOCK; i++) if (i < 148 || i >= 156) sum += block[i]!;
  return sum;
}

const textAt = (block: Uint8Array, at: number, length: number): string =>
  Buffer.from(block.subarray(at, at + length)).toString('latin1');

/** A name ends with a zero, or where its field ends. */
function nameOf(field: Uint8Array): string {
  const end = field.indexOf(0);
  return decodeName(end === -1 ? field : field.subarray(0, end), 'windows-1252');
}

/** Numbers are octal digits. GNU tar writes larger ones in base 256, and marks them in the first bit. */
function numberAt(block: Uint8Array, at: number, length: number): number {
  const field = block.subarray(at, at + length);
  if ((field[0]! & 0x80) !== 0) {
    const value =
      BigInt(`0x${Buffer.from(field).toString('hex')}`) - (0x80n << BigInt(8 * length - 8));
    // A negative number has the other bits of the first byte set, so it is too large here.
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw brokenArchiveOf('tar');
    return Number(value);
  }
  const digits = textAt(field, 0, length).replaceAll(/[\0 ]/g, '');
  if (!/^[0-7]*$/.test(digits)) throw brokenArchiveOf('tar');
  return digits === '' ? 0 : Number.parseInt(digits, 8);
}

/** Each attribute is a line `<length> <key>=<value>`, whose length counts the whole line in bytes. */
function attributesOf(record: Uint8Array): Replaced {
  const found: Replaced = {};
  for (let at = 0; at < record.length; ) {
    const space = record.indexOf(32, at);
    const length = space === -1 ? '' : textAt(record, at, space - at);
    // The lines of a hostile record would overlap if its lengths could be padded with zeros.
    if (!/^[1-9]\d{0,6}$/.test(length)) throw brokenArchiveOf('tar');
    const end = at + Number(length);
    const [, key = '', value = ''] =
      /^([^=]*)=([\s\S]*)\n$/.exec(decodeName(record.subarray(space + 1, end), 'windows-1252')) ??
      [];
    at = end;
    if (key === 'path' || key === 'GNU.sparse.name') found.path = value;
    if (key === 'size') found.size = sizeOf(value);
    if (key.startsWith('GNU.sparse.')) found.isSparse = true;
  }
  return found;
}

function sizeOf(value: string): number {
  const size = Number(value);
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(size)) throw brokenArchiveOf('tar');
  return size;
}

async function skipMap(reader: StreamReader, { type, isContinued }: TarHeader): Promise<void> {
  let isOpen = type === SPARSE && isContinued;
  while (isOpen) isOpen = (await reader.take(BLOCK))[504] === 1;
}

async function content(reader: StreamReader, size: number): Promise<Uint8Array> {
  const bytes = await reader.take(size);
  if (bytes.length < size) throw brokenArchiveOf('tar');
  await reader.skip(padding(size));
  return bytes;
}

async function skipContent(reader: StreamReader, size: number): Promise<void> {
  if ((await reader.skip(size)) < size) throw brokenArchiveOf('tar');
  await reader.skip(padding(size));
}

const padding = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;
