/**
 * Reads compound files (MS-CFB), the file system inside of old Office documents and messages of Outlook. The library that
 * exists (cfb) reads all streams at once and trusts their sizes, so this reader gives single streams, each to no more than
 * the bytes that the file has, and follows no chain in a circle.
 */
import { SourceError } from '../../errors.ts';
import { isCompoundFile } from './signature.ts';

const HEADER_BYTES = 512;
const ENTRY_BYTES = 128;
const MAX_ENTRIES = 200_000;
/** A sector number from here on stands for none. */
const LAST_SECTOR = 0xfffffffa;
const NO_ENTRY = 0xffffffff;
const FIRST_DIFAT = 109;

export interface CompoundStorage {
  /** These are the streams and storages in it, by their names in upper case. */
  readonly streams: ReadonlyMap<string, CompoundStream>;
  readonly storages: ReadonlyMap<string, CompoundStorage>;
}

interface CompoundStream {
  readonly size: number;
  read(): Buffer;
}

interface DirectoryEntry {
  readonly name: string;
  /** 1 is a storage, 2 is a stream and 5 is the root. */
  readonly type: number;
  readonly left: number;
  readonly right: number;
  readonly child: number;
  readonly start: number;
  readonly size: number;
}

/** Throws a SourceError 'skip' for a file that is not a compound file. */
export function readCompound(bytes: Uint8Array): CompoundStorage {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (all.length < HEADER_BYTES || !isCompoundFile(all)) throw brokenCompound();
  const sectors = sectorsOf(all);
  const directory = sectors.chain(all.readUInt32LE(48), all.length);
  const entries = entriesIn(directory);
  const [root] = entries;
  if (root?.type !== 5) throw brokenCompound();
  const small = smallStreams(all, sectors, root);
  const smallest = all.readUInt32LE(56);
  const read = ({ start, size }: DirectoryEntry) =>
    size < smallest ? small(start, size) : sectors.chain(start, size).subarray(0, size);
  return storageOf(entries, read);
}

/** A protected document of a newer format is a stream of a compound file (MS-OFFCRYPTO, section 2.3.4.4). */
export const isEncryptedPackage = ({ streams }: CompoundStorage): boolean =>
  streams.has('ENCRYPTEDPACKAGE');

const brokenCompound = (): SourceError =>
  new SourceError('skip', 'the file is broken or is not an Office document', {
    hint: 'Open it in the program that has made it, and save it again.',
  });

interface Sectors {
  /** Returns the sectors of a chain, until they have `most` bytes. */
  chain(start: number, most: number): Buffer;
}

function sectorsOf(all: Buffer): Sectors {
  const shift = all.readUInt16LE(30);
  if (shift !== 9 && shift !== 12) throw brokenCompound();
  const size = 1 << shift;
  const sector = (number: number): Buffer => {
    const at = (number + 1) * size;
    return all.subarray(at, at + size);
  };
  const table = tableOf(all, size, sector);
  return { chain: (start, most) => joined(table, start, { most, size, sector }) };
}

interface SectorChain {
  readonly most: number;
  readonly size: number;
  readonly sector: (number: number) => Buffer;
}

/** A chain has no more sectors than the table, so that a circle ends. */
function joined(table: Uint32Array, start: number, { most, size, sector }: SectorChain): Buffer {
  const found: Buffer[] = [];
  const limit = Math.min(Math.ceil(most / size), table.length);
  for (let number = start; number < LAST_SECTOR && found.length < limit; ) {
    const next = table[number];
    if (next === undefined) break;
    found.push(sector(number));
    number = next;
  }
  return Buffer.concat(found);
}

/** Returns the number of the sector that follows each one (FAT). */
function tableOf(all: Buffer, size: number, sector: (number: number) => Buffer): Uint32Array {
  const numbers: number[] = [];
  const perSector = size / 4;
  const most = Math.ceil(all.length / size / perSector) + 1;
  const take = (source: Buffer, count: number) => {
    for (let i = 0; i < count && 4 * i + 4 <= source.length; i++) {
      const number = source.readUInt32LE(4 * i);
      if (number < LAST_SECTOR && numbers.length < most) numbers.push(number);
    }
  };
  take(all.subarray(76, HEADER_BYTES), FIRST_DIFAT);
  let next = all.readUInt32LE(68);
  for (let i = 0; i < most && next < LAST_SECTOR; i++) {
    const more = sector(next);
    take(more, perSector - 1);
    next = more.length === size ? more.readUInt32LE(size - 4) : LAST_SECTOR;
  }
  return numbersIn(Buffer.concat(numbers.map(sector)));
}

function numbersIn(bytes: Buffer): Uint32Array {
  const numbers = new Uint32Array(Math.floor(bytes.length / 4));
  for (let i = 0; i < numbers.length; i++) numbers[i] = bytes.readUInt32LE(4 * i);
  return numbers;
}

const SMALL_SECTOR = 64;

/** Small streams lie in sectors of their own, within the stream of the root. */
function smallStreams(all: Buffer, sectors: Sectors, root: DirectoryEntry) {
  const table = numbersIn(sectors.chain(all.readUInt32LE(60), all.length));
  const content = sectors.chain(root.start, root.size);
  const sector = (number: number) =>
    content.subarray(number * SMALL_SECTOR, (number + 1) * SMALL_SECTOR);
  return (start: number, size: number): Buffer =>
    joined(table, start, { most: size, size: SMALL_SECTOR, sector }).subarray(0, size);
}

function entriesIn(directory: Buffer): DirectoryEntry[] {
  const count = Math.min(Math.floor(directory.length / ENTRY_BYTES), MAX_ENTRIES);
  return Array.from({ length: count }, (_, index) => {
    const at = index * ENTRY_BYTES;
    const nameBytes = Math.min(Math.max(directory.readUInt16LE(at + 64) - 2, 0), 62);
    return {
      name: directory.toString('utf16le', at, at + nameBytes).toUpperCase(),
      type: directory[at + 66] ?? 0,
      left: directory.readUInt32LE(at + 68),
      right: directory.readUInt32LE(at + 72),
      child: directory.readUInt32LE(at + 76),
      start: directory.readUInt32LE(at + 116),
      size: directory.readUInt32LE(at + 120),
    };
  });
}

interface OpenStorage extends CompoundStorage {
  readonly streams: Map<string, CompoundStream>;
  readonly storages: Map<string, CompoundStorage>;
}

/** Each entry is visited once, so a tree that leads back to itself ends. */
function storageOf(
  entries: readonly DirectoryEntry[],
  read: (entry: DirectoryEntry) => Buffer,
): CompoundStorage {
  const newStorage = (): OpenStorage => ({ streams: new Map(), storages: new Map() });
  const root = newStorage();
  const seen = new Set<number>([0]);
  const waiting: [number, OpenStorage][] = [[entries[0]?.child ?? NO_ENTRY, root]];
  for (let at = waiting.pop(); at; at = waiting.pop()) {
    const [index, parent] = at;
    const entry = entries[index];
    if (!entry || seen.has(index)) continue;
    seen.add(index);
    waiting.push([entry.left, parent], [entry.right, parent]);
    if (entry.type === 2)
      parent.streams.set(entry.name, { size: entry.size, read: () => read(entry) });
    else if (entry.type === 1) {
      const storage = newStorage();
      parent.storages.set(entry.name, storage);
      waiting.push([entry.child, storage]);
    }
  }
  return root;
}
