/** Puts the cells of a table into rows and columns. The file knows only the rectangle of each cell. */

export interface Cell {
  /** This is the upper left corner, which has no limits. It is null in a broken file. */
  readonly corner: Corner | null;
  readonly text: string;
}

export interface Corner {
  readonly left: number;
  readonly top: number;
}

/** PowerPoint makes tables of at most 75 rows and 75 columns. Cells on a diagonal would need far more places than cells. */
const MAX_PLACES = 10_000;

export interface TableGrid {
  readonly rows: string[][];
  /** These texts have no place in the rows. */
  readonly others: readonly string[];
}

/** A merged cell stands in the first row and column that it spans, and its other places are empty. */
export function gridOf(cells: readonly Cell[]): TableGrid {
  const corners = cells.flatMap(({ corner }) => corner ?? []);
  const columnOf = ordered(corners.map(({ left }) => left));
  const rowOf = ordered(corners.map(({ top }) => top));
  if (columnOf.size * rowOf.size > MAX_PLACES)
    return { rows: [], others: cells.map(({ text }) => text) };
  const rows = Array.from({ length: rowOf.size }, () =>
    Array.from({ length: columnOf.size }, () => ''),
  );
  const others: string[] = [];
  for (const { corner, text } of cells) {
    const row = rows[rowOf.get(corner?.top ?? Number.NaN) ?? -1];
    const column = columnOf.get(corner?.left ?? Number.NaN);
    if (!row || column === undefined) others.push(text);
    else row[column] = row[column] === '' ? text : `${row[column]} ${text}`;
  }
  return { rows, others };
}

/** Maps each number to its place among all different ones. */
const ordered = (numbers: readonly number[]): ReadonlyMap<number, number> =>
  new Map(
    [...new Set(numbers)].sort((one, other) => one - other).map((number, place) => [number, place]),
  );
