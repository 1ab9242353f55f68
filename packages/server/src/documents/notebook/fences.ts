/** Ends code that the Markdown of a cell leaves open, because it would go on in the cells behind it. */
import { blocksOf } from '../split/blocks.ts';

const OPENING = /^([ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t>]+)*)(`{3,}|~{3,})/;

export function withClosedFence(markdown: string): string {
  for (const block of blocksOf(markdown)) {
    if (block.kind !== 'fence' || block.codeEnd < block.end) continue;
    const [, before = '', mark = ''] = OPENING.exec(markdown.slice(block.start)) ?? [];
    // In an item of a list, the closing line is indented as the code is.
    const indent = before.replaceAll(/[^\s>]/g, ' ');
    return `${markdown.trimEnd()}\n${indent}${mark}`;
  }
  return markdown;
}
