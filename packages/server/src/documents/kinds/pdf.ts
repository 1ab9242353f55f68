/** Turns PDF into Markdown. The result has the text of the pages and the offset at which each page begins. */
import type { Convert } from '../convert.ts';
import { MAX_CHARACTERS } from '../kinds.ts';
import type { Omission } from '../omission.ts';
import type { PdfLine } from '../pdf/line.ts';
import { pagesToMarkdown } from '../pdf/markdown.ts';
import { openPdf } from '../pdf/pdfium.ts';
import { titlesOf } from '../pdf/titles.ts';

const WITHOUT_TEXT: Omission = {
  reason: 'without text that can be read',
  detail: 'the pages of the PDF are images',
  hint: 'Recognize its text (OCR), for example with ocrmypdf: the next sync reads the result.',
};

export const convert: Convert = async (bytes) => {
  using file = await openPdf(bytes);
  const pages: PdfLine[][] = [];
  let characters = 0;
  // A file with more text than the limit is left out anyway, so the loop stops there.
  for (let page = 0; page < file.pages && characters <= MAX_CHARACTERS; page++) {
    const lines = file.linesOf(page);
    for (const { text } of lines) characters += text.length;
    pages.push(lines);
  }
  const paged = pagesToMarkdown(pages, titlesOf(pages, file.outline()));
  return paged.text.trim() === '' ? WITHOUT_TEXT : paged;
};
