/** Writes archives byte by byte, so that a test can make any field of them wrong. */
import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipPart {
  readonly name: string | Uint8Array;
  readonly content?: Uint8Array | string;
  readonly flags?: number;
  readonly method?: number;
  /** This is the mode of Unix, such as 0o120777 for a link. */
  readonly mode?: number;
  /** This is the number of the system on which the entry was made: 3 for Unix, 19 for macOS. */
  readonly system?: number;
  readonly extra?: Uint8Array;
  /** These replace what the directory says. */
  readonly declared?: {
    readonly size?: number;
    readonly packed?: number;
    readonly crc?: number;
    readonly start?: number;
  };
}

const bytesOf = (content: string | Uint8Array): Buffer =>
  typeof content === 'string' ? Buffer.from(content) : Buffer.from(content);

export function zipFile(parts: readonly ZipPart[]): Buffer {
  const contents: Buffer[] = [];
  const entries: Buffer[] = [];
  let start = 0;
  for (const part of parts) {
    const {
      flags = 0,
      method = 8,
      mode = 0,
      system = mode === 0 ? 0 : 3,
      extra = new Uint8Array(),
      declared = {},
    } = part;
    const content = bytesOf(part.content ?? '');
    const packed = method === 8 ? deflateRawSync(content) : content;
    const name = bytesOf(part.name);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(name.length, 26);
    contents.push(local, name, packed);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt8(system, 5);
    entry.writeUInt16LE(flags, 8);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(declared.crc ?? crc32(content), 16);
    entry.writeUInt32LE(declared.packed ?? packed.length, 20);
    entry.writeUInt32LE(declared.size ?? content.length, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt16LE(extra.length, 30);
    entry.writeUInt32LE((mode << 16) >>> 0, 38);
    entry.writeUInt32LE(declared.start ?? start, 42);
    entries.push(entry, name, Buffer.from(extra));
    start += 30 + name.length + packed.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(start, 16);
  return Buffer.concat([...contents, directory, end]);
}

export interface TarPart {
  readonly name: string;
  readonly content?: string | Uint8Array;
  readonly type?: string;
  /** This replaces the twelve bytes of the size. */
  readonly size?: string | Uint8Array;
  readonly prefix?: string;
}

export function tarPart({ name, content = '', type = '0', size, prefix = '' }: TarPart): Buffer {
  const bytes = bytesOf(content);
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write('0000644\0', 100);
  Buffer.from(size ?? `${bytes.length.toString(8).padStart(11, '0')}\0`).copy(header, 124);
  header.write(type, 156);
  header.write('ustar\x0000', 257);
  header.write(prefix, 345);
  withChecksum(header);
  return Buffer.concat([header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
}

/** Writes the checksum into the header with which a tar archive begins. */
export function withChecksum(tar: Buffer): void {
  tar.fill(' ', 148, 156);
  const sum = tar.subarray(0, 512).reduce((all, byte) => all + byte, 0);
  tar.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
}

export const tarFile = (parts: readonly TarPart[]): Buffer =>
  Buffer.concat([...parts.map(tarPart), Buffer.alloc(1024)]);

/** Writes an attribute of pax; its length counts itself. */
export function paxAttribute(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  if (String(length).length > String(rest).length) length = rest + String(length).length;
  return `${length} ${key}=${value}\n`;
}
