/**
 * Finds the lines of a PDF that are titles of sections: the lines that the outline names, or else the lines in a
 * clearly larger font. Every chunk below a title contains the title, so a wrong title does more harm than a missing
 * one. Therefore a doubtful line does not count as a title.
 */
import { mostCommon, type PdfLine, type PdfPage } from './line.ts';
import type { OutlineItem } from './pdfium.ts';

export interface PdfTitle {
  /** Level 1 is the outermost, level 6 the innermost. */
  readonly level: number;
  /** This is the number of lines of the title. */
  readonly lines: number;
}

const DEEPEST = 6;
const MAX_TITLE_LINES = 4;

/** Returns a map from the first line of each title to the title. `outline` must be in the order of the document. */
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

/** A size of font counts as the size of the running text when at least this share of the characters has it. */
const MIN_SHARE = 0.4;

/** Returns the font size of the running text, or null when no size has enough characters. */
function textSizeOf(pages: readonly PdfPage[]): number | null {
  const sizes = new Map<number, number>();
  let all = 0;
  for (const page of pages)
    for (const { size, characters } of page) {
      sizes.set(size, (sizes.get(size) ?? 0) + characters);
      all += characters;
    }
  const size = mostCommon(sizes);
  return size > 0 && (sizes.get(size) ?? 0) >= all * MIN_SHARE ? size : null;
}

/**
 * Finds the lines of the outline's titles. Returns null when most titles are not on the pages to which the outline
 * leads.
 */
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

/** A title is at most this many points away from the destination of its bookmark. */
const MAX_DISTANCE = 72;

/**
 * Finds the line of a title. The same words may occur several times on the page, so the occurrence nearest to the
 * destination of the bookmark is taken.
 */
function find(
  bookmark: OutlineItem,
  page: PdfPage,
  {
    taken,
    textSize,
  }: { readonly taken: ReadonlyMap<PdfLine, PdfTitle>; readonly textSize: number | null },
): { readonly line: PdfLine; readonly lines: number } | null {
  const title = withoutNumbering(bookmark.title);
  if (title === '') return null;
  let nearest: { line: PdfLine; lines: number; distance: number } | null = null;
  for (const [first, line] of page.entries()) {
    const distance = bookmark.y === null ? 0 : Math.abs(bookmark.y - line.y);
    // Some bookmarks lead only to the upper edge of the page. Then a line that looks like a title is accepted too,
    // however far away it is.
    const standsOut = line.bold || (textSize !== null && line.size > textSize);
    if (taken.has(line) || (distance > MAX_DISTANCE && !standsOut)) continue;
    if (nearest && nearest.distance <= distance) continue;
    const lines = linesOfTitle(page, first, title);
    if (lines > 0) nearest = { line, lines, distance };
  }
  return nearest;
}

/** Returns the number of lines, from `first` on, that together are exactly the title, or 0. */
function linesOfTitle(page: PdfPage, first: number, title: string): number {
  let text = '';
  for (let lines = 1; lines <= MAX_TITLE_LINES && first + lines <= page.length; lines++) {
    text += ` ${page[first + lines - 1]!.text}`;
    const part = withoutNumbering(text);
    if (part === title) return lines;
    // A line with only a number, such as the number of the page, is not the beginning of a title.
    if (part === '' || !title.startsWith(part)) return 0;
  }
  return 0;
}

/** The expression matches `3.1`, `IV.`, `Chapter 2:` and `A.1`. */
const NUMBERING =
  /^\s*(?:(?:chapter|section|part|appendix)\s+)?(?:\d{1,4}|[ivxlc]{1,6}|[a-z](?=[.\d]))(?:\.\d{1,3})*[.:)]?(?:\s+|$)/i;

/**
 * Removes number, case and spaces from a title for a comparison, because often only the text or only the outline has
 * the number.
 */
const withoutNumbering = (text: string): string =>
  text
    .replace(NUMBERING, '')
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '');

/** A font is clearly larger than that of the running text when its size is at least that size times this ratio. */
const LARGER_RATIO = 1.3;
const LARGER_AND_BOLD_RATIO = 1.15;
/**
 * A document with sections has titles in at most this many sizes; a document with more sizes is something else, such as
 * a poster.
 */
const MAX_SIZES = 6;

function titlesOfFonts(pages: readonly PdfPage[], textSize: number): Map<PdfLine, PdfTitle> {
  const found = pages.flatMap((page, index) => largeLines(page, index === 0, textSize));
  const bySize = Map.groupBy(found, ({ line }) => line.size);
  // If a size has only one title, this is the title of the document when it is on the first page. Otherwise it may be
  // the label of a figure, so it is left out.
  const sure = found.filter(
    ({ line, onFirstPage }) => onFirstPage || bySize.get(line.size)!.length > 1,
  );
  const sizes = [...new Set(sure.map(({ line }) => line.size))].sort((a, b) => b - a);
  if (sizes.length > MAX_SIZES) return new Map();
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
    !fixedPitch && leastSize >= textSize * (bold ? LARGER_AND_BOLD_RATIO : LARGER_RATIO);
  const found: Large[] = [];
  for (let first = 0; first < page.length; ) {
    const line = page[first]!;
    let end = first + 1;
    if (isLarge(line)) {
      while (end < page.length && page[end]!.size === line.size && isLarge(page[end]!)) end++;
      const lines = end - first;
      const text = titleText(page.slice(first, end));
      if (lines <= MAX_TITLE_LINES && readsAsTitle(text))
        found.push({ line, lines, text, onFirstPage });
    }
    first = end;
  }
  const numbered = found.filter(({ text }) => /\s\d+$/.test(text));
  return numbered.length < TABLE_OF_CONTENTS
    ? found
    : found.filter((one) => !numbered.includes(one));
}

/** When a page has at least this many large lines with a number at their end, these lines are a table of contents. */
const TABLE_OF_CONTENTS = 3;
const LONGEST_TITLE = 200;
const LEADER = /(?:\.\s?){3}|\s\.\s\./;

const readsAsTitle = (text: string): boolean =>
  text.length <= LONGEST_TITLE &&
  /\p{L}{2}/u.test(text) &&
  !/[.,;]$/.test(text) &&
  !LEADER.test(text);

export const titleText = (lines: readonly PdfLine[]): string =>
  lines.map(({ text }) => text.trim()).join(' ');
