/** Turns a binary presentation of PowerPoint into Markdown, with a heading for each slide. */

import { newBudget } from '../budget.ts';
import { cellText } from '../cell-text.ts';
import { readCompound } from '../compound/file.ts';
import { aboutOf } from '../compound/summary.ts';
import type { Convert } from '../convert.ts';
import { type Blocks, createBlocks } from '../office/blocks.ts';
import { createPaged } from '../paged.ts';
import { readSlides, type Slide } from '../ppt/read.ts';
import { isTable, type SlideItem } from '../ppt/shapes.ts';
import { isBody } from '../ppt/text.ts';
import { TOO_MUCH_TEXT } from '../too-much-text.ts';

export const convert: Convert = async (bytes) => {
  const file = readCompound(bytes);
  const budget = newBudget();
  const paged = createPaged();
  for (const slide of readSlides(file, budget)) {
    if (budget.left < 0 || paged.isFull) return TOO_MUCH_TEXT;
    const number = paged.count + 1;
    paged.add(`slide ${number}`, slideToMarkdown(slide, number));
  }
  return { ...paged.result(), about: aboutOf(file) };
};

function slideToMarkdown({ title, items, notes }: Slide, number: number): string {
  const blocks = createBlocks();
  // Without a heading, the text would seem to belong to the slide before.
  blocks.heading(2, title ? title.text : `Slide ${number}`);
  for (const item of items) if (item !== title) writeItem(blocks, item);
  if (notes.length > 0) blocks.paragraph('Notes:');
  for (const item of notes) writeItem(blocks, item);
  return blocks.result();
}

/** The paragraphs of a body are items of a list. */
function writeItem(blocks: Blocks, item: SlideItem): void {
  if (isTable(item)) blocks.table(item.rows.map((row) => row.map(cellText)));
  else if (!isBody(item)) blocks.paragraph(item.text.replaceAll('\r', '\n'));
  else
    for (const paragraph of item.text.split('\r')) blocks.item({ level: 0, label: '' }, paragraph);
}
