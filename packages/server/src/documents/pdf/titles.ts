/**
 * Finds the lines of a PDF that are titles of its sections: the lines that its outline names, or else the lines
 * that are set in a clearly larger font. Everything below a title is quoted with it, so a wrong title does more
 * harm than a missed one, and a line that is in doubt does not count as a title.
 */
import { mostCommon, type PdfLine, type PdfPage } from './line.ts';
import type { OutlineItem } from './pdfium.ts';

export interface PdfTitle {
  /** Level 1 is the outermost, level 6 the innermost. */
  readonly level: number;
  /** The title takes up this many lines. */
  readonly lines: number;
}

const DEEPEST = 6;
const MOST_LINES = 4;

/** Returns the titles by the line with which they begin. `outline` is in the order of the document. */
export function titlesOf(
  pages: readonly PdfPage[],
  outline: readonly OutlineItem[],
): ReadonlyMap<PdfLine, PdfTitle> {
  const textSize = textSizeOf(pages);
  return (
    titlesOfOutline(pages, outline, textSize) ??
    (textSize === null ? new Map() : titlesOfFonts(pages, textSize))
  );
}

/** A size must have this share of the characters to be the size of the running text. */
const LEAST_SHARE = 0.4;

/** Returns the size in which the running text is set, or null when no size has enough of the characters. */
function textSizeOf(pages: readonly PdfPage[]): number | null {
  const sizes = new Map<number, number>();
  let all = 0;
  for (const page of pages)
    for (const { size, characters } of page) {
      sizes.set(size, (sizes.get(size) ?? 0) + characters);
      all += characters;
    }
  const size = mostCommon(sizes);
  return size > 0 && (sizes.get(size) ?? 0) >= all * LEAST_SHARE ? size : null;
}

/** Returns null when most of the outline is not found on the pages to which it leads. */
function titlesOfOutline(
  pages: readonly PdfPage[],
  outline: readonly OutlineItem[],
  textSize: number | null,
): Map<PdfLine, PdfTitle> | null {
  const titles = new Map<PdfLine, PdfTitle>();
  for (const bookmark of outline) {
    const found = find(bookmark, pages[bookmark.page] ?? [], { taken: titles, textSize });
    if (found)
      titles.set(found.line, { level: Math.min(bookmark.level, DEEPEST), lines: found.lines });
  }
  return titles.size >= 2 && titles.size * 2 >= outline.length ? titles : null;
}

/** A title is at most this many points from the place to which its bookmark leads. */
const NEAR = 72;

/**
 * Finds the place of the title that is nearest to where its bookmark leads, because the same
 * words may stand in several places.
 */
function find(
  bookmark: OutlineItem,
  page: PdfPage,
  {
    taken,
    textSize,
  }: { readonly taken: ReadonlyMap<PdfLine, PdfTitle>; readonly textSize: number | null },
): { readonly line: PdfLine; readonly lines: number } | null {
  const title = significant(bookmark.title);
  if (title === '') return null;
  let nearest: { line: PdfLine; lines: number; distance: number } | null = null;
  for (const [first, line] of page.entries()) {
    const distance = bookmark.y === null ? 0 : Math.abs(bookmark.y - line.y);
    // Some bookmarks lead only to the upper edge of the page, far from the title itself.
    const standsOut = line.bold || (textSize !== null && line.size > textSize);
    if (taken.has(line) || (distance > NEAR && !standsOut)) continue;
    if (nearest && nearest.distance <= distance) continue;
    const lines = linesOfTitle(page, first, title);
    if (lines > 0) nearest = { line, lines, distance };
  }
  return nearest;
}

/**
 * Returns how many lines of the page, from `first` on, are the title and nothing else, or
 * 0 when the title is not there.
 */
function linesOfTitle(page: PdfPage, first: number, title: string): number {
  let text = '';
  for (let lines = 1; lines <= MOST_LINES && first + lines <= page.length; lines++) {
    text += ` ${page[first + lines - 1]!.text}`;
    const part = significant(text);
    if (part === title) return lines;
    // A title does not begin with only a number, such as the number of the page.
    if (part === '' || !title.startsWith(part)) return 0;
  }
  return 0;
}

/** The expression matches `3.1`, `IV.`, `Chapter 2:` and `A.1`. */
const NUMBER =
  /^\s*(?:(?:chapter|section|part|appendix)\s+)?(?:\d{1,4}|[ivxlc]{1,6}|[a-z](?=[.\d]))(?:\.\d{1,3})*[.:)]?(?:\s+|$)/i;

/** Keeps what all ways to set a title have in common: often only the text or only the outline has its number. */
const significant = (text: string): string =>
  text
    .replace(NUMBER, '')
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '');

/** A font is clearly larger than the font of the running text from these ratios on. */
const LARGER = 1.3;
const LARGER_AND_BOLD = 1.15;
/** A text with sections sets its titles in at most this many sizes, and a poster in more. */
const MOST_SIZES = 6;

function titlesOfFonts(pages: readonly PdfPage[], textSize: number): Map<PdfLine, PdfTitle> {
  const found = pages.flatMap((page, index) => largeLines(page, index === 0, textSize));
  const bySize = Map.groupBy(found, ({ line }) => line.size);
  // A title whose size comes only once is that of the document, on its first page, or labels a figure.
  const sure = found.filter(
    ({ line, onFirstPage }) => onFirstPage || bySize.get(line.size)!.length > 1,
  );
  const sizes = [...new Set(sure.map(({ line }) => line.size))].sort((a, b) => b - a);
  if (sizes.length > MOST_SIZES) return new Map();
  return new Map(
    sure.map(({ line, lines }) => [line, { level: sizes.indexOf(line.size) + 1, lines }]),
  );
}

interface Large {
  readonly line: PdfLine;
  readonly lines: number;
  readonly text: string;
  readonly onFirstPage: boolean;
}

function largeLines(page: PdfPage, onFirstPage: boolean, textSize: number): Large[] {
  const isLarge = ({ leastSize, bold, fixedPitch }: PdfLine) =>
    !fixedPitch && leastSize >= textSize * (bold ? LARGER_AND_BOLD : LARGER);
  const found: Large[] = [];
  for (let first = 0; first < page.length; ) {
    const line = page[first]!;
    let end = first + 1;
    if (isLarge(line)) {
      while (end < page.length && page[end]!.size === line.size && isLarge(page[end]!)) end++;
      const lines = end - first;
      const text = titleText(page.slice(first, end));
      if (lines <= MOST_LINES && readsAsTitle(text)) found.push({ line, lines, text, onFirstPage });
    }
    first = end;
  }
  // The numbers at the ends of several lines are those of pages, in a table of contents.
  const numbered = found.filter(({ text }) => /\s\d+$/.test(text));
  return numbered.length < MOST_NUMBERED ? found : found.filter((one) => !numbered.includes(one));
}

const MOST_NUMBERED = 3;
const LONGEST_TITLE = 200;
const LEADER = /(?:\.\s?){3}|\s\.\s\./;

const readsAsTitle = (text: string): boolean =>
  text.length <= LONGEST_TITLE &&
  /\p{L}{2}/u.test(text) &&
  !/[.,;]$/.test(text) &&
  !LEADER.test(text);

export const titleText = (lines: readonly PdfLine[]): string =>
  lines.map(({ text }) => text.trim()).join(' ');
