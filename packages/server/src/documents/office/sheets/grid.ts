/**
 * Collects the cells of a sheet and writes them as one Markdown table, below the titles that stand above it. Rows and
 * columns without text are left out, so that a cell far away makes no wide table. The number of characters of all sheets
 * is limited together.
 */

import type { TextBudget } from '../../budget.ts';
import { MAX_CHARACTERS } from '../../kinds.ts';
import { isNumber } from '../../number-text.ts';
import { createBlocks } from '../blocks.ts';

/** A table has these characters around each cell. */
const AROUND_CELL = 3;
/** A table may have this many times more cells than there are cells with text, and so many more in any case. */
const MOST_EMPTY = 20;
const ALWAYS_ALLOWED = 1000;
/** More rows of one cell at the beginning are a list and not titles. */
const MOST_TITLES = 5;
/** A longer title, or one without letters, does not become a heading. */
const LONGEST_HEADING = 100;
/** The name of the sheet is a heading of the level above. */
const HEADING_LEVEL = 3;

export interface Grid {
  /** Rows and columns begin with 0. The rows must come in their order. */
  add(row: number, column: number, text: string): void;
  /** Returns Markdown. */
  result(): string;
}

/** A sheet may have a million rows, so a row is kept as one text, and rows with the same columns share these. */
interface GridRow {
  readonly row: number;
  readonly columns: readonly number[];
  readonly texts: string;
}

const BETWEEN_TEXTS = '\0';

export function createGrid(budget: TextBudget): Grid {
  const rows: GridRow[] = [];
  const shared = new Map<string, readonly number[]>();
  const used = new Set<number>();
  let cells = 0;
  let open: { readonly row: number; columns: number[]; texts: string[] } | null = null;

  function closeRow(): void {
    if (!open) return;
    const key = open.columns.join();
    const columns = shared.get(key) ?? open.columns;
    shared.set(key, columns);
    rows.push({ row: open.row, columns, texts: open.texts.join(BETWEEN_TEXTS) });
    open = null;
  }

  function table(): string {
    const titles = titlesAbove(rows);
    const below = rows.slice(titles.length);
    const columns = [...(titles.length > 0 ? columnsOf(below) : used)].sort((a, b) => a - b);
    const places = new Map(columns.map((column, place) => [column, place]));
    const lines = below.map((row) => {
      const line = new Array<string>(columns.length).fill('');
      for (const [i, text] of row.texts.split(BETWEEN_TEXTS).entries())
        line[places.get(row.columns[i]!)!] = text.replaceAll('|', '\\|');
      return `| ${line.join(' | ')} |`;
    });
    lines.splice(1, 0, `|${' --- |'.repeat(columns.length)}`);
    return [...titles, lines.join('\n')].join('\n\n');
  }

  /** Cells that are scattered widely are listed with their places. */
  const list = (): string =>
    rows
      .map(({ row, columns, texts }) => {
        const named = texts
          .split(BETWEEN_TEXTS)
          .map((text, i) => `${cellName(row, columns[i]!)}: ${text}`);
        return `- ${named.join('; ')}`;
      })
      .join('\n');

  return {
    add(row, column, text) {
      if (budget.left < 0) return;
      const line = text.replaceAll(/[\s\0]+/g, ' ').trim();
      if (line === '') return;
      budget.left -= line.length + AROUND_CELL;
      cells++;
      used.add(column);
      if (open?.row !== row) {
        closeRow();
        open = { row, columns: [], texts: [] };
      }
      open?.columns.push(column);
      open?.texts.push(line);
    },
    result() {
      closeRow();
      if (rows.length === 0) return '';
      const size = rows.length * used.size;
      const isSparse = size > cells * MOST_EMPTY + ALWAYS_ALLOWED;
      return isSparse || size * AROUND_CELL > MAX_CHARACTERS ? list() : table();
    },
  };
}

/**
 * Returns the titles that stand above the head of the table, as Markdown: rows of one cell above two rows of several. Rows
 * right above a row with a number are not titles, because that row is not a head and they may belong to the table.
 */
function titlesAbove(rows: readonly GridRow[]): string[] {
  const count = rows.findIndex(({ columns }) => columns.length > 1);
  const [last, head, below] = [rows[count - 1], rows[count], rows[count + 1]];
  if (!last || !head || count > MOST_TITLES) return [];
  if (!below || below.columns.length < 2) return [];
  const isApart = head.row - last.row > 1;
  if (!isApart && head.texts.split(BETWEEN_TEXTS).some(isNumber)) return [];
  return rows.slice(0, count).map(({ texts }, i) => {
    const blocks = createBlocks();
    const isHeading = i === 0 && texts.length <= LONGEST_HEADING && /\p{L}/u.test(texts);
    if (isHeading) blocks.heading(HEADING_LEVEL, texts);
    else blocks.paragraph(texts);
    return blocks.result();
  });
}

const columnsOf = (rows: readonly GridRow[]): Set<number> =>
  new Set([...new Set(rows.map(({ columns }) => columns))].flat());

/** Returns a name such as `B7`. Rows and columns begin with 0. */
export function cellName(row: number, column: number): string {
  let letters = '';
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  return `${letters}${row + 1}`;
}

/** Returns the row and the column of a name such as `B7`, or undefined. */
export function cellPlace(name: string | undefined): readonly [number, number] | undefined {
  const [, letters, row] = /^\$?([A-Z]{1,3})\$?(\d{1,7})$/.exec(name ?? '') ?? [];
  if (letters === undefined) return undefined;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return [Number(row) - 1, column - 1];
}
