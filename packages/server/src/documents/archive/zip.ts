/** Unpacks single files of a zip archive. */
import { crc32, inflateRawSync } from 'node:zlib';
import {
  brokenArchiveOf,
  damagedMember,
  encryptedMember,
  MAX_MEMBERS,
  tooManyMembers,
  unreadableMember,
} from './archive-errors.ts';
import type { ArchiveMember } from './members.ts';
import { DEFLATED, packedBytes, STORED, type ZipEntry, zipEntries } from './zip-directory.ts';

const ENCRYPTED = 1;
/** Entries of WinZip that are encrypted with AES have this method. */
const AES = 99;

const RULES = {
  broken: (cause?: unknown) => brokenArchiveOf('zip', cause),
  most: MAX_MEMBERS,
  tooMany: tooManyMembers,
};

/** Returns the files of the archive, without folders and links. Throws a SourceError 'skip' for a broken archive. */
export function zipMembers(bytes: Uint8Array): ArchiveMember[] {
  const archive = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return zipEntries(archive, RULES)
    .filter(({ isFile }) => isFile)
    .map((entry) => ({ ...entry, read: () => unpack(archive, entry) }));
}

function unpack(archive: Buffer, entry: ZipEntry): Uint8Array {
  const { flags, method, size, crc } = entry;
  if ((flags & ENCRYPTED) !== 0 || method === AES) throw encryptedMember();
  if (method !== STORED && method !== DEFLATED) throw unreadableMember(`method ${method}`);
  const content = packedBytes(archive, entry);
  const bytes = method === STORED ? content : inflate(content, size);
  if (bytes.length !== size || crc32(bytes) !== crc) throw damagedMember();
  return bytes;
}

/** Stops when the file unpacks to more than its declared size, which may be a lie. */
function inflate(content: Uint8Array, size: number): Uint8Array {
  try {
    return inflateRawSync(content, { maxOutputLength: Math.max(1, size) });
  } catch (error) {
    throw damagedMember(error);
  }
}
