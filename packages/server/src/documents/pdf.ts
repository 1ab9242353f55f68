/** Turns PDF into Markdown. The result has the text of the pages and the offset at which each page begins. */
import { MAX_CHARACTERS } from './kinds.ts';
import type { PdfLine } from './pdf/line.ts';
import { type PagedText, pagesToMarkdown } from './pdf/markdown.ts';
import { openPdf } from './pdf/pdfium.ts';
import { titlesOf } from './pdf/titles.ts';

/**
 * Returns the text, which is empty when the pages contain only pictures. Throws a SourceError 'skip' for a PDF that
 * cannot be read.
 */
export async function pdfToMarkdown(bytes: Uint8Array): Promise<PagedText> {
  using file = await openPdf(bytes);
  const pages: PdfLine[][] = [];
  let characters = 0;
  // A file with more text than the limit is left out anyway, so the loop stops there.
  for (let page = 0; page < file.pages && characters <= MAX_CHARACTERS; page++) {
    const lines = file.linesOf(page);
    for (const { text } of lines) characters += text.length;
    pages.push(lines);
  }
  return pagesToMarkdown(pages, titlesOf(pages, file.outline()));
}
