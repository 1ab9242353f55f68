/** Makes the records of files that are new or have changed. The pipeline extracts their text. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { fileError } from '../../documents/file-error.ts';
import { inodeOf } from '../../documents/inode.ts';
import { SourceError } from '../../errors.ts';
import type { Entity } from '../../model/entity.ts';
import { chunked } from '../../util.ts';
import { fail, type LeftOut, type Stub, skip, type Upsert, upsert } from '../items.ts';
import { type FolderEntry, follow, NO_FILE, relativePath, versionOf } from './entry.ts';
import type { SourceRoot } from './root.ts';
import { itemOfLink, judgeTarget } from './target.ts';

const AT_ONCE = 64;

export async function* readFiles(
  sourceRoot: SourceRoot,
  stubs: readonly Stub[],
  signal: AbortSignal,
): AsyncGenerator<Upsert | LeftOut, void, void> {
  for (const some of chunked(stubs, AT_ONCE)) {
    signal.throwIfAborted();
    yield* await Promise.all(some.map((one) => readOne(sourceRoot, one)));
  }
}

async function readOne(
  sourceRoot: SourceRoot,
  { id, type, partition }: Stub,
): Promise<Upsert | LeftOut> {
  const { root, rules } = sourceRoot;
  const path = join(root, id);
  const entry = await follow(path, sourceRoot);
  if (entry.is === 'failed') return fail(id, type, entry.error);
  if (entry.is === 'skipped') return skip(id, type, entry);
  if (entry.is === 'gone') return fail(id, type, goneError());
  if (entry.is !== 'file') return skip(id, type, { reason: NO_FILE });
  const target = relativePath(root, entry.real);
  try {
    // Since its folder was listed, the name may have become a link or may have got another target.
    if (entry.real !== path) {
      const verdict = await judgeTarget(target, root, rules);
      if (verdict !== 'taken') return itemOfLink(id, type, verdict);
    }
    await access(entry.real, constants.R_OK);
  } catch (error) {
    const known = fileError(error, 'the file');
    if (known instanceof SourceError && known.kind === 'skip') return fail(id, type, known);
    throw known;
  }
  const isNamed = rules.spells(id) || rules.spells(target);
  return upsert(toEntity({ id, type }, entry, isNamed), {
    partition,
    version: versionOf(entry.stat),
  });
}

const goneError = () =>
  new SourceError('skip', 'the file is gone: it was there when its folder was listed', {
    hint: 'If it was deleted, the next sync notices.',
  });

function toEntity(
  { id, type }: Pick<Stub, 'id' | 'type'>,
  { real, stat }: FolderEntry & { is: 'file' },
  isNamed: boolean,
): Entity {
  const name = basename(id);
  const size = Number(stat.size);
  return {
    id,
    type,
    name,
    text: '',
    breadcrumbs: foldersOf(id),
    // Some file systems do not store the time of creation, and report 1970.
    createdAt: stat.birthtimeMs > 0n ? new Date(Number(stat.birthtimeMs)) : undefined,
    updatedAt: new Date(Number(stat.mtimeMs)),
    fields: { path: id, extension: extname(name).slice(1).toLowerCase(), size },
    file: { path: real, name: basename(real), size, inode: inodeOf(stat), isNamed },
  };
}

function foldersOf(id: string) {
  const folders = id.split('/').slice(0, -1);
  return folders.map((name, i) => ({
    id: folders.slice(0, i + 1).join('/'),
    name,
    type: 'folder',
  }));
}
