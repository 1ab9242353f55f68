/**
 * Fills a page of Notion with a block of every type, and rich text of every kind, as a page of people has them. Returns
 * the file of its PDF, and the block that shows it.
 */
import { pdfFile } from '../documents/pdf-file.ts';
import { block, formula, mention, text } from './notion-content.ts';
import type { NotionNode, NotionWorld } from './notion-world.ts';

export interface BlockPlaces {
  readonly page: NotionNode;
  /** The page names this one, and links to it. */
  readonly linked: NotionNode;
  /** This page has the original of a synced block, of which the first page has a copy. */
  readonly copied: NotionNode;
}

export function addBlocksOfAllTypes(
  world: NotionWorld,
  { page, linked, copied }: BlockPlaces,
): { readonly plan: string; readonly pdf: NotionNode } {
  const original = world.addBlock(copied.id, block.synced(null));
  world.addBlock(original.id, block.paragraph('This stands in two pages.'));
  const plan = world.addFile('plan.pdf', pdfFile([['The plan of the weir.']]), 'application/pdf');
  for (const content of [
    block.heading('How we work'),
    block.paragraph([
      mention.user(world.ann),
      text(' and '),
      mention.page(copied.id, copied.title),
      text(' on '),
      mention.date('2026-05-01'),
      text(' with '),
      formula('E=mc^2'),
      text(' at '),
      text('home', {}, 'https://acme.example/'),
    ]),
    block.bullet('A point'),
    block.number('A step'),
    block.toDo('A task', true),
    block.quote('A saying'),
    block.equation('a^2+b^2=c^2'),
    block.divider(),
    block.bookmark('https://acme.example/weir'),
    block.externalImage('https://acme.example/heron.png'),
    block.synced(original.id),
    block.linkToPage(linked.id),
    block.unsupported(),
  ])
    world.addBlock(page.id, content);
  return { plan, pdf: world.addBlock(page.id, (at) => block.pdf(at(plan))) };
}
