/**
 * Reads the blocks of a page. Pages and databases within it are records of their own, so their blocks are not read.
 *
 * A synced block shows the blocks of another one, which may contain it, so no block is read within itself. A copy whose
 * original is not shared with the integration, and a block of a type that the API does not know, have no text. When any
 * other block cannot be read, the page cannot be read.
 */
import { MAX_CHARACTERS } from '../../documents/kinds.ts';
import type { Omission } from '../../documents/omission.ts';
import { SourceError } from '../../errors.ts';
import { LeftOutFile } from '../kit/file.ts';
import type { Http } from '../kit/http.ts';
import type { NotionBlock } from './answer.ts';
import { childrenOf } from './api.ts';
import { isKnownType } from './blocks.ts';
import { Unsteady, wholeList } from './whole-list.ts';

/** Blocks that are nested deeper are not read. */
const MAX_DEPTH = 40;
const MAX_BLOCKS = 50_000;
const TOO_MUCH: Omission = {
  reason: 'with too much text',
  detail: `more than ${MAX_BLOCKS} blocks or ${MAX_CHARACTERS} characters`,
  hint: 'Divide the page.',
};

export interface BlockTree {
  readonly block: NotionBlock;
  readonly children: readonly BlockTree[];
}

const PAGES = new Set(['child_page', 'child_database']);

/** Throws LeftOutFile for a page with too many blocks or too much text, and Unsteady for one that changes meanwhile. */
export async function readTree(http: Http, page: string): Promise<BlockTree[]> {
  let size = { blocks: 0, characters: 0 };
  return below(page, new Set([page]));

  async function below(id: string, path: ReadonlySet<string>): Promise<BlockTree[]> {
    const before = size;
    const blocks = await wholeList(
      () => childrenOf(http, id),
      (block) => block.id,
      (some, isFirst) => {
        const { blocks, characters } = isFirst ? before : size;
        size = { blocks: blocks + some.length, characters: characters + charactersOf(some) };
        if (size.blocks > MAX_BLOCKS || size.characters > MAX_CHARACTERS)
          throw new LeftOutFile(TOO_MUCH);
      },
    );
    const trees: BlockTree[] = [];
    for (const block of blocks) trees.push({ block, children: await within(block, path) });
    return trees;
  }

  async function within(block: NotionBlock, path: ReadonlySet<string>): Promise<BlockTree[]> {
    const { id, type, has_children, content } = block;
    const original = content.synced_from?.block_id || id;
    if (!has_children || PAGES.has(type) || path.size > MAX_DEPTH || path.has(original)) return [];
    try {
      return await below(id, new Set([...path, original]));
    } catch (error) {
      if (error instanceof Unsteady) throw error;
      const isClosed = error instanceof SourceError && error.kind === 'skip';
      if (isClosed && (original !== id || !isKnownType(type))) return [];
      throw error;
    }
  }
}

function charactersOf(blocks: readonly NotionBlock[]): number {
  let characters = 0;
  for (const { content } of blocks)
    for (const { plain_text } of [...content.rich_text, ...content.cells.flat()])
      characters += plain_text.length;
  return characters;
}

interface PlacedBlock {
  readonly block: NotionBlock;
  /** The block above it; null is the page. */
  readonly above: NotionBlock | null;
  /** The block belongs to another page, and this one shows a copy. */
  readonly isCopy: boolean;
}

export function* allBlocks(
  trees: readonly BlockTree[],
  above: NotionBlock | null = null,
  isCopy = false,
): Generator<PlacedBlock, void, void> {
  for (const { block, children } of trees) {
    yield { block, above, isCopy };
    yield* allBlocks(children, block, isCopy || block.content.synced_from !== null);
  }
}
