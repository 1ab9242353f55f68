/** PDF: the text of its pages, and where in the text each page begins. */
import { type PDFiumDocument, PDFiumLibrary } from '@hyzyla/pdfium';
import { SourceError } from '../errors.ts';
import { tooMuchText } from './kinds.ts';
import { cleanText } from './plain.ts';

const BETWEEN_PAGES = '\n\n';
/** PDFium's mark of a hyphen that only stands for the end of a line. */
const SOFT_HYPHEN = '\uFFFE';

let library: Promise<PDFiumLibrary> | undefined;

export interface PagedText {
  readonly text: string;
  readonly pages: readonly number[];
}

export async function pdfToText(bytes: Uint8Array): Promise<PagedText> {
  library ??= PDFiumLibrary.init();
  const document = await open(await library, bytes);
  try {
    return joinPages(document);
  } finally {
    document.destroy();
  }
}

async function open(pdfium: PDFiumLibrary, bytes: Uint8Array): Promise<PDFiumDocument> {
  try {
    return await pdfium.loadDocument(bytes);
  } catch (error) {
    if (/password/i.test(String(error)))
      throw new SourceError('skip', 'the PDF is protected by a password', {
        hint: 'Store a copy without the password.',
        cause: error,
      });
    throw new SourceError('skip', 'the PDF is broken or is no PDF', {
      hint: 'Open it in a viewer and save it again.',
      cause: error,
    });
  }
}

function joinPages(document: PDFiumDocument): PagedText {
  const pages: number[] = [];
  let text = '';
  for (const page of document.pages()) {
    if (pages.length > 0) text += BETWEEN_PAGES;
    pages.push(text.length);
    text += cleanText(page.getText().replaceAll(SOFT_HYPHEN, '')).trim();
    // The rest would only make it longer.
    if (tooMuchText(text)) break;
  }
  return { text, pages };
}
