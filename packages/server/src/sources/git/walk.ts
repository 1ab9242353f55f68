/**
 * Compares the folders of two commits, and yields the files that have become part of what is read, have changed, or are
 * gone. The rules are those of the `files` source. A folder that is the same in both commits, under the same rules, is
 * not opened. Without an old commit, all files are yielded.
 *
 * A .gitignore is not regarded: a file that is in the repository although a pattern names it was added on purpose.
 */
import { basename } from 'node:path/posix';
import { reasonToLeaveOut } from '../../documents/kinds.ts';
import { reasonBySiblings } from '../../documents/left-out/by-name.ts';
import type { Reason } from '../../documents/left-out/left-out.ts';
import type { Omission } from '../../documents/omission.ts';
import { withBytesEscaped } from '../../util.ts';
import { reasonByNames } from '../files/evidence.ts';
import type { DefaultOmission, FolderVerdict, Rules } from '../files/rules.ts';
import type { GitEntry, GitObjects } from './objects.ts';

const MAX_PATH = 4000;
const FOLDER = '040000';

/** Git has these modes for entries whose content is not in the repository, or is in another file of it. */
export const LINKS: Readonly<Record<string, string>> = {
  '120000': 'of links to other files',
  '160000': 'of submodules',
};

export type TreeChange =
  | { readonly is: 'taken'; readonly path: string; readonly oid: string; readonly isNamed: boolean }
  | { readonly is: 'gone'; readonly path: string }
  | {
      readonly is: 'omitted';
      readonly path: string;
      readonly omission: Omission;
    };

/** One folder in one commit. The rules are those of the folder above it. */
interface Side {
  readonly oid: string;
  readonly rules: Rules;
  readonly evidence: Reason | null;
}

interface Pair {
  readonly path: string;
  readonly old: Side | null;
  readonly now: Side | null;
  /** If true, the rules of both sides come from the same reasons. */
  readonly isSame: boolean;
}

export async function* changesBetween(
  objects: GitObjects,
  rules: Rules,
  commits: { readonly old: string | null; readonly now: string },
): AsyncGenerator<TreeChange, void, void> {
  const sideOf = async (commit: string): Promise<Side> => ({
    oid: await objects.treeOf(commit),
    rules,
    evidence: null,
  });
  const old = commits.old === null ? null : await sideOf(commits.old);
  const pending: Pair[] = [{ path: '', old, now: await sideOf(commits.now), isSame: true }];
  for (let pair = pending.pop(); pair; pair = pending.pop()) {
    const { path } = pair;
    if (isUntouched(pair)) continue;
    const [before, after] = [
      await look(objects, path, pair.old),
      await look(objects, path, pair.now),
    ];
    if (after.omission && !isSameReason(after.omission, before.omission))
      yield { is: 'omitted', path, omission: after.omission };
    yield* filesOf(before, after);
    const isSame = pair.isSame && isSameReason(before.reason, after.reason);
    const folders = [...new Set([...before.folders.keys(), ...after.folders.keys()])];
    for (const inside of folders.toReversed())
      pending.push({
        path: inside,
        old: before.folders.get(inside) ?? null,
        now: after.folders.get(inside) ?? null,
        isSame,
      });
  }
}

const isUntouched = ({ old, now, isSame }: Pair): boolean =>
  old !== null &&
  now !== null &&
  isSame &&
  old.oid === now.oid &&
  isSameReason(old.evidence, now.evidence);

const isSameReason = (a: Reason | null, b: Reason | null): boolean =>
  a?.reason === b?.reason && a?.detail === b?.detail;

function* filesOf(before: Seen, after: Seen): Generator<TreeChange, void, void> {
  for (const [path, file] of after.files) {
    const earlier = before.files.get(path);
    if (file.omission) {
      if (earlier?.omission?.reason !== file.omission.reason)
        yield { is: 'omitted', path, omission: file.omission };
    } else if (!earlier || earlier.omission || earlier.oid !== file.oid)
      yield { is: 'taken', path, oid: file.oid, isNamed: file.isNamed };
  }
  for (const [path, file] of before.files)
    if (!file.omission && !after.files.has(path)) yield { is: 'gone', path };
}

interface SeenFile {
  readonly oid: string;
  readonly isNamed: boolean;
  readonly omission: Omission | null;
}

interface Seen {
  /** This is the evidence by which the folder was judged. */
  readonly reason: Reason | null;
  readonly omission: DefaultOmission | null;
  readonly files: ReadonlyMap<string, SeenFile>;
  readonly folders: ReadonlyMap<string, Side>;
}

const NOTHING = { files: new Map<string, never>(), folders: new Map<string, never>() };

async function look(objects: GitObjects, path: string, side: Side | null): Promise<Seen> {
  if (!side) return { ...NOTHING, reason: null, omission: null };
  const byName = judge(path, side, side.evidence);
  if (!byName.rules) return { ...NOTHING, reason: side.evidence, omission: byName.omission };
  const entries = await objects.tree(side.oid);
  const names = entries.flatMap(({ name }) => name ?? []);
  const byContents = path === '' ? null : reasonByNames(names);
  const { rules, omission } = byContents ? judge(path, side, byContents) : byName;
  const reason = byContents ?? side.evidence;
  if (!rules) return { ...NOTHING, reason, omission };
  const inside = rules.inside(path, null);
  const files = new Map<string, SeenFile>();
  const folders = new Map<string, Side>();
  for (const entry of entries) {
    const at = `${path}${path === '' ? '' : '/'}${entry.name ?? withBytesEscaped(entry.rawName)}`;
    if (entry.mode === FOLDER && !strangeness(entry, at)) {
      const evidence = reasonBySiblings(entry.name ?? '', names);
      folders.set(at, { oid: entry.oid, rules: inside, evidence });
      continue;
    }
    const file = fileOf(entry, at, inside);
    if (file) files.set(at, file);
  }
  return { reason, omission, files, folders };
}

/** Returns null for a file that the user's own patterns leave out. */
function fileOf(entry: GitEntry, path: string, rules: Rules): SeenFile | null {
  const { oid, mode } = entry;
  const strange = strangeness(entry, path);
  if (strange) return { oid, isNamed: false, omission: { reason: strange } };
  const verdict = rules.file(path);
  if (verdict === 'unwanted') return null;
  const link = LINKS[mode];
  const unread = link === undefined ? reasonToLeaveOut(basename(path), 0) : { reason: link };
  return { oid, isNamed: rules.spells(path), omission: verdict === 'taken' ? unread : verdict };
}

/** The root itself is always read. */
const judge = (path: string, { rules }: Side, evidence: Reason | null): FolderVerdict =>
  path === '' ? { rules, omission: null } : rules.folder(path, evidence);

/** Returns why the entry cannot be a record or a folder of records, whatever the rules say. */
function strangeness({ name }: GitEntry, path: string): string | null {
  if (name === null) return 'whose names are not UTF-8';
  // Git itself never writes such names, but a repository may be made by another program.
  if (name === '' || name === '.' || name === '..' || name.includes('/'))
    return 'whose names are paths';
  return path.length > MAX_PATH ? 'whose paths are too long' : null;
}
