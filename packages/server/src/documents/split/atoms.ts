/**
 * What a text is made of before it is packed into pieces: atoms, in order and without gaps, which
 * are never cut again (a sentence, a row, a line of code), and the price of a cut after each.
 *
 * An atom is short (ATOM_LIMIT characters), so that a piece that keeps the limits can always be
 * made, whatever the text is.
 */

/** Price of a cut, in the unit of the price of a size (pack.ts). */
export const CUT = {
  section: 0,
  definition: 0.2,
  paragraph: 0.5,
  item: 1,
  row: 1,
  sentence: 1.5,
  line: 2,
  /** The next word is not capitalized: perhaps it was an abbreviation. */
  perhapsSentence: 2.5,
  /** Between `as follows:` and what follows. */
  introduction: 3,
  clause: 4,
  word: 8,
  insideWord: 12,
  /** A heading and its text, a table's header and its first row. */
  never: 50,
} as const;

const ATOM_LIMIT = 500;

/** A line that begins again with every piece that is cut out of what it heads. */
export interface Header {
  readonly text: string;
  readonly words: number;
}

export interface Atoms {
  readonly count: number;
  /** `ends[i]`: offset behind atom i. */
  readonly ends: readonly number[];
  /** `cuts[i]`: price of a cut behind atom i. */
  readonly cuts: readonly number[];
  /** `keeps[i]`: price of no cut there. */
  readonly keeps: readonly number[];
  /** `words[i]`: words up to the end of atom i. */
  readonly words: readonly number[];
  /** `headers[i]`: what a piece that begins with atom i gets in front. */
  readonly headers: readonly (Header | null)[];
}

export interface AtomBuilder {
  /** The next atom ends here. */
  add(end: number, cut: number): void;
  /** Says more about the cut behind the last atom. */
  boundary(cut: number, keep?: number): void;
  /** Pieces that begin with one of the following atoms get the header again; null ends that. */
  repeat(header: Header | null): void;
  /** Where the next atom begins. */
  position(): number;
  build(): Atoms;
}

export function createAtoms(text: string): AtomBuilder {
  const ends: number[] = [];
  const cuts: number[] = [];
  const keeps: number[] = [];
  const words: number[] = [];
  const headers: (Header | null)[] = [];
  let header: Header | null = null;
  let position = 0;
  let total = 0;
  const push = (end: number, cut: number) => {
    total += countWords(text, position, end);
    ends.push(end);
    cuts.push(cut);
    keeps.push(0);
    words.push(total);
    headers.push(header);
    position = end;
  };
  return {
    add(end, cut) {
      while (end - position > ATOM_LIMIT)
        push(wholeCharacter(text, position + ATOM_LIMIT), CUT.insideWord);
      if (end > position) push(end, cut);
    },
    boundary(cut, keep = 0) {
      const last = cuts.length - 1;
      if (last < 0 || cuts[last] === CUT.never) return;
      cuts[last] = cut;
      keeps[last] = keep;
    },
    repeat(next) {
      header = next;
    },
    position: () => position,
    build: () => ({ count: ends.length, ends, cuts, keeps, words, headers }),
  };
}

/** Not between the halves of a surrogate pair. */
const wholeCharacter = (text: string, offset: number): number =>
  isHigh(text.charCodeAt(offset - 1)) && !isHigh(text.charCodeAt(offset)) ? offset - 1 : offset;
const isHigh = (unit: number) => (unit & 0xfc00) === 0xd800;

/** Chinese, Japanese and Korean put few spaces or none: two characters count as a word. */
const WIDE = 0x2e80;

export function countWords(text: string, start: number, end: number): number {
  let count = 0;
  let inside = false;
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code >= WIDE) count += 0.5;
    const space = isSpace(code);
    if (!space && !inside && code < WIDE) count++;
    inside = !space;
  }
  return count;
}

export const isSpace = (code: number): boolean =>
  code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0x3000;

/** A header that would fill a good part of each piece is not repeated. */
export function shortHeader(text: string): Header | null {
  const words = countWords(text, 0, Math.min(text.length, 401));
  return text.length > 400 || words > 60 ? null : { text, words };
}
