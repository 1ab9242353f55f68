/** Turns PDF into Markdown. The result has the text of the pages and the offset at which each page begins. */
import { SourceError } from '../../errors.ts';
import type { Container, Convert, Converted } from '../convert.ts';
import { MAX_CHARACTERS } from '../kinds.ts';
import { UNREADABLE } from '../ocr/ocr.ts';
import type { Omission } from '../omission.ts';
import type { PdfLine } from '../pdf/line.ts';
import { pagesToMarkdown } from '../pdf/markdown.ts';
import { openPdf, type PdfFile } from '../pdf/pdfium.ts';
import { namesOf, recognizePages, scannedPages } from '../pdf/scans.ts';
import { titlesOf } from '../pdf/titles.ts';
import { TOO_MUCH_TEXT } from '../too-much-text.ts';

const WITHOUT_TEXT: Omission = {
  reason: 'without text that can be read',
  detail: 'the pages of the PDF are images',
  hint: 'Install text recognition (docs/documents.md), or recognize its text with ocrmypdf: the next sync reads the result.',
};

export const convert: Convert = async (bytes, container) => {
  using file = await openPdf(bytes);
  return await pdfToMarkdown(file, container);
};

export async function pdfToMarkdown(
  file: PdfFile,
  container: Container,
): Promise<Converted | Omission> {
  const pages: PdfLine[][] = [];
  const broken: number[] = [];
  let characters = 0;
  for (let page = 0; page < file.pages; page++) {
    const lines = file.linesOf(page);
    if (!lines) broken.push(page);
    for (const { text } of lines ?? []) characters += text.length;
    if (characters > MAX_CHARACTERS) return TOO_MUCH_TEXT;
    pages.push(lines ?? []);
  }
  if (broken.length > 0 && broken.length === pages.length) throw brokenPages('the pages');
  if (broken.length > 0) container.leaveOut(namesOf(broken), brokenPages(namesOf(broken)));
  const isKept = await readScans(file, pages, container);
  const paged = pagesToMarkdown(pages, titlesOf(pages, file.outline()));
  return paged.text.trim() === '' && !isKept ? WITHOUT_TEXT : paged;
}

const brokenPages = (which: string): SourceError =>
  new SourceError('skip', `${which} of the PDF cannot be read`, {
    hint: 'Open it in a viewer and save it again.',
  });

/**
 * Puts the text of scanned pages into their places. Returns true when the document is kept even without text, so that its
 * pages are not recognized again by every sync.
 */
async function readScans(
  file: PdfFile,
  pages: PdfLine[][],
  { ocr, leaveOut }: Container,
): Promise<boolean> {
  const scans = ocr ? scannedPages(pages, file) : [];
  if (!ocr || scans.length === 0) return false;
  const { texts, broken, stopped } = await recognizePages(file, scans, ocr);
  for (const [page, lines] of texts) pages[page] = lines;
  if (broken.length > 0)
    leaveOut(namesOf(broken), brokenPages(`the pictures of ${namesOf(broken)}`));
  if (stopped) leaveOut(namesOf(stopped.pages), stopped.omission);
  else if (texts.size === 0 && broken.length < scans.length)
    leaveOut(namesOf(scans.filter((page) => !broken.includes(page))), UNREADABLE);
  return true;
}
