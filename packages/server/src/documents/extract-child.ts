/** This is the code of the limited process that extracts the text of documents, one at a time. */
import { SourceError } from '../errors.ts';
import { serve } from '../sandbox/serve.ts';
import { docxToMarkdown } from './docx.ts';
import type { ExtractOutcome, ExtractRequest } from './extract-protocol.ts';
import { decodeHtml, htmlToMarkdown } from './html.ts';
import { type DocumentKind, tooMuchText } from './kinds.ts';
import type { Omission } from './omission.ts';
import { pdfToMarkdown } from './pdf.ts';
import { cleanText } from './plain.ts';

type Converted = { readonly text: string; readonly pages?: readonly number[] } | Omission;

const converters: Record<DocumentKind, (bytes: Uint8Array) => Promise<Converted>> = {
  html: async (bytes) => {
    const html = decodeHtml(bytes);
    return html === null ? { reason: 'binary' } : { text: htmlToMarkdown(html) };
  },
  docx: async (bytes) => ({ text: cleanText(await docxToMarkdown(bytes)) }),
  pdf: async (bytes) => {
    const paged = await pdfToMarkdown(bytes);
    return paged.text.trim() === '' ? WITHOUT_TEXT : paged;
  },
};
const WITHOUT_TEXT: Omission = {
  reason: 'without text that can be read',
  detail: 'the pages of the PDF are images',
  hint: 'Recognize its text (OCR), for example with ocrmypdf: the next sync reads the result.',
};

async function convert(kind: DocumentKind, bytes: Uint8Array): Promise<ExtractOutcome> {
  try {
    const converted = await converters[kind](bytes);
    if ('reason' in converted) return { is: 'skip', omission: converted };
    const { text, pages } = converted;
    const omission = tooMuchText(text);
    if (omission) return { is: 'skip', omission };
    return { is: 'text', text, ...(pages && { pages }) };
  } catch (error) {
    // An error of a parser concerns only this document, so it becomes the answer.
    if (error instanceof SourceError)
      return { is: 'broken', reason: error.message, hint: error.hint ?? null };
    const message = (error instanceof Error ? error.message : String(error)).slice(0, 200);
    return { is: 'broken', reason: `the document is broken: ${message}`, hint: null };
  }
}

await serve(async ({ kind, size }: ExtractRequest, bytes) => convert(kind, await bytes(size)));
