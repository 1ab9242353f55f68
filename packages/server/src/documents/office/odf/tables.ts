/** Reads the tables of a text of OpenDocument (ODF 1.3 part 3, 9). */

import type { XmlAttributes } from '../../xml/parse.ts';
import { createBlocks } from '../blocks.ts';
import { attribute, type CloseElement, numberIn } from '../xml.ts';
import { MAX_NESTED, type OdfText } from './state.ts';

/** A cell that is repeated more often says nothing more. */
const MOST_REPEATED_CELLS = 63;
/** A table has these characters around each cell. */
const AROUND_CELL = 3;
/** A row that is repeated more often says nothing more. */
const MOST_REPEATED_ROWS = 100;

export function openTable(text: OdfText): CloseElement | undefined {
  if (text.tables === MAX_NESTED) return undefined;
  const { table: outer, list } = text;
  const own = { rows: [] as string[][], row: [] as string[], inCell: false };
  text.tables++;
  text.table = own;
  text.list = null;
  return () => {
    text.tables--;
    text.table = outer;
    text.list = list;
    text.blocks.table(own.rows);
  };
}

export function openRow(
  { table, budget }: OdfText,
  attributes: XmlAttributes,
): CloseElement | undefined {
  if (!table || table.inCell) return undefined;
  table.row = [];
  const repeated = numberIn(attribute(attributes, 'number-rows-repeated'), MOST_REPEATED_ROWS) ?? 1;
  return () => {
    const isEmpty = table.row.every((cell) => cell === '');
    const length = table.row.reduce((sum, cell) => sum + cell.length + AROUND_CELL, 0);
    budget.left -= length * Math.max(repeated - 1, 0);
    if (budget.left < 0) return;
    for (let i = 0; i < (isEmpty ? 0 : repeated); i++) table.rows.push(table.row);
  };
}

export function openCell(text: OdfText, attributes: XmlAttributes): CloseElement | undefined {
  const { table, blocks: outer, paragraph, list } = text;
  if (!table || table.inCell) return undefined;
  table.inCell = true;
  const own = createBlocks();
  text.blocks = own;
  text.paragraph = null;
  text.list = null;
  const repeated =
    numberIn(attribute(attributes, 'number-columns-repeated'), MOST_REPEATED_CELLS) ?? 1;
  return () => {
    table.inCell = false;
    text.blocks = outer;
    text.paragraph = paragraph;
    text.list = list;
    const cell = own.result();
    text.budget.left -= (cell.length + AROUND_CELL) * Math.max(repeated - 1, 0);
    for (let i = 0; i < repeated && text.budget.left >= 0; i++) table.row.push(cell);
  };
}
