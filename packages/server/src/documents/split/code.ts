/**
 * Program text, in whatever language: definitions at the margin stay whole where they fit, else it
 * is cut at blank lines, else between lines.
 */
import { type AtomBuilder, CUT } from './atoms.ts';
import { linesOf } from './lines.ts';
import { prose } from './prose.ts';

/** Prices of cuts inside a definition, which is worth more than the best size. */
const BLANK = 8;
const INSIDE = 10;
/** Longer lines are data. */
const LONG_LINE = 400;

export function code(text: string, end: number, atoms: AtomBuilder): void {
  let blankBefore = false;
  let closedBefore = false;
  for (const line of linesOf(text, atoms.position(), end)) {
    const first = firstCharacter(text, line.start, line.end);
    if (first < 0) {
      blankBefore = true;
      continue;
    }
    const margin = first === line.start;
    const closer = margin && CLOSER.test(text.slice(first, first + 4));
    atoms.boundary(cutBefore({ margin, closer, blankBefore, closedBefore }));
    if (line.end - line.start > LONG_LINE) prose(text, line.next, atoms);
    else atoms.add(line.next, CUT.line);
    blankBefore = false;
    closedBefore = closer;
  }
  atoms.add(end, CUT.line);
}

const CLOSER = /^(?:[)}\]]|end\b)/;

function cutBefore(line: {
  margin: boolean;
  closer: boolean;
  blankBefore: boolean;
  closedBefore: boolean;
}): number {
  if (line.margin && !line.closer && (line.blankBefore || line.closedBefore)) return CUT.definition;
  return line.blankBefore ? BLANK : INSIDE;
}

/** Offset of the first character that is no blank, or -1. */
function firstCharacter(text: string, start: number, end: number): number {
  for (let i = start; i < end; i++) {
    const unit = text.charCodeAt(i);
    if (unit !== 32 && unit !== 9 && unit !== 13) return i;
  }
  return -1;
}
