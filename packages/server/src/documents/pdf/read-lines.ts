/** Reads the lines of a page, with their fonts and the gaps in them, from PDFium (fpdf_text.h). */
import type { PDFiumModule } from '@hyzyla/pdfium';
import { cleanText } from '../plain.ts';
import { createLine, MOST_CELLS, type PdfCell, type PdfLine, type Style } from './line.ts';

/** The objects of PDFium are addresses. */
export type Pointer = number;
/** The types of the package leave out these functions of PDFium. */
export interface TextModule {
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
}

export interface PdfReader<Module = Awaited<ReturnType<typeof PDFiumModule>> & TextModule> {
  readonly pdfium: Module;
  /** PDFium writes results into this memory, which has SCRATCH_BYTES bytes. */
  readonly scratch: Pointer;
}

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

/** The first half of the scratch memory is for texts, and the second half for numbers. */
export const TEXT_BYTES = 2048;

/** Words of a justified line are less than this far from each other, in sizes of the font. */
const LEAST_GAP = 1;

interface OpenLine {
  text: string;
  readonly styles: Map<Style, number>;
  /** These are the parts of the line with gaps between them. */
  readonly cells: PdfCell[];
  /** These are the beginning of the last part in the text, its first character, and the last character of the line. */
  start: number;
  first: number;
  last: number;
  lastStyle: Style | undefined;
  /** The text itself is not asked, because to look at its end would copy all of it each time. */
  endsWithBlank: boolean;
}

const newLine = (): OpenLine => ({
  ...{ text: '', styles: new Map(), cells: [] },
  ...{ start: 0, first: -1, last: -1, lastStyle: undefined, endsWithBlank: false },
});

export function readLines(reader: PdfReader, text: Pointer): PdfLine[] {
  const { pdfium } = reader;
  const lines: PdfLine[] = [];
  const styleAt = createStyles(reader, text);
  const count = pdfium._FPDFText_CountChars(text);
  let line = newLine();
  let place = NOWHERE;

  function endCell(): void {
    const { x, width } = boxOf(reader, text, line.last);
    const shown = cleanText(line.text.slice(line.start)).trim();
    line.cells.push({ text: shown, left: boxOf(reader, text, line.first).x, right: x + width });
  }

  function endLine(): void {
    if (line.cells.length > 0) endCell();
    if (line.first >= 0)
      lines.push(createLine(line.text, line.styles, { ...place, cells: line.cells }));
    line = newLine();
  }

  /** Gaps are only between text objects, because a program sets the position of each cell; PDFium puts a blank there. */
  function isBehindGap(index: number, style: Style | undefined): boolean {
    if (!style || style === line.lastStyle || !line.endsWithBlank) return false;
    if (line.cells.length > MOST_CELLS) return false;
    const { x, width } = boxOf(reader, text, line.last);
    const gap = boxOf(reader, text, index).x - x - width;
    return style.size > 0 && gap >= style.size * LEAST_GAP;
  }

  function addCharacter(character: string, index: number): void {
    const style = styleAt(index);
    if (line.first < 0) {
      line.first = index;
      place = boxOf(reader, text, index);
    } else if (isBehindGap(index, style)) {
      endCell();
      line.start = line.text.length;
      line.first = index;
    }
    line.text += character;
    line.endsWithBlank = false;
    line.last = index;
    line.lastStyle = style;
    if (style) line.styles.set(style, (line.styles.get(style) ?? 0) + 1);
  }

  for (let i = 0; i < count; i++) {
    const code = pdfium._FPDFText_GetUnicode(text, i);
    if (code === 0 || code === SOFT_HYPHEN) continue;
    if (code === 10 || code === 13) {
      endLine();
      continue;
    }
    const character = String.fromCodePoint(code);
    if (character.trim() === '') {
      line.text += character;
      line.endsWithBlank = true;
    } else addCharacter(character, i);
  }
  endLine();
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

const NOWHERE = { x: 0, y: 0, width: 0 };

function boxOf({ pdfium, scratch }: PdfReader, text: Pointer, index: number) {
  const numbers = scratch + TEXT_BYTES;
  if (pdfium._FPDFText_GetLooseCharBox(text, index, numbers) === 0) return NOWHERE;
  // The function writes left, top, right and bottom, in this order.
  const memory = new DataView(pdfium.HEAPU8.buffer);
  const x = memory.getFloat32(numbers, true);
  const y = memory.getFloat32(numbers + 4, true);
  return { x, y, width: memory.getFloat32(numbers + 8, true) - x };
}

/** Returns the text in the scratch memory; `bytes` is its length without the zero at its end. */
export function textIn({ pdfium, scratch }: PdfReader, bytes: number, encoding: string): string {
  // The bytes are copied, because TextDecoder refuses memory that can grow.
  const copy = pdfium.HEAPU8.slice(scratch, scratch + Math.max(0, bytes));
  return new TextDecoder(encoding).decode(copy);
}
