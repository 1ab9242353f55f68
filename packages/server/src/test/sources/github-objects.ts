/** Keeps the Git objects of the repositories on the fake of GitHub: blobs and trees, by their hashes. */
import { createHash } from 'node:crypto';
import { must } from '../../util.ts';
import { json, type PeerAnswer } from './cloud-peer.ts';
import { message } from './github-refusal.ts';
import type { GitHubSettings } from './github-settings.ts';
import type { GitHubFile } from './github-world.ts';

interface TreeEntry {
  readonly path: string;
  readonly mode: string;
  readonly type: string;
  readonly sha: string;
  readonly size?: number;
}

interface Objects {
  readonly blobs: Map<string, Buffer>;
  readonly trees: Map<string, TreeEntry[]>;
}

export function makeGitHubObjects(settings: GitHubSettings) {
  const blobs = new Map<string, Buffer>();
  const trees = new Map<string, TreeEntry[]>();

  function* below(entries: readonly TreeEntry[], at: string): Generator<TreeEntry> {
    for (const entry of entries) {
      yield { ...entry, path: at + entry.path };
      if (entry.type === 'tree') yield* below(must(trees.get(entry.sha)), `${at}${entry.path}/`);
    }
  }

  return {
    /** Stores the files as Git does, and returns the hash of their tree. */
    add: (files: ReadonlyMap<string, GitHubFile>) => addTree(files, { blobs, trees }),
    blob(sha: string): PeerAnswer {
      const body = blobs.get(sha);
      if (!body) return message(404, 'Not Found');
      return { status: 200, headers: { 'content-type': 'application/vnd.github.raw+json' }, body };
    },
    tree(sha: string, recursive: boolean): PeerAnswer {
      const entries = trees.get(sha);
      if (!entries) return message(404, 'Not Found');
      const all = recursive ? [...below(entries, '')] : entries;
      const truncated = all.length > settings.treeLimit;
      const tree = all.slice(0, settings.treeLimit);
      return json(200, { sha, url: 'https://api.github.com/', truncated, tree });
    },
  };
}

/** Stores a folder as Git does, and returns the hash of its tree. */
function addTree(files: ReadonlyMap<string, GitHubFile>, objects: Objects): string {
  const folders = new Map<string, Map<string, GitHubFile>>();
  const entries: TreeEntry[] = [];
  for (const [path, file] of files) {
    const [name = '', ...inside] = path.split('/');
    if (inside.length > 0)
      folders.set(name, (folders.get(name) ?? new Map()).set(inside.join('/'), file));
    else entries.push(entryOf(name, file, objects));
  }
  for (const [path, inside] of folders)
    entries.push({ path, mode: '040000', type: 'tree', sha: addTree(inside, objects) });
  entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  const sha = hash(JSON.stringify(entries));
  objects.trees.set(sha, entries);
  return sha;
}

function entryOf(
  path: string,
  { content, mode = '100644' }: GitHubFile,
  { blobs }: Objects,
): TreeEntry {
  const bytes = Buffer.from(content as string);
  const sha = hash(bytes);
  if (mode === '160000') return { path, mode, type: 'commit', sha };
  blobs.set(sha, bytes);
  return { path, mode, type: 'blob', sha, size: bytes.length };
}

const hash = (content: string | Buffer) => createHash('sha1').update(content).digest('hex');
