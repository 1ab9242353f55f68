/**
 * Joins cues, which last a few seconds, to paragraphs that are long enough to be understood. Lines of rolling captions
 * appear in several cues and are written once.
 */
import { lastsLongEnough, type SpokenParagraph } from '../spoken.ts';
import type { Cue, CueLine } from './cues.ts';

/** A silence of this length ends a paragraph. */
const SILENCE_SECONDS = 20;
/** Cues may have wrong times, so the length in characters is limited too. */
const MOST_CHARACTERS = 1_500;
/** Rolling captions show this many lines. */
const ROLLING_LINES = 4;
/** Nobody can read a cue that is shorter, so it is only a step of rolling captions. */
const SHORTEST_CUE_SECONDS = 0.1;

export function* paragraphsOf(cues: Iterable<Cue>): Generator<SpokenParagraph> {
  let open: OpenParagraph | null = null;
  let before: Cue | null = null;
  let speaker: string | null = null;
  for (const cue of cues) {
    if (open && (isFull(open, cue) || cue.start - (before?.end ?? cue.start) > SILENCE_SECONDS)) {
      yield open;
      open = null;
    }
    const lines = newLines(cue, before);
    if (cue.lines.length > 0) before = cue;
    if (lines.length === 0) continue;
    open ??= { start: cue.start, lines: [], characters: 0 };
    for (const line of lines) speaker = addLine(open, line, speaker);
  }
  if (open) yield open;
}

interface OpenParagraph {
  readonly start: number;
  readonly lines: string[];
  characters: number;
}

function isFull({ start, lines, characters }: OpenParagraph, next: Cue): boolean {
  const lasts = next.start - start;
  return lasts < 0 || characters >= MOST_CHARACTERS || lastsLongEnough(lasts, lines.at(-1) ?? '');
}

/** Returns the lines of a cue without those at its beginning that the cue before it has at its end. */
function newLines(cue: Cue, before: Cue | null): readonly CueLine[] {
  if (!before || cue.start > before.end + 1 || isSaidAgain(cue, before)) return cue.lines;
  const most = Math.min(ROLLING_LINES, before.lines.length, cue.lines.length);
  for (let count = most; count > 0; count--) {
    const last = before.lines.slice(-count);
    if (last.every(({ text }, i) => text === cue.lines[i]?.text)) return cue.lines.slice(count);
  }
  return cue.lines;
}

/** Captions do not roll from one line to one line, unless one of the cues only makes the step. */
const isSaidAgain = (cue: Cue, before: Cue): boolean =>
  cue.lines.length === 1 &&
  before.lines.length === 1 &&
  [cue, before].every(({ start, end }) => end - start >= SHORTEST_CUE_SECONDS);

/** Returns who speaks now. */
function addLine(
  open: OpenParagraph,
  { speaker, text }: CueLine,
  before: string | null,
): string | null {
  open.characters += text.length + 1;
  if (open.lines.length === 0 || speaker !== before)
    open.lines.push(speaker === null ? text : `${speaker}: ${text}`);
  else open.lines[open.lines.length - 1] += ` ${text}`;
  return speaker;
}
