/** Reads objects of a fetched repository through one process of `git cat-file --batch-command`. */
import { isUtf8 } from 'node:buffer';
import { SourceError } from '../../errors.ts';
import { byteReader } from './bytes.ts';
import { type GitRun, startGit } from './program.ts';

/** A folder with this many bytes has some hundred thousand names. */
const MAX_TREE_BYTES = 64 * 2 ** 20;
const NUL = 0;

export interface GitEntry {
  /** The name is null when it is not UTF-8. */
  readonly name: string | null;
  /** This is the name with its bytes as characters, for messages. */
  readonly rawName: string;
  readonly mode: string;
  readonly oid: string;
}

export interface GitObjects extends AsyncDisposable {
  /** Returns the size of the object in bytes, or null when it has not been fetched. */
  size(oid: string): Promise<number | null>;
  /** Yields the contents of an object. They must be read to their end. */
  contents(oid: string): AsyncGenerator<Buffer, void, void>;
  /** Returns the entries of a folder. */
  tree(oid: string): Promise<GitEntry[]>;
  /** Returns the tree of a commit. */
  treeOf(commit: string): Promise<string>;
}

export function openObjects(run: Omit<GitRun, 'args'>): GitObjects {
  const git = startGit({ ...run, args: ['cat-file', '--batch-command'] });
  const failed = git.ended.then(() => {
    throw new Error('git has ended');
  });
  failed.catch(() => {});
  const reader = byteReader(git.stdout);

  /** The reason of git's end says more than the end of its output. */
  async function reading<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof SourceError) throw error;
      git.stop();
      return await failed.catch((reason: unknown) => {
        throw reason instanceof SourceError || run.signal.aborted ? reason : error;
      });
    }
  }

  /** Asks for an object by its id. A name of another form could be a path or a setting. */
  const head = (command: 'info' | 'contents', oid: string, suffix = '') =>
    reading(async () => {
      run.signal.throwIfAborted();
      if (!/^[\da-f]{40,64}$/.test(oid)) throw new Error('this is not the id of an object');
      git.stdin.write(`${command} ${oid}${suffix}\n`);
      const [found, type, size] = (await reader.line()).split(' ');
      if (type === 'missing' || size === undefined) return null;
      return { oid: found ?? '', type, size: Number(size) };
    });

  async function* contents(oid: string): AsyncGenerator<Buffer, void, void> {
    const found = await head('contents', oid);
    if (!found) throw gone();
    const pieces = reader.pieces(found.size);
    for (;;) {
      const { value, done } = await reading(() => pieces.next());
      if (done) break;
      yield value;
    }
    // A line break stands behind the contents.
    await reading(() => reader.line());
  }

  return {
    size: async (oid) => (await head('info', oid))?.size ?? null,
    contents,
    async tree(oid) {
      const found = await head('info', oid);
      if (!found) throw gone();
      if (found.size > MAX_TREE_BYTES)
        throw new SourceError('config', 'a folder of the repository has too many files');
      const pieces: Buffer[] = [];
      for await (const piece of contents(oid)) pieces.push(piece);
      return entriesOf(Buffer.concat(pieces), oid.length / 2);
    },
    async treeOf(commit) {
      const found = await head('info', commit, '^{tree}');
      if (!found) throw gone();
      return found.oid;
    },
    async [Symbol.asyncDispose]() {
      git.stop();
      await failed.catch(() => {});
    },
  };
}

const gone = () => new SourceError('transient', 'the server has not sent a part of the repository');

/** The form of a tree is, for each entry: the mode, a blank, the name, a NUL, and the bytes of the id. */
function entriesOf(tree: Buffer, oidBytes: number): GitEntry[] {
  const entries: GitEntry[] = [];
  for (let at = 0; at < tree.length; ) {
    const blank = tree.indexOf(' ', at);
    const end = tree.indexOf(NUL, blank);
    if (blank < 0 || end < 0)
      throw new SourceError('fatal', 'a folder of the repository is damaged');
    const bytes = tree.subarray(blank + 1, end);
    entries.push({
      mode: tree.toString('latin1', at, blank).padStart(6, '0'),
      name: isUtf8(bytes) ? bytes.toString() : null,
      rawName: bytes.toString('latin1'),
      oid: tree.toString('hex', end + 1, end + 1 + oidBytes),
    });
    at = end + 1 + oidBytes;
  }
  return entries;
}
