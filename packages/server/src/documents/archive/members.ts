/**
 * Takes the files of an archive one after the other. Only files that are read are unpacked, and the archive's own text
 * is the list of their paths. Names that are left out of a folder are left out of an archive too.
 */
import { SourceError } from '../../errors.ts';
import { inOneLine } from '../../util.ts';
import type { Container, Converted } from '../convert.ts';
import { reasonInside, reasonToLeaveOut } from '../kinds.ts';
import { fileReason, folderReason } from '../left-out/by-name.ts';
import { OF_THE_SYSTEM, type Reason } from '../left-out/left-out.ts';
import { listOfNames } from '../markdown-writer.ts';
import type { Omission } from '../omission.ts';
import { BrokenArchive, MAX_MEMBERS, tooDense, tooManyMembers } from './archive-errors.ts';
import { cleanPath } from './file-names.ts';

export interface ArchiveMember {
  readonly path: string;
  /** This is the size in bytes, which the archive declares. */
  readonly size: number;
  /** This is the size in the archive. */
  readonly packed: number;
  /** Returns at most `size` bytes. Throws a SourceError 'skip' for a file that is damaged or encrypted. */
  read(): Uint8Array | Promise<Uint8Array>;
}

export interface ArchiveMembers {
  take(member: ArchiveMember): Promise<void>;
  /** Returns the content of the archive itself. */
  list(): Converted | Omission;
}

const MAX_LISTED = 1_000;

export function createMembers(container: Container): ArchiveMembers {
  const verdicts = new Map<string, Reason | null>();
  const noted = new Set<string>();
  const listed: string[] = [];
  let taken = 0;
  let found = 0;

  /** Notes a folder that is left out once, and not each of its files. */
  function isLeftOutByName(path: string): boolean {
    const left = leftOutInArchive(path, verdicts);
    if (left && left.reason !== OF_THE_SYSTEM && !noted.has(left.path)) {
      noted.add(left.path);
      container.leaveOut(left.path, omissionOf(left));
    }
    return left !== null;
  }

  const reasonNotToTake = (path: string, { size, packed }: ArchiveMember): Omission | null =>
    reasonInside(path) ??
    reasonToLeaveOut(path, size, container.optional) ??
    tooDense(size, packed);

  return {
    async take(member) {
      if (++taken > MAX_MEMBERS) throw tooManyMembers();
      const path = cleanPath(member.path);
      if (path === '' || isLeftOutByName(path)) return;
      if (++found <= MAX_LISTED) listed.push(path);
      const omission = reasonNotToTake(path, member);
      if (omission) return container.leaveOut(path, omission);
      const bytes = await readOrError(member);
      if (bytes instanceof SourceError) container.leaveOut(path, bytes);
      else await container.add({ path, bytes });
    },
    list() {
      if (found === 0 && noted.size === 0)
        return { reason: 'without text that can be read', detail: 'the archive has no files' };
      const title = inOneLine(container.name) || 'Archive';
      return { text: `# ${title}\n\n${listOfNames(listed, found)}`.trimEnd() };
    },
  };
}

async function readOrError(member: ArchiveMember): Promise<Uint8Array | SourceError> {
  try {
    return await member.read();
  } catch (error) {
    if (error instanceof SourceError && !(error instanceof BrokenArchive)) return error;
    throw error;
  }
}

/** `path` is the path of the file, or of the folder because of which it is left out. */
type LeftOutMember = Reason & { readonly path: string };

/** `verdicts` remembers the folders that were compared. */
function leftOutInArchive(
  path: string,
  verdicts: Map<string, Reason | null>,
): LeftOutMember | null {
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
    const folder = path.slice(0, at);
    let reason = verdicts.get(folder);
    if (reason === undefined) {
      reason = folderReason(folder);
      verdicts.set(folder, reason);
    }
    if (reason) return { ...reason, path: folder };
  }
  const reason = fileReason(path);
  return reason && { ...reason, path };
}

/** Returns why a file with this name is left out, or null. */
export function leftOutByName(name: string): Omission | null {
  const reason = fileReason(name);
  return reason && omissionOf(reason);
}

const omissionOf = ({ reason, detail }: Reason): Omission => ({
  reason,
  detail,
  hint: 'To take it in, unpack the archive, and add its path to include of the connection.',
});
