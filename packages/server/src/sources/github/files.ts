/** Lists the files of a branch by its Git tree, and reads those whose content is new. */
import { basename, dirname } from 'node:path/posix';
import { z } from 'zod';
import { fileReason, folderReason } from '../../documents/left-out/by-name.ts';
import { SourceError } from '../../errors.ts';
import type { Entity } from '../../model/entity.ts';
import { LINKS } from '../git/walk.ts';
import { CodeFile } from '../github-code/answer.ts';
import {
  type LeftOut,
  listed,
  type SourceItem,
  type Stub,
  skip,
  stub,
  type Upsert,
  upsert,
} from '../items.ts';
import { fileOrSkip } from '../kit/file-or-skip.ts';
import type { Http } from '../kit/http.ts';
import { unlessLost } from '../kit/listing.ts';
import { NotFound } from '../kit/refusal.ts';
import { Branch, type Repository, Tree, type TreeEntry } from './answers.ts';
import { type Chosen, commonOf, filesOf, frameOf, type GitHubItems, idIn } from './repository.ts';

export const GitHubFile = CodeFile;
const TYPE = 'GitHubFile';

/** `hydrate` gets this, so that it need not look for the file again. */
interface Carried {
  readonly repository: Repository;
  readonly branch: string;
  readonly entry: TreeEntry;
}

/** The tree of the branch; null when the repository has no such branch. */
export type TreeSha = string | null;

/**
 * Yields the files of a branch, unless its tree is still the `known` one. A force push is not a special case, because
 * trees are compared and not commits. Returns the tree, or undefined when the files could not be listed.
 */
export async function* files(
  http: Http,
  chosen: Chosen,
  { branch, known }: { readonly branch: string; readonly known?: TreeSha | undefined },
): GitHubItems<TreeSha | undefined> {
  const { repository } = chosen;
  let tree: TreeSha = null;
  async function* items(): GitHubItems {
    const found = await treeOf(http, repository, branch);
    tree = found.sha;
    if (tree === known) return;
    if (found.isMissing)
      yield skip(idIn(repository, 'files'), TYPE, {
        reason: 'that do not have the branch',
        detail: `${repository.full_name} has no branch '${branch}'`,
      });
    if (tree !== null) yield* inTree(http, chosen, { branch, tree });
    yield listed(filesOf(chosen));
  }
  return (yield* unlessLost(filesOf(chosen), items())) ? tree : undefined;
}

/** An empty repository has no branches at all, so `isMissing` is false for it. */
async function treeOf(
  http: Http,
  { full_name }: Repository,
  branch: string,
): Promise<{ readonly sha: TreeSha; readonly isMissing: boolean }> {
  const path = `repos/${full_name}/branches`;
  try {
    const { value } = await http.json({ path: `${path}/${encodeURIComponent(branch)}` }, Branch);
    return { sha: value.commit.commit.tree.sha, isMissing: false };
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    // GitHub also answers 404 when the token may not read the content. Then this request fails, and its error says so.
    const { value } = await http.json({ path, query: { per_page: 1 } }, z.array(z.unknown()));
    return { sha: null, isMissing: value.length > 0 };
  }
}

interface TreeFolder {
  readonly branch: string;
  readonly tree: string;
  /** The path of the folder ends with a slash, and is '' for the root. */
  readonly path?: string;
}

/**
 * GitHub cuts the listing of a tree with more than 100,000 entries or 7 MB. The folders of such a tree are listed one by
 * one.
 */
async function* inTree(
  http: Http,
  chosen: Chosen,
  { branch, tree, path = '' }: TreeFolder,
): GitHubItems {
  const { full_name } = chosen.repository;
  const request = { path: `repos/${full_name}/git/trees/${tree}` };
  const { value: all } = await http.json({ ...request, query: { recursive: 1 } }, Tree);
  const take = itemOfEntry(chosen, branch);
  if (!all.truncated) {
    for (const entry of all.tree) yield* take({ ...entry, path: path + entry.path });
    return;
  }
  const { value: own } = await http.json(request, Tree);
  if (own.truncated)
    throw new SourceError(
      'skip',
      `GitHub lists only a part of the folder /${path} of ${full_name}, which has too many files`,
    );
  for (const entry of own.tree) {
    const inside = { ...entry, path: path + entry.path };
    const items = take(inside);
    yield* items;
    if (entry.type === 'tree' && items.length === 0)
      yield* inTree(http, chosen, { branch, tree: entry.sha, path: `${inside.path}/` });
  }
}

/**
 * Returns a function that makes the item of an entry. The function must get each folder before the entries in that
 * folder.
 */
function itemOfEntry(
  { repository, ...chosen }: Chosen,
  branch: string,
): (entry: TreeEntry) => SourceItem[] {
  const partition = filesOf({ repository, ...chosen });
  const leftOut = new Set<string>();
  return (entry) => {
    const { path, type, mode, sha } = entry;
    const id = idIn(repository, 'files', path);
    const isFolder = type === 'tree';
    if (leftOut.has(dirname(path))) {
      if (isFolder) leftOut.add(path);
      return [];
    }
    const reason = isFolder ? folderReason(path) : fileReason(path);
    if (reason) {
      if (isFolder) leftOut.add(path);
      return [skip(id, TYPE, reason)];
    }
    if (isFolder) return [];
    const link = LINKS[mode];
    if (link) return [skip(id, TYPE, { reason: link })];
    const carry: Carried = { repository, branch, entry };
    const version = `${sha} ${branch} ${frameOf(repository)}`;
    return [stub(id, TYPE, { version, partition, carry })];
  };
}

export const readFile = (http: Http, found: Stub): Promise<Upsert | LeftOut> =>
  fileOrSkip(found, { service: 'GitHub' }, () => contentOf(http, found));

/** Reads a file by the hash of its content, so that the text is that of the listed version. */
async function contentOf(http: Http, { id, carry, version, partition }: Stub): Promise<Upsert> {
  const { repository, branch, entry } = carry as Carried;
  const { full_name, html_url } = repository;
  const { path, sha, size } = entry;
  const name = basename(path);
  const file = await http.file(
    {
      path: `repos/${full_name}/git/blobs/${sha}`,
      headers: { accept: 'application/vnd.github.raw+json' },
    },
    { name, size },
  );
  const entity: Entity = {
    id,
    type: TYPE,
    name,
    text: '',
    file,
    context: path,
    url: `${html_url}/blob/${[branch, path].map(encodePath).join('/')}`,
    ...commonOf(repository),
    fields: { repository: full_name, path, sha } satisfies z.infer<typeof GitHubFile>,
  };
  return upsert(entity, { version, partition });
}

const encodePath = (path: string) => path.split('/').map(encodeURIComponent).join('/');
