/** These are the errors about archives, and about files in them. */
import { SourceError } from '../../errors.ts';
import type { Omission } from '../omission.ts';

/** A file in a broken archive cannot be read, and neither can the files behind it, so the whole archive is refused. */
export class BrokenArchive extends SourceError {}

export const brokenArchiveOf = (what: string, cause?: unknown): BrokenArchive =>
  new BrokenArchive('skip', `the file is broken or is not a ${what} archive`, {
    hint: 'Pack it again, or store the files without the archive.',
    cause,
  });

export const damagedMember = (cause?: unknown): SourceError =>
  new SourceError('skip', 'the file is damaged in the archive', {
    hint: 'Pack it again, or store it without the archive.',
    cause,
  });

export const encryptedMember = (): SourceError =>
  new SourceError('skip', 'the file is protected by a password in the archive', {
    hint: 'Store it without the password.',
  });

export const unreadableMember = (how: string): SourceError =>
  new SourceError('skip', `the file is packed in a way that is not read (${how})`, {
    hint: 'Pack it with the usual method (Deflate), or store it without the archive.',
  });

/** The list of the files of an archive is held in memory. */
export const MAX_MEMBERS = 100_000;

export const tooManyMembers = (): SourceError =>
  new SourceError('skip', `more than ${MAX_MEMBERS} files are in the archive`, {
    hint: 'Unpack it: the next sync reads what is inside.',
  });

/** Text rarely shrinks to less than this share; the archives that do are made to fill a disk. */
const MAX_RATIO = 200;
const SMALL = 1024 * 1024;

export function tooDense(size: number, packed: number): Omission | null {
  if (size <= SMALL || size <= packed * MAX_RATIO) return null;
  return {
    reason: 'too large',
    detail: `it unpacks to more than ${MAX_RATIO} times its size`,
    hint: 'Store it without the archive.',
  };
}

export const tooDenseArchive = (): SourceError =>
  new SourceError('skip', `the file unpacks to more than ${MAX_RATIO} times its size`, {
    hint: 'Unpack it: the next sync reads the result.',
  });
