/**
 * Program text, in whatever language: definitions at the margin stay whole where they fit, else it
 * is cut at blank lines, else between lines.
 */
import { type AtomBuilder, CUT } from './atoms.ts';
import { type Line, linesOf } from './lines.ts';
import { record } from './prose.ts';

/**
 * Prices of cuts inside a definition, which is worth more than the best size: at a blank line the
 * less, the less the line behind it is indented.
 */
const BLANK = 5;
const INDENTED = 0.5;
const INSIDE = 10;

export function code(text: string, end: number, atoms: AtomBuilder): void {
  let blankBefore = false;
  let closedBefore = false;
  for (const line of linesOf(text, atoms.position(), end)) {
    const indent = indentOf(text, line);
    if (indent < 0) {
      blankBefore = true;
      continue;
    }
    const closer = indent === 0 && CLOSER.test(text.slice(line.start, line.start + 4));
    const defines = indent === 0 && !closer && (blankBefore || closedBefore);
    if (defines) atoms.boundary(CUT.definition);
    else atoms.boundary(blankBefore ? Math.min(BLANK + INDENTED * indent, INSIDE) : INSIDE);
    record(text, line.next, atoms);
    blankBefore = false;
    closedBefore = closer;
  }
  atoms.add(end, CUT.line);
}

const CLOSER = /^(?:[)}\]]|end\b)/;
const TAB = 4;

/** Columns before the first character that is no blank; -1 of a blank line. */
function indentOf(text: string, line: Line): number {
  let columns = 0;
  for (let i = line.start; i < line.end; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 9) columns += TAB;
    else if (unit === 32) columns++;
    else if (unit !== 13) return columns;
  }
  return -1;
}
