/** A line of a page has the properties of its fonts that are needed to recognize titles and program text. */
import { cleanText } from '../plain.ts';

export interface Style {
  /** This is the size in points, with all scaling applied. */
  readonly size: number;
  readonly bold: boolean;
  /** If true, all characters of the font have the same width. */
  readonly fixedPitch: boolean;
}

/** This is a part of a line, which may be a cell of a table. */
export interface PdfCell {
  readonly text: string;
  /** These are distances from the left edge of the page, in points. */
  readonly left: number;
  readonly right: number;
}

export interface PdfLine {
  readonly text: string;
  /** This is the number of characters without white space. */
  readonly characters: number;
  /** This is the size of most characters, or 0 when none of them is visible. */
  readonly size: number;
  /** Nine in ten characters have at least this size. */
  readonly leastSize: number;
  readonly bold: boolean;
  readonly fixedPitch: boolean;
  /** This is the upper left corner of the first character, in points from the lower left corner of the page. */
  readonly x: number;
  readonly y: number;
  /** This is the width of the first character, in points. */
  readonly width: number;
  /** These are the parts of a line with wide gaps between them, or none. */
  readonly cells: readonly PdfCell[];
}

/** A line of more parts is not a row of a table. */
export const MOST_CELLS = 50;

export type PdfPage = readonly PdfLine[];

/** A line counts as bold, for example, when this share of its characters is bold. */
const MIN_SHARE = 0.9;
/** Sizes are rounded to this many points. */
const STEP = 0.5;

type LinePlace = Pick<PdfLine, 'x' | 'y' | 'width'> & Partial<Pick<PdfLine, 'cells'>>;

/** Makes a line. `styles` counts its characters in each style, without white space. */
export function createLine(
  text: string,
  styles: ReadonlyMap<Style, number>,
  { cells = [], ...place }: LinePlace,
): PdfLine {
  const sizes = new Map<number, number>();
  let characters = 0;
  let bold = 0;
  let fixedPitch = 0;
  for (const [style, count] of styles) {
    const size = Math.round(style.size / STEP) * STEP;
    sizes.set(size, (sizes.get(size) ?? 0) + count);
    characters += count;
    if (style.bold) bold += count;
    if (style.fixedPitch) fixedPitch += count;
  }
  const enough = characters * MIN_SHARE;
  return {
    text: cleanText(text).trimEnd(),
    characters,
    size: mostCommon(sizes),
    leastSize: leastOf(sizes, enough),
    bold: characters > 0 && bold >= enough,
    fixedPitch: characters > 0 && fixedPitch >= enough,
    ...place,
    cells,
  };
}

/** Returns the key with the highest count, or 0 when the map is empty. Among equal counts, the first key wins. */
export function mostCommon(counts: ReadonlyMap<number, number>): number {
  let common = 0;
  let highest = 0;
  for (const [key, count] of counts) {
    if (count <= highest) continue;
    common = key;
    highest = count;
  }
  return common;
}

/** Returns the greatest size that `enough` characters have or exceed. */
function leastOf(sizes: ReadonlyMap<number, number>, enough: number): number {
  let sum = 0;
  for (const [size, count] of [...sizes].sort(([one], [other]) => other - one)) {
    sum += count;
    if (sum >= enough) return size;
  }
  return 0;
}
