/** Makes atoms of data: the records of CSV, with the header row in each piece, and the members of JSON. */
import { type AtomBuilder, CUT, shortHeader } from './atoms.ts';
import { linesOf } from './lines.ts';
import { prose, record } from './prose.ts';

/** These lines may precede the header row: blank lines, and the line `sep=…` that tells Excel the separator. */
const ABOVE_HEADER = /^(?:sep=.)?\s*$/i;

/**
 * A quoted field may run over several lines. When a record has more characters than this, it ends with its current
 * line.
 */
const LONGEST_RECORD = 2_000;

export function csv(text: string, atoms: AtomBuilder): void {
  let start = 0;
  let quotes = 0;
  let first = true;
  for (const line of linesOf(text, 0, text.length)) {
    for (let i = line.start; i < line.end; i++) if (text.charCodeAt(i) === 34) quotes++;
    if (quotes % 2 === 1 && line.next - start < LONGEST_RECORD) continue;
    if (first && quotes === 0 && ABOVE_HEADER.test(text.slice(line.start, line.end))) continue;
    record(text, line.next, atoms);
    atoms.boundary(first ? CUT.never : CUT.row);
    if (first) atoms.repeat(shortHeader(text.slice(start, line.next).trim()));
    first = false;
    start = line.next;
    quotes = 0;
  }
  prose(text, text.length, atoms);
}

const DEPTH_PRICE = 1.5;

export function json(text: string, atoms: AtomBuilder): void {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const mark = text[i]!;
    if (mark === '"') i = endOfString(text, i);
    else if (mark === '{' || mark === '[') depth++;
    else if (mark === '}' || mark === ']') depth = Math.max(0, depth - 1);
    else if (endsMember(mark, depth)) {
      record(text, i + 1, atoms);
      atoms.boundary(Math.min(CUT.definition + depth * DEPTH_PRICE, CUT.word));
    }
  }
  prose(text, text.length, atoms);
}

/** Returns true at the end of a member. Outside of all brackets, a line feed ends a record of JSON Lines. */
const endsMember = (mark: string, depth: number): boolean =>
  mark === ',' || (mark === '\n' && depth === 0);

/**
 * Returns the offset of the closing quote. A JSON string cannot contain a line feed, so at a line feed the quote does
 * not begin a string.
 */
function endOfString(text: string, open: number): number {
  for (let i = open + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '"' || text[i] === '\n') return i;
  }
  return text.length;
}
