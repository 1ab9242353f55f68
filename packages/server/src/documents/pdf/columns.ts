/** Places the parts of lines in the columns of a table of a PDF. */
import type { PdfCell } from './line.ts';

export interface PdfColumn {
  /** The cells of the column are between these, in points from the left edge of the page. */
  min: number;
  max: number;
  /** This is the number of cells below the head. */
  filled: number;
  /** These are the edges that all cells below the head have in common. */
  edges: readonly Edge[];
}

interface Edge {
  readonly of: (cell: PdfCell) => number;
  readonly at: number;
}

/** The edges of cells that are aligned differ by so many points at most. */
const TOLERANCE = 2;

const EDGES: readonly Edge['of'][] = [
  ({ left }) => left,
  ({ right }) => right,
  ({ left, right }) => (left + right) / 2,
];

/** Returns the columns below the cells of a head, which may be aligned in another way. */
export const columnsOf = (head: readonly PdfCell[]): PdfColumn[] =>
  head.map(({ left, right }) => ({ min: left, max: right, filled: 0, edges: [] }));

/** Returns the texts of the columns for a row, and adds it to them, or null when the row is not one of these columns. */
export function placedIn(columns: PdfColumn[], cells: readonly PdfCell[]): string[] | null {
  if (cells.length < 2) return null;
  const row = columns.map(() => '');
  const changed = new Map<number, PdfColumn>();
  let last = -1;
  for (const cell of cells) {
    const place = columns.findIndex(({ min, max }) => cell.left < max && cell.right > min);
    const column = columns[place];
    if (!column || place <= last) return null;
    const edges = sharedEdges(column, cell);
    const min = Math.min(column.min, cell.left);
    const max = Math.max(column.max, cell.right);
    const next = columns[place + 1];
    const before = columns[place - 1];
    const isFree = (!before || before.max < min) && (!next || max < next.min);
    if (edges.length === 0 || !isFree) return null;
    changed.set(place, { min, max, edges, filled: column.filled + 1 });
    row[place] = cell.text;
    last = place;
  }
  // The first cell of a row names it; a line without it continues the row above.
  if (row[0] === '') return null;
  for (const [place, column] of changed) columns[place] = column;
  return row;
}

const sharedEdges = ({ filled, edges }: PdfColumn, cell: PdfCell): readonly Edge[] =>
  filled === 0
    ? EDGES.map((of) => ({ of, at: of(cell) }))
    : edges.filter(({ of, at }) => Math.abs(of(cell) - at) <= TOLERANCE);
