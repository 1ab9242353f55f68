/** Writes compound files (MS-CFB, version 3), in which old Office documents and messages of Outlook are stored. */

/** A buffer is a stream, and a further tree is a storage. */
export interface CompoundTree {
  readonly [name: string]: Buffer | CompoundTree;
}

const SECTOR = 512;
const SMALL_SECTOR = 64;
const SMALLEST = 4096;
const END = 0xfffffffe;
const FREE = 0xffffffff;
const FAT = 0xfffffffd;

interface WrittenEntry {
  readonly name: string;
  readonly type: 1 | 2 | 5;
  readonly content: Buffer;
  child: number;
  right: number;
  start: number;
}

export function compoundFile(tree: CompoundTree): Buffer {
  const entries: WrittenEntry[] = [];
  const root = addEntry(entries, 'Root Entry', tree, 5);
  const small: Buffer[] = [];
  const smallTable: number[] = [];
  const sectors: Buffer[] = [];
  const table: number[] = [];
  const store = (content: Buffer): number => {
    if (content.length === 0) return END;
    const start = sectors.length;
    for (let at = 0; at < content.length; at += SECTOR) {
      sectors.push(padded(content.subarray(at, at + SECTOR), SECTOR));
      table.push(at + SECTOR < content.length ? sectors.length : END);
    }
    return start;
  };
  for (const entry of entries) {
    if (entry.type !== 2) continue;
    if (entry.content.length >= SMALLEST) entry.start = store(entry.content);
    else if (entry.content.length > 0) {
      entry.start = smallTable.length;
      for (let at = 0; at < entry.content.length; at += SMALL_SECTOR) {
        small.push(padded(entry.content.subarray(at, at + SMALL_SECTOR), SMALL_SECTOR));
        smallTable.push(at + SMALL_SECTOR < entry.content.length ? small.length : END);
      }
    }
  }
  const smallContent = Buffer.concat(small);
  root.start = store(smallContent);
  const smallFat = store(numbers(smallTable));
  const directory = store(
    Buffer.concat(entries.map((entry) => entryBytes(entry, smallContent.length))),
  );
  let fatSectors = 1;
  while (fatSectors * (SECTOR / 4) < sectors.length + fatSectors) fatSectors++;
  const fatStart = sectors.length;
  const fat = numbers([...table, ...Array<number>(fatSectors).fill(FAT)]);
  return Buffer.concat([
    header({
      directory,
      smallFat,
      smallFatSectors: Math.ceil(smallTable.length / 128),
      fatStart,
      fatSectors,
    }),
    ...sectors,
    padded(fat, fatSectors * SECTOR, 0xff),
  ]);
}

function addEntry(
  entries: WrittenEntry[],
  name: string,
  content: Buffer | CompoundTree,
  type: 1 | 2 | 5,
): WrittenEntry {
  const isStream = Buffer.isBuffer(content);
  const entry: WrittenEntry = {
    name,
    type,
    content: isStream ? content : Buffer.alloc(0),
    child: FREE,
    right: FREE,
    start: END,
  };
  entries.push(entry);
  if (isStream) return entry;
  let last: WrittenEntry | null = null;
  for (const [inner, innerContent] of Object.entries(content)) {
    const number = entries.length;
    const added = addEntry(entries, inner, innerContent, Buffer.isBuffer(innerContent) ? 2 : 1);
    if (last) last.right = number;
    else entry.child = number;
    last = added;
  }
  return entry;
}

function entryBytes(
  { name, type, content, child, right, start }: WrittenEntry,
  smallBytes: number,
): Buffer {
  const bytes = Buffer.alloc(128);
  bytes.write(name, 0, 'utf16le');
  bytes.writeUInt16LE(2 * name.length + 2, 64);
  bytes[66] = type;
  bytes.writeUInt32LE(FREE, 68);
  bytes.writeUInt32LE(right, 72);
  bytes.writeUInt32LE(child, 76);
  bytes.writeUInt32LE(start, 116);
  bytes.writeUInt32LE(type === 5 ? smallBytes : content.length, 120);
  return bytes;
}

interface Layout {
  readonly directory: number;
  readonly smallFat: number;
  readonly smallFatSectors: number;
  readonly fatStart: number;
  readonly fatSectors: number;
}

function header({ directory, smallFat, smallFatSectors, fatStart, fatSectors }: Layout): Buffer {
  const bytes = Buffer.alloc(SECTOR, 0xff);
  bytes.fill(0, 8, 76);
  bytes.write('d0cf11e0a1b11ae1', 0, 'hex');
  bytes.writeUInt16LE(0x3e, 24);
  bytes.writeUInt16LE(3, 26);
  bytes.writeUInt16LE(0xfffe, 28);
  bytes.writeUInt16LE(9, 30);
  bytes.writeUInt16LE(6, 32);
  bytes.writeUInt32LE(fatSectors, 44);
  bytes.writeUInt32LE(directory, 48);
  bytes.writeUInt32LE(SMALLEST, 56);
  bytes.writeUInt32LE(smallFat, 60);
  bytes.writeUInt32LE(smallFatSectors, 64);
  bytes.writeUInt32LE(END, 68);
  for (let i = 0; i < fatSectors; i++) bytes.writeUInt32LE(fatStart + i, 76 + 4 * i);
  return bytes;
}

const padded = (bytes: Buffer, size: number, fill = 0): Buffer =>
  Buffer.concat([bytes, Buffer.alloc(Math.max(0, size - bytes.length), fill)]);

function numbers(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, 4 * index);
  return bytes;
}
