/** Turns the tables of a spreadsheet of OpenDocument (ODF 1.3 part 3, 9) into Markdown. Hidden tables are read too. */

import { newBudget, type TextBudget } from '../../budget.ts';
import type { Converted } from '../../convert.ts';
import type { Omission } from '../../omission.ts';
import { createPaged, type Paged } from '../../paged.ts';
import { TOO_MUCH_TEXT } from '../../too-much-text.ts';
import type { XmlAttributes } from '../../xml/parse.ts';
import { createBlocks } from '../blocks.ts';
import { commentLine } from '../comments.ts';
import { cellName, createGrid, type Grid } from '../sheets/grid.ts';
import { showIsoTime, showNumber } from '../sheets/number-format.ts';
import { sheetName } from '../sheets/sheet-name.ts';
import { attribute, type CloseElement, numberIn } from '../xml.ts';
import { readOdf } from './document.ts';

const MOST_ROWS = 1_048_576;
const MOST_COLUMNS = 16_384;
/** A cell or a row that is repeated more often fills an area, and says nothing more. */
const MOST_REPEATED = 100;

interface OdfSheetState {
  readonly budget: TextBudget;
  readonly paged: Paged;
  grid: Grid | null;
  row: number;
  column: number;
  /** These are the cells of the open row with text. */
  cells: { readonly column: number; readonly text: string }[];
  /** This has the paragraphs of the open cell, comment or shape. */
  paragraphs: string[] | null;
  paragraph: string[] | null;
  author: string[] | null;
  /** These are written after the table. */
  lines: string[];
}

type SheetOpener = (
  sheet: OdfSheetState,
  attributes: XmlAttributes,
) => CloseElement | 'skip' | undefined;

const piece =
  (text: string): SheetOpener =>
  ({ paragraph }) => {
    paragraph?.push(text);
    return undefined;
  };

/** These elements may have paragraphs (ODF 1.3 part 3, 10.3 and 10.4). */
function shapes(names: string): Record<string, SheetOpener> {
  return Object.fromEntries(names.split(' ').map((name) => [name, openShape]));
}

const OPENERS: Readonly<Record<string, SheetOpener>> = {
  table: openTable,
  'table-row': openRow,
  'table-cell': openCell,
  'covered-table-cell': openCell,
  p: openParagraph,
  s: piece(' '),
  tab: piece(' '),
  'line-break': piece(' '),
  annotation: openAnnotation,
  creator(sheet) {
    if (sheet.author === null) return undefined;
    const own: string[] = sheet.author;
    sheet.paragraph = own;
    return () => {
      sheet.paragraph = null;
    };
  },
  ...shapes(
    'text-box custom-shape rect line polyline polygon regular-polygon path circle ellipse connector caption measure',
  ),
  // A chart has a copy of its cells.
  object: () => 'skip',
};

/** Throws a SourceError 'skip' when the document is broken. */
export function odfSheetsToMarkdown(bytes: Uint8Array, what: string): Converted | Omission {
  const sheet: OdfSheetState = {
    budget: newBudget(),
    paged: createPaged(),
    grid: null,
    row: 0,
    column: 0,
    cells: [],
    paragraphs: null,
    paragraph: null,
    author: null,
    lines: [],
  };
  const { budget, paged } = sheet;
  const about = readOdf(bytes, what, {
    open: (name, attributes) =>
      Object.hasOwn(OPENERS, name) ? OPENERS[name]!(sheet, attributes) : undefined,
    text: (data) => sheet.paragraph?.push(data),
    isDone: () => budget.left < 0 || paged.isFull,
  });
  return budget.left < 0 || paged.isFull ? TOO_MUCH_TEXT : { ...paged.result(), ...about };
}

