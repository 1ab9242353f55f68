/**
 * Finds the tables of a PDF that are certain: lines whose parts stand in the same columns, below a head. A PDF does not
 * mark its tables, and a text in two columns, a list or a table of contents can look like one. A wrong table would divide
 * sentences, so lines in doubt stay lines. The words keep their order in any case.
 */
import { isNumber } from '../number-text.ts';
import { columnsOf, type PdfColumn, placedIn } from './columns.ts';
import { MOST_CELLS, type PdfLine, type PdfPage } from './line.ts';

export interface PdfTable {
  /** The first row is the head. Each row has a cell for each column, which may be empty. */
  readonly rows: readonly (readonly string[])[];
}

/** A row is so far below the one above, in sizes of its font. */
const LEAST_STEP = 0.5;
const MOST_STEP = 4;
/** A line that is nearer to a row may be a part of one of its cells. */
const NEAR = 1.6;
const LEAST_ROWS_BELOW_HEAD = 2;
/** The cells of a column of running text have more words. */
const MOST_WORDS = 4;
const MOST_WORDS_OF_HEAD = 5;

/** Returns a map from the first line of each table to the table. Some lines, such as titles, are in no table. */
export function tablesOf(
  pages: readonly PdfPage[],
  isOther: (line: PdfLine) => boolean,
): ReadonlyMap<PdfLine, PdfTable> {
  const tables = new Map<PdfLine, PdfTable>();
  const heads = new Set<string>();
  for (const page of pages)
    for (let first = 0; first < page.length; ) {
      const { rows, isCertain } = rowsFrom(page, first, { isOther, heads });
      if (isCertain) {
        tables.set(page[first]!, { rows });
        heads.add(String(rows[0]));
      }
      // No head is searched for among rows of the same columns.
      first += Math.max(1, rows.length);
    }
  return tables;
}

interface KnownHeads {
  readonly isOther: (line: PdfLine) => boolean;
  /** The head of a table that goes on is repeated on the next page, where one row may be left. */
  readonly heads: ReadonlySet<string>;
}

function rowsFrom(
  page: PdfPage,
  first: number,
  { isOther, heads }: KnownHeads,
): PdfTable & { readonly isCertain: boolean } {
  const head = page[first]!;
  if (!isHead(head) || isOther(head)) return { rows: [], isCertain: false };
  const columns = columnsOf(head.cells);
  const rows = [head.cells.map(({ text }) => text)];
  const lines = [head];
  for (let line = page[first + 1]; line && !isOther(line); line = page[first + rows.length]) {
    const row = isBelow(line, lines.at(-1)!) ? placedIn(columns, line.cells) : null;
    if (!row) break;
    rows.push(row);
    lines.push(line);
  }
  const isRepeated = heads.has(String(rows[0]));
  const isCertain =
    rows.length > (isRepeated ? 1 : LEAST_ROWS_BELOW_HEAD) &&
    (isRepeated || hasOwnHead(lines, rows)) &&
    (isRepeated || columns.every(({ filled }) => filled >= LEAST_ROWS_BELOW_HEAD)) &&
    columns.every((_, column) => hasShortCells(rows, column)) &&
    !isOfCell(page[first - 1], head, columns) &&
    !isOfCell(page[first + rows.length], lines.at(-1)!, columns) &&
    !isCutByCell(page, { row: first + rows.length - 1, columns, isOther });
  return { rows, isCertain };
}

const isHead = ({ cells }: PdfLine): boolean =>
  cells.length > 1 &&
  cells.length <= MOST_CELLS &&
  cells.every(({ text }) => /\p{L}/u.test(text) && wordsIn(text) <= MOST_WORDS_OF_HEAD);

function isBelow({ y, size }: PdfLine, above: PdfLine): boolean {
  const step = above.y - y;
  return size > 0 && step >= LEAST_STEP * size && step <= MOST_STEP * size;
}

/** A head is bold, and the rows are not; or it has the name of a column of numbers, and no numbers itself. */
function hasOwnHead(lines: readonly PdfLine[], [head = [], ...body]: readonly string[][]): boolean {
  const [first, ...others] = lines;
  if (first?.bold && others.every(({ bold }) => !bold)) return true;
  const isOfNumbers = (column: number) =>
    body.every((row) => row[column] === '' || isNumber(row[column] ?? ''));
  return !head.some((name) => /\d/.test(name)) && head.some((_, column) => isOfNumbers(column));
}

const wordsIn = (text: string): number => text.split(/\s+/).length;

/** The head does not count, because its short text would make up for a long one below it. */
function hasShortCells([, ...body]: readonly (readonly string[])[], column: number): boolean {
  const cells = body.map((row) => row[column] ?? '').filter((text) => text !== '');
  return cells.reduce((sum, text) => sum + wordsIn(text), 0) <= MOST_WORDS * cells.length;
}

/**
 * Returns true for a line near a row that may be a part of one of its cells. A line that begins in the first column may
 * as well be text above or below the table.
 */
const isOfCell = (
  line: PdfLine | undefined,
  row: PdfLine,
  [, ...others]: readonly PdfColumn[],
): boolean => isNear(line, row) && others.some((column) => beginsIn(column, line));

interface LastRow {
  readonly row: number;
  readonly columns: readonly PdfColumn[];
  readonly isOther: (line: PdfLine) => boolean;
}

/** Returns true when the lines below the last row are the rest of its first cell, because a further row follows them. */
function isCutByCell(page: PdfPage, { row, columns, isOther }: LastRow): boolean {
  for (let i = row + 1; i < page.length; i++) {
    const line = page[i]!;
    const above = page[i - 1]!;
    if (isOther(line)) return false;
    if (isBelow(line, above) && placedIn([...columns], line.cells)) return true;
    const isRest = line.cells.length === 0 && isNear(line, above) && beginsIn(columns[0]!, line);
    if (!isRest) return false;
  }
  return false;
}

const isNear = (line: PdfLine | undefined, { y, size }: PdfLine): line is PdfLine =>
  line !== undefined && Math.abs(line.y - y) <= NEAR * size;

const beginsIn = ({ min, max }: PdfColumn, { x }: PdfLine): boolean => x >= min - 1 && x <= max;
