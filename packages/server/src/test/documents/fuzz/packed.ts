/** Changes what is inside of archives, and what archives say about their contents. */
import { gunzipSync, gzipSync } from 'node:zlib';
import { unzipSync } from 'fflate';
import type { Random } from '../../random/random.ts';
import { type ZipPart, zipFile } from '../archive-file.ts';
import type { Mutable, Mutator } from './bytes.ts';

type Parts = readonly (readonly [name: string, content: Uint8Array])[];

/** Changes the content of parts with `within`, and sometimes their names, their number, or their entries in the directory. */
export function inZip(within: Mutator): Mutator {
  return ({ bytes, other }, random) => {
    const parts: ZipPart[] = partsOf(bytes).map(([name, content]) => ({ name, content }));
    const foreign = partsOf(other);
    if (parts.length === 0) return bytes;
    const at = random.below(parts.length);
    const part = parts[at]!;
    const content = Buffer.from(part.content as Uint8Array);
    const piece = foreign.length > 0 ? Buffer.from(random.pick(foreign)[1]) : content;
    const changed = within({ bytes: content, other: piece }, random);
    parts[at] = { ...part, content: changed };
    if (random.below(4) === 0) arrange(parts, foreign, random);
    if (random.below(6) === 0) parts[at] = lying({ ...part, content: changed }, random);
    return zipFile(parts);
  };
}

/** An earlier mutation may have broken the archive. */
function partsOf(bytes: Buffer): Parts {
  try {
    return Object.entries(unzipSync(bytes));
  } catch (error) {
    if (error instanceof Error) return [];
    throw error;
  }
}

function arrange(parts: ZipPart[], foreign: Parts, random: Random): void {
  const at = random.below(parts.length);
  const part = parts[at]!;
  const names = [
    ...parts.map(({ name }) => name),
    '',
    '../../x.html',
    '/x.txt',
    'a\0b.txt',
    '\x85',
  ];
  const change = random.pick(['delete', 'double', 'rename', 'replace', 'many'] as const);
  if (change === 'delete') parts.splice(at, 1);
  if (change === 'double') parts.push(part);
  if (change === 'rename') parts[at] = { ...part, name: random.pick(names) };
  if (change === 'replace' && foreign.length > 0)
    parts[at] = { ...part, content: random.pick(foreign)[1] };
  if (change === 'many')
    for (let i = 0; i < 1000; i++) parts.push({ name: `${i}${part.name}`, content: 'x' });
}

function lying(part: ZipPart, random: Random): ZipPart {
  const number = () => random.pick([0, 1, 100, 65_535, 2 ** 31, 2 ** 32 - 1]);
  return random.pick<ZipPart>([
    { ...part, declared: { size: number() } },
    { ...part, declared: { packed: number() } },
    { ...part, declared: { start: number() } },
    { ...part, declared: { crc: 1 } },
    { ...part, method: random.pick([0, 1, 9, 12, 14, 95, 99]) },
    { ...part, flags: random.pick([1, 8, 0x800, 0x2041]) },
    { ...part, mode: random.pick([0o120777, 0o040755, 0o020644]) },
    { ...part, extra: Buffer.from([1, 0, 0xff, 0xff, 7]) },
  ]);
}

export function inGzip(within: Mutator): Mutator {
  return ({ bytes, other }, random) => {
    const content = unpacked(bytes);
    if (!content) return within({ bytes, other }, random);
    return gzipSync(within({ bytes: content, other: unpacked(other) ?? other }, random));
  };
}

function unpacked(bytes: Buffer): Buffer | null {
  try {
    return gunzipSync(bytes);
  } catch (error) {
    if (error instanceof Error) return null;
    throw error;
  }
}

const BLOCK = 512;

/** Corrects the checksums of the headers afterwards, so that a changed header is read. */
export function inTar(within: Mutator): Mutator {
  return (mutable: Mutable, random) => {
    const bytes = Buffer.from(within(mutable, random));
    for (let at = 0; at + BLOCK <= bytes.length; at += BLOCK)
      if (bytes.toString('latin1', at + 257, at + 262) === 'ustar')
        writeChecksum(bytes.subarray(at, at + BLOCK));
    return bytes;
  };
}

function writeChecksum(header: Buffer): void {
  header.fill(' ', 148, 156);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
}