function openTable(sheet: OdfSheetState, attributes: XmlAttributes): CloseElement | undefined {
  // A table inside of a cell has its text in the cell.
  if (sheet.grid) return undefined;
  const grid = createGrid(sheet.budget);
  sheet.grid = grid;
  sheet.row = 0;
  sheet.lines = [];
  return () => {
    sheet.grid = null;
    const blocks = createBlocks();
    const name = sheetName(attribute(attributes, 'name') ?? '');
    blocks.heading(2, name);
    blocks.markdown(grid.result());
    for (const line of sheet.lines) blocks.paragraph(line);
    sheet.paged.add(`sheet ${name}`, blocks.result());
  };
}

function openRow(sheet: OdfSheetState, attributes: XmlAttributes): CloseElement | undefined {
  if (sheet.paragraphs) return undefined;
  sheet.column = 0;
  sheet.cells = [];
  const repeated = numberIn(attribute(attributes, 'number-rows-repeated'), MOST_ROWS) ?? 1;
  return () => {
    const { cells, row } = sheet;
    const shown = cells.length === 0 ? 0 : Math.min(repeated, MOST_REPEATED);
    for (let i = 0; i < shown; i++)
      for (const { column, text } of cells) sheet.grid?.add(row + i, column, text);
    sheet.row += repeated;
  };
}

function openCell(sheet: OdfSheetState, attributes: XmlAttributes): CloseElement | undefined {
  if (!sheet.grid || sheet.paragraphs) return undefined;
  const own: string[] = [];
  sheet.paragraphs = own;
  const repeated = numberIn(attribute(attributes, 'number-columns-repeated'), MOST_COLUMNS) ?? 1;
  return () => {
    sheet.paragraphs = null;
    const text = shownValue(own.join(' '), attributes);
    const shown = text.trim() === '' ? 0 : Math.min(repeated, MOST_REPEATED);
    for (let i = 0; i < shown; i++) sheet.cells.push({ column: sheet.column + i, text });
    sheet.column += repeated;
  };
}

/** A number is shown with all its digits, and a date as in ISO 8601. All other values are shown as the program does. */
function shownValue(text: string, attributes: XmlAttributes): string {
  const value = attribute(attributes, 'value');
  switch (attribute(attributes, 'value-type')) {
    case 'float':
      return value === undefined ? text : showNumber(value, { is: 'number' }, false);
    case 'percentage':
      return text || showNumber(value ?? '', { is: 'percentage', decimals: 0 }, false);
    case 'date':
      return showIsoTime(attribute(attributes, 'date-value') ?? text);
    case 'boolean':
      return text || (attribute(attributes, 'boolean-value') ?? '').toUpperCase();
    default:
      return text || (attribute(attributes, 'string-value') ?? value ?? '');
  }
}

function openParagraph(sheet: OdfSheetState): CloseElement | undefined {
  const { paragraphs } = sheet;
  if (!paragraphs || sheet.paragraph) return undefined;
  const own: string[] = [];
  sheet.paragraph = own;
  return () => {
    sheet.paragraph = null;
    paragraphs.push(own.join(''));
  };
}

function openAnnotation(sheet: OdfSheetState): CloseElement | 'skip' {
  const { paragraphs, paragraph, row, column } = sheet;
  if (sheet.author) return 'skip';
  const [own, author]: [string[], string[]] = [[], []];
  sheet.paragraphs = own;
  sheet.paragraph = null;
  sheet.author = author;
  return () => {
    sheet.paragraphs = paragraphs;
    sheet.paragraph = paragraph;
    sheet.author = null;
    const text = own.join(' ');
    sheet.budget.left -= text.length;
    const comment = { text, author: author.join('').slice(0, 200) };
    if (text.trim() !== '') sheet.lines.push(commentLine(comment, ` on ${cellName(row, column)}`));
  };
}

/** The text of a shape stands after the table. */
function openShape(sheet: OdfSheetState): CloseElement {
  const { paragraphs, paragraph } = sheet;
  const own: string[] = [];
  sheet.paragraphs = own;
  sheet.paragraph = null;
  return () => {
    sheet.paragraphs = paragraphs;
    sheet.paragraph = paragraph;
    for (const line of own) {
      sheet.budget.left -= line.length;
      sheet.lines.push(line);
    }
  };
}
