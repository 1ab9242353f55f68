/** Makes atoms of running text: sentences, or clauses or words where a sentence is too long. */
import { type AtomBuilder, CUT, isSpace } from './atoms.ts';

/** After this many characters without the end of a sentence, the text may be cut between clauses or words. */
const LONG_TEXT = 240;

/** Makes atoms of the text up to `end`. The caller sets the price of the cut at `end`. */
export function prose(text: string, end: number, atoms: AtomBuilder): void {
  let start = atoms.position();
  let i = start;
  while (i < end && isSpace(text.charCodeAt(i))) i++;
  while (i < end) {
    const space = isSpace(text.charCodeAt(i));
    if (!space && !endsWide(text.charCodeAt(i))) {
      i++;
      continue;
    }
    let next = i + 1;
    let hasLineFeed = false;
    for (let j = i; j < end && isSpace(text.charCodeAt(j)); j++) {
      if (text.charCodeAt(j) === 10) hasLineFeed = true;
      next = j + 1;
    }
    const cut = space
      ? cutAfter(markBefore(text, i), text[next], hasLineFeed)
      : wideCut(text.charCodeAt(i));
    if (cut < CUT.clause || i - start >= (cut === CUT.clause ? LONG_TEXT / 2 : LONG_TEXT)) {
      atoms.add(next, cut);
      start = next;
    }
    i = next;
  }
  atoms.add(end, CUT.line);
}

/** A record or line of code with more characters contains running text or data, so it may be divided. */
const LONG_RECORD = 400;

/** Makes one atom of a record or a line of code; a long one is divided like running text. */
export function record(text: string, end: number, atoms: AtomBuilder): void {
  if (end - atoms.position() > LONG_RECORD) prose(text, end, atoms);
  else atoms.add(end, CUT.line);
}

/**
 * Returns the character before `i`, skipping up to three closing quotes and brackets. Returns '' at the beginning of
 * the text.
 */
function markBefore(text: string, i: number): string {
  let last = i - 1;
  while (last > i - 4 && last >= 0 && CLOSERS.has(text[last]!)) last--;
  return text[last] ?? '';
}

/** Returns the price of a cut at the white space between this mark and the next character. */
function cutAfter(mark: string, next: string | undefined, hasLineFeed: boolean): number {
  if (mark === '.' || mark === '!' || mark === '?' || mark === '…')
    return hasLineFeed || !startsLower(next) ? CUT.sentence : CUT.perhapsSentence;
  if (hasLineFeed) return CUT.line;
  return mark === ',' || mark === ';' || mark === ':' || mark === '—' ? CUT.clause : CUT.word;
}

const CLOSERS = new Set('"\')]}*_`»”’');

const startsLower = (character: string | undefined): boolean =>
  character !== undefined && character !== character.toUpperCase();

/** These marks of Chinese and Japanese are not followed by a space. */
const endsWide = (code: number): boolean => code >= 0x3001 && WIDE_MARKS.has(code);
const wideCut = (code: number): number => (SENTENCE_MARKS.has(code) ? CUT.sentence : CUT.clause);
const SENTENCE_MARKS = new Set([...'。！？．'].map((mark) => mark.charCodeAt(0)));
const WIDE_MARKS = new Set([...'。！？．、，；：'].map((mark) => mark.charCodeAt(0)));
