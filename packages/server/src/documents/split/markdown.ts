/** Makes atoms of the blocks of Markdown, and sets the prices of cuts between and inside blocks. */
import { type AtomBuilder, CUT, isSpace, shortHeader } from './atoms.ts';
import { type Block, blocksOf } from './blocks.ts';
import { code } from './code.ts';
import { type Heading, titleOf } from './headings.ts';
import { linesOf } from './lines.ts';
import { prose, record } from './prose.ts';

export function markdown(text: string, atoms: AtomBuilder): readonly Heading[] {
  const headings: Heading[] = [];
  for (const block of blocksOf(text)) {
    if (block.kind === 'heading') {
      // A cut before a heading costs nothing. A missing cut there costs more, the nearer the heading is to the top
      // level.
      atoms.boundary(CUT.section, 10 - block.level);
      atoms.add(block.end, CUT.never);
      headings.push({ ...block, title: titleOf(block.title) });
    } else {
      atoms.boundary(cutBefore(text, block));
      addBlock(text, block, atoms);
    }
  }
  atoms.add(text.length, CUT.line);
  return headings;
}

function cutBefore(text: string, block: Block): number {
  let last = block.start - 1;
  while (last >= 0 && last > block.start - 9 && isSpace(text.charCodeAt(last))) last--;
  if (text[last] === ':') return CUT.introduction;
  return block.kind === 'item' ? CUT.item : CUT.paragraph;
}

function addBlock(text: string, block: Block, atoms: AtomBuilder): void {
  switch (block.kind) {
    case 'table':
      addTable(text, block, atoms);
      return;
    case 'fence':
      addFence(text, block, atoms);
      return;
    case 'front matter':
      for (const line of linesOf(text, block.start, block.end)) prose(text, line.next, atoms);
      return;
    default:
      prose(text, block.end, atoms);
  }
}

function addTable(text: string, table: Block & { kind: 'table' }, atoms: AtomBuilder): void {
  record(text, table.headerEnd, atoms);
  atoms.boundary(CUT.never);
  atoms.repeat(shortHeader(text.slice(table.start, table.headerEnd).trimEnd()));
  for (const row of linesOf(text, table.headerEnd, table.end)) {
    record(text, row.next, atoms);
    atoms.boundary(CUT.row);
  }
  atoms.repeat(null);
}

/** The opening line of the fence is repeated in every piece, so that the closing line always has an opening line. */
function addFence(text: string, fence: Block & { kind: 'fence' }, atoms: AtomBuilder): void {
  atoms.add(fence.codeStart, CUT.never);
  atoms.repeat(shortHeader(text.slice(fence.start, fence.codeStart).trimEnd()));
  code(text, fence.codeEnd, atoms);
  if (fence.codeEnd < fence.end) {
    atoms.boundary(CUT.never);
    atoms.add(fence.end, CUT.paragraph);
  }
  atoms.repeat(null);
}
