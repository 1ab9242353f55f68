/**
 * This is our interface to PDFium: the lines of a page with their fonts, and the outline. PDFium is C compiled to
 * WebAssembly: its objects are addresses, and its functions write results into its memory.
 */
import { PDFiumModule } from '@hyzyla/pdfium';
import { SourceError } from '../../errors.ts';
import type { PdfLine } from './line.ts';
import {
  type PdfReader,
  type Pointer,
  readLines,
  TEXT_BYTES,
  type TextModule,
  textIn,
} from './read-lines.ts';
import { hasImage, pictureOf, type RenderingModule } from './render.ts';

export interface OutlineItem {
  readonly title: string;
  /** Level 1 is the outermost. */
  readonly level: number;
  /** This is the index of the page to which the item leads. */
  readonly page: number;
  /**
   * This is the height of the destination above the lower edge of the page, in points, or null when the destination is
   * the whole page.
   */
  readonly y: number | null;
}

export interface PdfFile extends Disposable {
  readonly pages: number;
  /**
   * Returns the lines in the order of the file, which is usually from top to bottom, or null for a page that is broken
   * or missing.
   */
  linesOf(page: number): PdfLine[] | null;
  outline(): OutlineItem[];
  /** Returns true when a picture is on the page. */
  hasImage(page: number): boolean;
  /** Returns a picture of the page, in shades of grey, as a file in the format PGM. */
  pictureOf(page: number): Uint8Array;
}

/** The types of the package leave out these functions of PDFium. */
interface Untyped {
  _FPDF_InitLibrary(): void;
  _FPDFBookmark_GetFirstChild(document: Pointer, bookmark: Pointer): Pointer;
  _FPDFBookmark_GetNextSibling(document: Pointer, bookmark: Pointer): Pointer;
  _FPDFBookmark_GetTitle(bookmark: Pointer, title: Pointer, bytes: number): number;
  _FPDFBookmark_GetDest(document: Pointer, bookmark: Pointer): Pointer;
  _FPDFDest_GetDestPageIndex(document: Pointer, destination: Pointer): number;
  _FPDFDest_GetLocationInPage(
    destination: Pointer,
    hasX: Pointer,
    hasY: Pointer,
    hasZoom: Pointer,
    x: Pointer,
    y: Pointer,
    zoom: Pointer,
  ): number;
}
type Module = Awaited<ReturnType<typeof PDFiumModule>> & Untyped & RenderingModule & TextModule;
type PdfiumReader = PdfReader<Module>;

/** FPDF_GetLastError returns this number for a file that needs a password. */
const PASSWORD_ERROR = 4;
const SECURITY_ERROR = 5;
const SCRATCH_BYTES = 2 * TEXT_BYTES;
const MAX_BOOKMARKS = 20_000;
const DEEPEST_BOOKMARK = 32;

let loading: Promise<Module> | undefined;

async function load(): Promise<Module> {
  const module = (await PDFiumModule({})) as Module;
  module._FPDF_InitLibrary();
  return module;
}

/** Throws a SourceError 'skip' for a file that cannot be read as a PDF. */
export async function openPdf(bytes: Uint8Array): Promise<PdfFile> {
  loading ??= load();
  const pdfium = await loading;
  const { malloc, free } = pdfium.wasmExports;
  const content = malloc(bytes.length);
  pdfium.HEAPU8.set(bytes, content);
  const document = pdfium._FPDF_LoadMemDocument(content, bytes.length, 0);
  if (document === 0) {
    free(content);
    throw refusal(pdfium._FPDF_GetLastError());
  }
  const scratch = malloc(SCRATCH_BYTES);
  const reader = { pdfium, scratch };
  return {
    pages: pdfium._FPDF_GetPageCount(document),
    linesOf: (page) => linesOf(reader, document, page),
    outline: () => [...bookmarksOf(reader, document)],
    hasImage: (page) => hasImage(pdfium, document, page),
    pictureOf: (page) => pictureOf(pdfium, document, page),
    [Symbol.dispose]() {
      pdfium._FPDF_CloseDocument(document);
      free(scratch);
      free(content);
    },
  };
}

function refusal(code: number): SourceError {
  if (code === PASSWORD_ERROR)
    return new SourceError('skip', 'the PDF is protected by a password', {
      hint: 'Store a copy without the password.',
    });
  if (code === SECURITY_ERROR)
    return new SourceError('skip', 'the PDF is protected in a way that cannot be read', {
      hint: 'Store a copy without the protection.',
    });
  return new SourceError('skip', 'the file is broken or is not a PDF', {
    hint: 'Open it in a viewer and save it again.',
  });
}

function linesOf(reader: PdfiumReader, document: Pointer, index: number): PdfLine[] | null {
  const { pdfium } = reader;
  const page = pdfium._FPDF_LoadPage(document, index);
  const text = page === 0 ? 0 : pdfium._FPDFText_LoadPage(page);
  try {
    return text === 0 ? null : readLines(reader, text);
  } finally {
    if (text !== 0) pdfium._FPDFText_ClosePage(text);
    if (page !== 0) pdfium._FPDF_ClosePage(page);
  }
}

function* bookmarksOf(reader: PdfiumReader, document: Pointer): Generator<OutlineItem> {
  const { pdfium } = reader;
  // In a broken file, the chain of bookmarks may contain a cycle.
  const seen = new Set<Pointer>();
  const open = [pdfium._FPDFBookmark_GetFirstChild(document, 0)];
  while (open.length > 0) {
    const bookmark = open.pop()!;
    if (bookmark === 0 || seen.has(bookmark) || seen.size === MAX_BOOKMARKS) continue;
    seen.add(bookmark);
    const destination = pdfium._FPDFBookmark_GetDest(document, bookmark);
    const page = destination === 0 ? -1 : pdfium._FPDFDest_GetDestPageIndex(document, destination);
    if (page >= 0)
      yield {
        title: titleOf(reader, bookmark),
        level: open.length + 1,
        page,
        y: heightOf(reader, destination),
      };
    open.push(pdfium._FPDFBookmark_GetNextSibling(document, bookmark));
    if (open.length < DEEPEST_BOOKMARK)
      open.push(pdfium._FPDFBookmark_GetFirstChild(document, bookmark));
  }
}

/** Returns the title of a bookmark, or '' for a title that is too long. */
function titleOf(reader: PdfiumReader, bookmark: Pointer): string {
  const { pdfium, scratch } = reader;
  const bytes = pdfium._FPDFBookmark_GetTitle(bookmark, scratch, TEXT_BYTES);
  return bytes > TEXT_BYTES ? '' : textIn(reader, bytes - 2, 'utf-16le');
}

function heightOf({ pdfium, scratch }: PdfiumReader, destination: Pointer): number | null {
  const at = (index: number) => scratch + TEXT_BYTES + 4 * index;
  const isKnown = pdfium._FPDFDest_GetLocationInPage(
    destination,
    ...([at(0), at(1), at(2), at(3), at(4), at(5)] as const),
  );
  const memory = new DataView(pdfium.HEAPU8.buffer);
  return isKnown !== 0 && memory.getInt32(at(1), true) !== 0
    ? memory.getFloat32(at(4), true)
    : null;
}
