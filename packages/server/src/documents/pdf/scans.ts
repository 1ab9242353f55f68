/** Recognizes the text of the pages of a PDF that are scanned: they show a picture and have hardly any text. */
import type { Ocr, PictureText } from '../ocr/ocr.ts';
import type { Omission } from '../omission.ts';
import { createLine, type PdfLine, type PdfPage } from './line.ts';
import type { PdfFile } from './pdfium.ts';

/** A scanned page may have a page number or a stamp as its text. */
const LEAST_CHARACTERS = 20;

/** Returns the indexes of the pages that are scanned. */
export const scannedPages = (pages: readonly PdfPage[], file: PdfFile): number[] =>
  pages.flatMap((page, index) => (isBare(page) && file.hasImage(index) ? [index] : []));

function isBare(page: PdfPage): boolean {
  let characters = 0;
  for (const line of page) characters += line.characters;
  return characters < LEAST_CHARACTERS;
}

export interface RecognizedPages {
  /** The text of a page is in its place in the document. The pages that could not be read are missing. */
  readonly texts: ReadonlyMap<number, PdfLine[]>;
  /** These pages cannot be drawn, or their pictures cannot be read. */
  readonly broken: readonly number[];
  /** This says why pages were left out when the limits of the recognition were reached, and how many were left. */
  readonly stopped: { readonly omission: Omission; readonly pages: readonly number[] } | null;
}

/** Recognizes the pages with these indexes, in their order. */
export async function recognizePages(
  file: PdfFile,
  indexes: readonly number[],
  ocr: Ocr,
): Promise<RecognizedPages> {
  const texts = new Map<number, PdfLine[]>();
  const broken: number[] = [];
  for (const [done, index] of indexes.entries()) {
    const omission = ocr.exhausted();
    if (omission) return { texts, broken, stopped: { omission, pages: indexes.slice(done) } };
    const recognized = await recognizePage(file, index, ocr);
    if (recognized.is === 'text') texts.set(index, linesOf(recognized.text));
    if (recognized.is === 'undecodable') broken.push(index);
  }
  return { texts, broken, stopped: null };
}

/** PDFium may fail at one page, and the others can be read all the same. */
async function recognizePage(file: PdfFile, index: number, ocr: Ocr): Promise<PictureText> {
  let picture: Uint8Array;
  try {
    picture = file.pictureOf(index);
  } catch {
    return { is: 'undecodable' };
  }
  return ocr.recognize(picture);
}

/** A recognized line has no fonts, so it is neither a title nor program text. */
const linesOf = (text: string): PdfLine[] =>
  text.split('\n').map((line) => createLine(line, new Map(), { x: 0, y: 0, width: 0 }));

/** Names pages for people: `page 2` or `pages 2-4, 7`. */
export function namesOf(indexes: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const index of indexes) {
    const last = runs.at(-1);
    if (last && last[1] === index - 1) last[1] = index;
    else runs.push([index, index]);
  }
  const shown = runs
    .slice(0, MOST_RUNS)
    .map(([from, to]) => (from === to ? from + 1 : `${from + 1}-${to + 1}`));
  return `${indexes.length === 1 ? 'page' : 'pages'} ${shown.join(', ')}${runs.length > MOST_RUNS ? ', …' : ''}`;
}

const MOST_RUNS = 20;
