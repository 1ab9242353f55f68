/** Finds the path of a piece: the titles of the sections in which it lies, from the outermost to the innermost. */

export interface Heading {
  /** `start` and `end` are the offsets of the heading's line. */
  readonly start: number;
  readonly end: number;
  /** Level 1 is the outermost. */
  readonly level: number;
  readonly title: string;
}

const LONGEST_TITLE = 100;
export const LONGEST_PATH = 200;

/** Returns the title without markup. */
export const titleOf = (line: string): string =>
  line
    .slice(0, 4 * LONGEST_TITLE)
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/<[^<>]*>/g, '')
    .replace(/[*`]+|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, LONGEST_TITLE)
    .replace(/[\ud800-\udbff]$/, '');

/** Returns a function that returns the path of a piece. The caller must ask for pieces in ascending order. */
export function createPaths(text: string, headings: readonly Heading[]) {
  const open: Heading[] = [];
  let next = 0;
  const enter = () => {
    const heading = headings[next++]!;
    while (open.length > 0 && open.at(-1)!.level >= heading.level) open.pop();
    open.push(heading);
  };
  /** Returns the path of the piece from `start` to `end`. Headings at the beginning of the piece belong to the path. */
  return (start: number, end: number): string | null => {
    while (next < headings.length && headings[next]!.start < start) enter();
    let at = start;
    while (next < headings.length && headings[next]!.start < end) {
      const heading = headings[next]!;
      if (text.slice(at, heading.start).trim() !== '') break;
      at = heading.end;
      enter();
    }
    return pathOf(open.map((heading) => heading.title).filter((title) => title !== ''));
  };
}

/** A path that is too long loses its outermost titles. */
function pathOf(titles: string[]): string | null {
  let path = titles.join(' > ');
  while (path.length > LONGEST_PATH) {
    titles.shift();
    path = titles.join(' > ');
  }
  return path === '' ? null : path;
}
