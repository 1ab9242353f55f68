/**
 * Makes atoms of program text in any language, and sets the prices of cuts. Definitions without indentation stay whole
 * when they fit into a piece. Otherwise they are cut at blank lines, or else between lines.
 */
import { type AtomBuilder, CUT } from './atoms.ts';
import { indentation, linesOf } from './lines.ts';
import { record } from './prose.ts';

/**
 * These are prices of cuts inside a definition. They are high, because a whole definition matters more than the best
 * size of a piece. A cut at a blank line is cheaper when the next line has less indentation.
 */
const BLANK = 5;
const INDENTED = 0.5;
const INSIDE = 10;

export function code(text: string, end: number, atoms: AtomBuilder): void {
  let blankBefore = false;
  let closedBefore = false;
  for (const line of linesOf(text, atoms.position(), end)) {
    const { columns, first } = indentation(text, line);
    if (first === line.end) {
      blankBefore = true;
      continue;
    }
    const closer = CLOSER.test(text.slice(first, first + 4));
    if (closer) atoms.boundary(INSIDE);
    else if (columns === 0 && (blankBefore || closedBefore)) atoms.boundary(CUT.definition);
    else atoms.boundary(blankBefore ? Math.min(BLANK + INDENTED * columns, INSIDE) : INSIDE);
    record(text, line.next, atoms);
    blankBefore = false;
    closedBefore = closer && columns === 0;
  }
  atoms.add(end, CUT.line);
}

const CLOSER = /^(?:[)}\]]|end\b)/;
