/** Changes streams that are inside of compound files, and writes the files again. */
import { type CompoundStorage, readCompound } from '../../../documents/compound/file.ts';
import { SourceError } from '../../../errors.ts';
import { type CompoundTree, compoundFile } from '../compound-file.ts';
import type { Mutator } from './bytes.ts';

interface Tree {
  [name: string]: Buffer | Tree;
}

/** This is a stream and the storage that holds it. */
interface Held {
  readonly holder: Tree;
  readonly name: string;
  readonly content: Buffer;
}

export const isCompound = (bytes: Buffer): boolean =>
  bytes.toString('hex', 0, 8) === 'd0cf11e0a1b11ae1';

export function inCompound(within: Mutator): Mutator {
  return ({ bytes, other }, random) => {
    const tree = treeIn(bytes);
    const streams = streamsIn(tree);
    if (streams.length === 0) return bytes;
    const { holder, name, content } = random.pick(streams);
    const foreign = streamsIn(treeIn(other));
    const piece = foreign.length > 0 ? random.pick(foreign).content : content;
    holder[name] = within({ bytes: content, other: piece }, random);
    return compoundFile(tree satisfies CompoundTree);
  };
}

/** An earlier mutation may have broken the file. */
function treeIn(bytes: Buffer): Tree {
  try {
    return treeOf(readCompound(bytes));
  } catch (error) {
    if (error instanceof SourceError) return {};
    throw error;
  }
}

function treeOf({ streams, storages }: CompoundStorage): Tree {
  const read = [...streams].map(([name, stream]) => [name, Buffer.from(stream.read())] as const);
  const inner = [...storages].map(([name, storage]) => [name, treeOf(storage)] as const);
  return Object.fromEntries<Buffer | Tree>([...read, ...inner]);
}

function streamsIn(tree: Tree): Held[] {
  return Object.entries(tree).flatMap(([name, content]) =>
    Buffer.isBuffer(content) ? { holder: tree, name, content } : streamsIn(content),
  );
}
