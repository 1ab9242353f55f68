/**
 * A text is first divided into atoms, which are then packed into pieces (pack.ts). An atom is a sentence, a row or a
 * line of code. Atoms are in order and without gaps, and a piece has only whole atoms. A cut is the end of one piece
 * and the beginning of the next. A cut after an atom has a price: pack.ts cuts where the prices are low.
 *
 * An atom has at most ATOM_LIMIT characters, so that every text can be packed into pieces within the limits.
 */

/** These are the prices of cuts, in the same unit as the price of a piece's size (pack.ts). */
export const CUT = {
  section: 0,
  definition: 0.2,
  paragraph: 0.5,
  item: 1,
  row: 1,
  sentence: 1.5,
  line: 2,
  /** The word after the mark is in lower case, so the mark may belong to an abbreviation. */
  perhapsSentence: 2.5,
  /** This cut is between `as follows:` and the text that follows. */
  introduction: 3,
  clause: 4,
  word: 8,
  insideWord: 12,
  /** This cut is between a heading and its text, or between a table's header and its first row. */
  never: 50,
} as const;

const ATOM_LIMIT = 500;
/** A shorter atom is joined with one of its neighbours: the one where the cut between them has the higher price. */
const SHORTEST_ATOM = 24;

/**
 * This is a line that is repeated at the beginning of every piece of the text below it, such as the header row of a
 * table.
 */
export interface RepeatedHeader {
  readonly text: string;
  readonly words: number;
}

export interface Atoms {
  readonly count: number;
  /** Atom i begins at `offsets[i]`; the last entry is the end of the text. */
  readonly offsets: readonly number[];
  /** `words[i]` counts the words before atom i. */
  readonly words: readonly number[];
  /** `cuts[i]` is the price of a cut after atom i. */
  readonly cuts: readonly number[];
  /** `keeps[i]` is the price of a piece that goes on after atom i. */
  readonly keeps: readonly number[];
  /** A piece that begins with atom i begins with `headers[i]`. */
  readonly headers: readonly (RepeatedHeader | null)[];
}

export interface AtomBuilder {
  /** Adds an atom that ends at this offset. */
  add(end: number, cut: number): void;
  /** Sets the prices of a cut, and of no cut, after the last atom. A cut that must never be made stays as it is. */
  boundary(cut: number, keep?: number): void;
  /** Pieces that begin with one of the following atoms repeat the header; null ends the repetition. */
  repeat(header: RepeatedHeader | null): void;
  /** Returns the offset at which the next atom begins. */
  position(): number;
  build(): Atoms;
}

export function createAtoms(text: string): AtomBuilder {
  const offsets = [0];
  const words = [0];
  const cuts: number[] = [];
  const keeps: number[] = [];
  const headers: (RepeatedHeader | null)[] = [];
  let header: RepeatedHeader | null = null;

  const position = () => offsets.at(-1)!;
  const length = (atom: number) => offsets[atom + 1]! - offsets[atom]!;
  /** Joins the last atom with the atom before it, if both together are within the limit. */
  const join = () => {
    const last = cuts.length - 1;
    if (last < 1 || length(last - 1) + length(last) > ATOM_LIMIT) return;
    for (const list of [offsets, words]) list.splice(last, 1);
    for (const list of [cuts, keeps]) list.splice(last - 1, 1);
    headers.pop();
  };
  const push = (end: number, cut: number) => {
    const last = cuts.length - 1;
    const cutBefore = cuts[last - 1] ?? 0;
    const cutBehind = cuts[last] ?? 0;
    const tiny = last >= 0 && length(last) < SHORTEST_ATOM;
    if (tiny && cutBefore > cutBehind) join();
    words.push(words.at(-1)! + countWords(text, position(), end));
    offsets.push(end);
    cuts.push(cut);
    keeps.push(0);
    headers.push(header);
    const tinyJoins = tiny && cutBefore <= cutBehind && cutBehind !== CUT.section;
    if (tinyJoins || cutBehind === CUT.never) join();
  };
  return {
    add(end, cut) {
      while (end - position() > ATOM_LIMIT)
        push(wholeCharacter(text, position() + ATOM_LIMIT), CUT.insideWord);
      if (end > position()) push(end, cut);
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
    position,
    build: () => ({ count: cuts.length, offsets, words, cuts, keeps, headers }),
  };
}

/** Returns the offset, or the one before it when the offset is between the halves of a surrogate pair. */
const wholeCharacter = (text: string, offset: number): number =>
  isHigh(text.charCodeAt(offset - 1)) && !isHigh(text.charCodeAt(offset)) ? offset - 1 : offset;
const isHigh = (unit: number) => (unit & 0xfc00) === 0xd800;

/** From this code on, two characters count as a word, because Chinese, Japanese and Korean have few spaces or none. */
const FIRST_WIDE_CODE = 0x2e80;

export function countWords(text: string, start: number, end: number): number {
  let count = 0;
  let inside = false;
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code >= FIRST_WIDE_CODE) count += 0.5;
    const space = isSpace(code);
    if (!space && !inside && code < FIRST_WIDE_CODE) count++;
    inside = !space;
  }
  return count;
}

export const isSpace = (code: number): boolean =>
  code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0x3000;

/** Returns the header, or null when it is so long that it would fill a large part of each piece. */
export function shortHeader(text: string): RepeatedHeader | null {
  const words = countWords(text, 0, Math.min(text.length, 401));
  return text.length > 400 || words > 40 ? null : { text, words };
}
