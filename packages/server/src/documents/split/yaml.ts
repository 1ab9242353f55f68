/**
 * Makes atoms of YAML. A text is cut between its documents, or else before a key or an item; the less indentation the
 * line has, the better. A comment stays with the line below it.
 */
import { type AtomBuilder, CUT } from './atoms.ts';
import { linesOf } from './lines.ts';
import { record } from './prose.ts';

/** These marks begin a document and end one (YAML 1.2.2, chapter 9.1.2). */
const DOCUMENT = /^(?:---|\.\.\.)(?:\s|$)/;
const COMMENT = /^[ \t]*#/;
const COLUMN_PRICE = 0.75;
const MARK_CHARACTERS = 4;
const INDENTATION = /^ {0,99}/;

export function yaml(text: string, atoms: AtomBuilder): void {
  let before: 'line' | 'document' | 'comment' = 'line';
  for (const line of linesOf(text, 0, text.length)) {
    const start = text.slice(line.start, Math.min(line.end, line.start + 100));
    if (start.trim() === '') continue;
    const columns = INDENTATION.exec(start)?.[0].length ?? 0;
    const isDocument = DOCUMENT.test(start.slice(0, MARK_CHARACTERS));
    if (isDocument) atoms.boundary(CUT.section);
    else if (before === 'line')
      atoms.boundary(Math.min(CUT.definition + COLUMN_PRICE * columns, CUT.word));
    else atoms.boundary(CUT.word);
    record(text, line.next, atoms);
    before = isDocument ? 'document' : COMMENT.test(start) ? 'comment' : 'line';
  }
  atoms.add(text.length, CUT.line);
}
