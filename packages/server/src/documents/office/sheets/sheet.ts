/** Reads the cells of a sheet of an XLSX (ECMA-376 part 1, 18.3). */

import type { TextBudget } from '../../budget.ts';
import type { XmlAttributes } from '../../xml/parse.ts';
import type { OfficePackage } from '../package.ts';
import { attribute, numberIn, type XmlHandler } from '../xml.ts';
import { cellPlace, createGrid } from './grid.ts';
import { showIsoTime, showNumber } from './number-format.ts';
import { textOf } from './text-of.ts';
import type { Workbook } from './workbook.ts';

const MOST_ROWS = 1_048_576;
const MOST_STYLES = 1_000_000;

/** Returns the table in Markdown. It is cut off when the budget is spent. */
export function readSheet(
  document: OfficePackage,
  path: string,
  { workbook, budget }: { readonly workbook: Workbook; readonly budget: TextBudget },
): string {
  const grid = createGrid(budget);
  let row = -1;
  let column = -1;
  let cell: XmlAttributes = {};
  /** This is the name of the last cell that has one. The others come one after the other. */
  let name: string | undefined;
  let value = '';
  let inValue = false;

  const closeCell = () => {
    // Most cells of a large sheet may be empty, and one shared text can be long and stand in many cells.
    if (value === '' || budget.left < 0) return;
    place();
    grid.add(row, column, shown());
  };
  const closeValue = () => {
    inValue = false;
  };

  function place(): void {
    [row, column] = cellPlace(name) ?? [row, column];
    name = undefined;
  }

  /** A cell has the result of its formula, which the program stored when it calculated the sheet last. */
  function shown(): string {
    switch (attribute(cell, 't')) {
      case 's':
        return workbook.texts?.[Number(value)] ?? '';
      case 'str':
      case 'inlineStr':
        return textOf(value);
      case 'b':
        return value === '1' || value === 'true' ? 'TRUE' : 'FALSE';
      case 'd':
        return showIsoTime(value);
      case 'e':
        return value;
      default: {
        const style = numberIn(attribute(cell, 's'), MOST_STYLES) ?? 0;
        return showNumber(value, workbook.formats[style] ?? { is: 'number' }, workbook.is1904);
      }
    }
  }

  const handler: XmlHandler = {
    open(element, attributes) {
      switch (element) {
        case 'row':
          row = (numberIn(attribute(attributes, 'r'), MOST_ROWS) ?? row + 2) - 1;
          column = -1;
          name = undefined;
          return undefined;
        case 'c':
          cell = attributes;
          if (attributes.r === undefined) {
            place();
            column++;
          } else name = attributes.r;
          value = '';
          return closeCell;
        case 'v':
        case 't':
          inValue = true;
          return closeValue;
        // This is the reading of a Japanese word.
        case 'rPh':
          return 'skip';
        default:
          return undefined;
      }
    },
    text(data) {
      if (inValue) value += data;
    },
    isDone: () => budget.left < 0,
  };
  document.read(path, handler);
  return grid.result();
}
