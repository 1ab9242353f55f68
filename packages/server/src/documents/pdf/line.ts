/** A line of a page has as much of its fonts as tells titles and program text from other text. */
import { cleanText } from '../plain.ts';

export interface Style {
  /** The size is in points, after all scaling. */
  readonly size: number;
  readonly bold: boolean;
  /** All characters of the font have the same width. */
  readonly fixedPitch: boolean;
}

export interface PdfLine {
  readonly text: string;
  /** The number does not include white space. */
  readonly characters: number;
  /** Most characters have this size; it is 0 when none of them is visible. */
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
}

export type PdfPage = readonly PdfLine[];

/** The line has a property when this share of its characters has it. */
const MOST = 0.9;
const STEP = 0.5;

/** A style counts as many times as characters have it. */
export function createLine(
  text: string,
  styles: ReadonlyMap<Style, number>,
  place: Pick<PdfLine, 'x' | 'y' | 'width'>,
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
  const most = characters * MOST;
  return {
    text: cleanText(text).trimEnd(),
    characters,
    size: mostCommon(sizes),
    leastSize: leastOf(sizes, most),
    bold: characters > 0 && bold >= most,
    fixedPitch: characters > 0 && fixedPitch >= most,
    ...place,
  };
}

/** Returns the key with the highest count, the first of equal ones, or 0 when the map is empty. */
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

function leastOf(sizes: ReadonlyMap<number, number>, enough: number): number {
  let sum = 0;
  for (const [size, count] of [...sizes].sort(([one], [other]) => other - one)) {
    sum += count;
    if (sum >= enough) return size;
  }
  return 0;
}
