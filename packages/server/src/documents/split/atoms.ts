/**
 * A text is turned into atoms before it is packed into pieces. Atoms (a sentence, a row, a line of code) stand in
 * order and without gaps, and are never cut again. Each atom has a price for a cut behind it.
 *
 * An atom is short (ATOM_LIMIT characters), so that a piece that keeps the limits can always
 * be made, whatever the text is.
 */

/** The price of a cut has the same unit as the price of a size (pack.ts). */
export const CUT = {
  section: 0,
  definition: 0.2,
  paragraph: 0.5,
  item: 1,
  row: 1,
  sentence: 1.5,
  line: 2,
  /** The next word is not capitalized, so the mark may belong to an abbreviation. */
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
/** A shorter atom joins one of its neighbours: the one from which a cut would cost more. */
const TINY = 24;

/** A header is a line that is repeated in front of every piece that is cut out of the text below it. */
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
  /** `cuts[i]` is the price of a cut behind atom i. */
  readonly cuts: readonly number[];
  /** `keeps[i]` is the price of not cutting behind atom i. */
  readonly keeps: readonly number[];
  /** A piece that begins with atom i gets `headers[i]` in front. */
  readonly headers: readonly (RepeatedHeader | null)[];
}

export interface AtomBuilder {
  /** Ends the next atom at this offset. */
  add(end: number, cut: number): void;
  /** Changes the prices behind the last atom. */
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
  /** Makes the last atom a part of the one before, if both together keep the limit. */
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
    const tiny = last >= 0 && length(last) < TINY;
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

/** Returns an offset that is not between the halves of a surrogate pair. */
const wholeCharacter = (text: string, offset: number): number =>
  isHigh(text.charCodeAt(offset - 1)) && !isHigh(text.charCodeAt(offset)) ? offset - 1 : offset;
const isHigh = (unit: number) => (unit & 0xfc00) === 0xd800;

/** Chinese, Japanese and Korean have few spaces or none, so two of their characters count as a word. */
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

/** A header that would fill a large part of each piece is not repeated. */
export function shortHeader(text: string): RepeatedHeader | null {
  const words = countWords(text, 0, Math.min(text.length, 401));
  return text.length > 400 || words > 40 ? null : { text, words };
}
