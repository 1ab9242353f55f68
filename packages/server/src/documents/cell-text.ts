/** Writes the text of a cell of a table so that nothing in it is taken for markup, also where no table is written. */
import { createMarkdownWriter } from './markdown-writer.ts';

/** A single word that begins with a letter or a digit has no markup. */
const PLAIN = /^[\p{L}\p{N}][^\s\u00AD\u200B]*$/u;

export function cellText(text: string): string {
  if (PLAIN.test(text)) return text;
  const writer = createMarkdownWriter();
  writer.text(text);
  return writer.result();
}
