/** Finds the columns of the cells of an HTML table, in which a cell may take several columns and rows. */

/** A page has at most this many empty cells that stand for the further columns and rows of others. */
const MAX_EMPTY = 100_000;
/** A cell reaches no further, as in the HTML Standard (4.9.11). Cells behind this column take one column each. */
const MAX_COLUMNS = 1000;

export interface CellSpan {
  readonly columns: number;
  /** It is infinite for a cell that takes all rows that follow. */
  readonly rows: number;
}

export interface CellColumns {
  /** These columns are taken by cells of rows above, up to the row with this index, which is free again. */
  taken: number[];
  /** The next cell of the row stands in this column or in a later one. */
  next: number;
}

export const newColumns = (): CellColumns => ({ taken: [], next: 0 });

/** `empty` counts the empty cells of the page. */
export function placeCell({ rows, columns, empty }: CellPlace, cell: string, span: CellSpan): void {
  const row = rows.at(-1) ?? [];
  if (rows.length === 0) rows.push(row);
  const index = rows.length - 1;
  let column = columns.next;
  while ((columns.taken[column] ?? 0) > index) column++;
  while (row.length < column && empty.cells < MAX_EMPTY) {
    row.push('');
    empty.cells++;
  }
  row.push(cell);
  columns.next = Math.min(column + span.columns, MAX_COLUMNS);
  for (let i = column; i < columns.next; i++) columns.taken[i] = index + span.rows;
}

interface CellPlace {
  readonly rows: string[][];
  readonly columns: CellColumns;
  readonly empty: { cells: number };
}

export function spanOf(colspan: string | undefined, rowspan: string | undefined): CellSpan {
  const rows = numberIn(rowspan);
  return {
    columns: Math.min(Math.max(numberIn(colspan) ?? 1, 1), MAX_COLUMNS),
    rows: rows === 0 ? Number.POSITIVE_INFINITY : (rows ?? 1),
  };
}

const numberIn = (text: string | undefined): number | undefined => {
  const digits = /^\s*(\d{1,9})/.exec(text ?? '')?.[1];
  return digits === undefined ? undefined : Number(digits);
};
