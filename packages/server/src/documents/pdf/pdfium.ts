/**
 * This is our interface to PDFium: the lines of a page with their fonts, and the outline. PDFium is C compiled to
 * WebAssembly: its objects are addresses, and its functions write results into its memory.
 */
import { PDFiumModule } from '@hyzyla/pdfium';
import { SourceError } from '../../errors.ts';
import { createLine, type PdfLine, type Style } from './line.ts';
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

type Pointer = number;
/** The types of the package leave out these functions of PDFium. */
interface Untyped {
  _FPDF_InitLibrary(): void;
  _FPDFText_GetUnicode(text: Pointer, index: number): number;
  _FPDFText_GetTextObject(text: Pointer, index: number): Pointer;
  _FPDFText_GetFontSize(text: Pointer, index: number): number;
  _FPDFText_GetFontWeight(text: Pointer, index: number): number;
  _FPDFText_GetFontInfo(
    text: Pointer,
    index: number,
    name: Pointer,
    bytes: number,
    flags: Pointer,
  ): number;
  _FPDFText_GetMatrix(text: Pointer, index: number, sixFloats: Pointer): number;
  _FPDFText_GetLooseCharBox(text: Pointer, index: number, fourFloats: Pointer): number;
  _FPDFTextObj_GetTextRenderMode(object: Pointer): number;
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
type Module = Awaited<ReturnType<typeof PDFiumModule>> & Untyped & RenderingModule;

interface PdfReader {
  readonly pdfium: Module;
  /** PDFium writes results into this memory, which has SCRATCH_BYTES bytes. */
  readonly scratch: Pointer;
}

/** FPDF_GetLastError returns this number for a file that needs a password. */
const PASSWORD_ERROR = 4;
const SECURITY_ERROR = 5;
/** FPDFText_GetUnicode returns this number for a hyphen that only divides a word at the end of a line. */
const SOFT_HYPHEN = 2;
/** FPDFTextObj_GetTextRenderMode returns this number for invisible text, which OCR adds to scanned pages. */
const INVISIBLE = 3;

/** These are bits of the flags of a font (ISO 32000-1, table 123). Many files leave them out, so names count too. */
const FIXED_PITCH = 1 << 0;
const FORCE_BOLD = 1 << 18;
const FIXED_PITCH_NAME =
  /courier|mono(?!type)|consola|menlo|monaco|typewriter|inconsolata|terminal|fixed|(?:source|fira) ?code|hack|cm(?:sl|vt|it|b)?tt\d|[el]ctt\d|txtt/i;
const BOLD_NAME = /bold|black|heavy|demi|cmbx|cmssbx|[-,]bd|medi$/i;
/** PDFium estimates the weight of a font by the thickness of its strokes; regular fonts get 400 or less. */
const BOLD_WEIGHT = 500;

const SCRATCH_BYTES = 4096;
/** The first half of the scratch memory is for texts, and the second half for numbers. */
const TEXT_BYTES = SCRATCH_BYTES / 2;
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

function linesOf(reader: PdfReader, document: Pointer, index: number): PdfLine[] | null {
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

function readLines(reader: PdfReader, text: Pointer): PdfLine[] {
  const { pdfium } = reader;
  const lines: PdfLine[] = [];
  const styleAt = createStyles(reader, text);
  let line = '';
  let first = -1;
  let styles = new Map<Style, number>();
  const count = pdfium._FPDFText_CountChars(text);
  const end = () => {
    if (first >= 0) lines.push(createLine(line, styles, boxOf(reader, text, first)));
    line = '';
    first = -1;
    styles = new Map();
  };
  for (let i = 0; i < count; i++) {
    const code = pdfium._FPDFText_GetUnicode(text, i);
    if (code === 0 || code === SOFT_HYPHEN) continue;
    if (code === 10 || code === 13) {
      end();
      continue;
    }
    const character = String.fromCodePoint(code);
    line += character;
    if (character.trim() === '') continue;
    if (first < 0) first = i;
    const style = styleAt(i);
    if (style) styles.set(style, (styles.get(style) ?? 0) + 1);
  }
  end();
  return lines;
}

/** Returns the style of a character. All characters of one text object have the same style. */
function createStyles(reader: PdfReader, text: Pointer) {
  const known = new Map<Pointer, Style>();
  return (index: number): Style | undefined => {
    const object = reader.pdfium._FPDFText_GetTextObject(text, index);
    // PDFium has inserted this character itself, so the character has no style.
    if (object === 0) return undefined;
    const style = known.get(object) ?? readStyle(reader, text, { index, object });
    known.set(object, style);
    return style;
  };
}

function readStyle(
  { pdfium, scratch }: PdfReader,
  text: Pointer,
  { index, object }: { readonly index: number; readonly object: Pointer },
): Style {
  const numbers = scratch + TEXT_BYTES;
  const memory = () => new DataView(pdfium.HEAPU8.buffer);
  const bytes = pdfium._FPDFText_GetFontInfo(text, index, scratch, TEXT_BYTES, numbers);
  const flags = bytes > 0 ? memory().getInt32(numbers, true) : 0;
  const name =
    bytes > 0 && bytes <= TEXT_BYTES ? textIn({ pdfium, scratch }, bytes - 1, 'utf-8') : '';
  const hasMatrix = pdfium._FPDFText_GetMatrix(text, index, numbers) !== 0;
  // The third and the fourth of the six numbers are the vertical axis of a letter: its direction and its length.
  const scale = hasMatrix
    ? Math.hypot(memory().getFloat32(numbers + 8, true), memory().getFloat32(numbers + 12, true))
    : 1;
  const isVisible = pdfium._FPDFTextObj_GetTextRenderMode(object) !== INVISIBLE;
  return {
    size: isVisible ? pdfium._FPDFText_GetFontSize(text, index) * scale : 0,
    bold:
      (flags & FORCE_BOLD) !== 0 ||
      BOLD_NAME.test(name) ||
      pdfium._FPDFText_GetFontWeight(text, index) >= BOLD_WEIGHT,
    fixedPitch: (flags & FIXED_PITCH) !== 0 || FIXED_PITCH_NAME.test(name),
  };
}

function boxOf({ pdfium, scratch }: PdfReader, text: Pointer, index: number) {
  const numbers = scratch + TEXT_BYTES;
  if (pdfium._FPDFText_GetLooseCharBox(text, index, numbers) === 0) return { x: 0, y: 0, width: 0 };
  // The function writes left, top, right and bottom, in this order.
  const memory = new DataView(pdfium.HEAPU8.buffer);
  const x = memory.getFloat32(numbers, true);
  const y = memory.getFloat32(numbers + 4, true);
  return { x, y, width: memory.getFloat32(numbers + 8, true) - x };
}

function* bookmarksOf(reader: PdfReader, document: Pointer): Generator<OutlineItem> {
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
function titleOf(reader: PdfReader, bookmark: Pointer): string {
  const { pdfium, scratch } = reader;
  const bytes = pdfium._FPDFBookmark_GetTitle(bookmark, scratch, TEXT_BYTES);
  return bytes > TEXT_BYTES ? '' : textIn(reader, bytes - 2, 'utf-16le');
}

function heightOf({ pdfium, scratch }: PdfReader, destination: Pointer): number | null {
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

/** Returns the text in the scratch memory; `bytes` is its length without the zero at its end. */
function textIn({ pdfium, scratch }: PdfReader, bytes: number, encoding: string): string {
  // The bytes are copied, because TextDecoder refuses memory that can grow.
  const copy = pdfium.HEAPU8.slice(scratch, scratch + Math.max(0, bytes));
  return new TextDecoder(encoding).decode(copy);
}
