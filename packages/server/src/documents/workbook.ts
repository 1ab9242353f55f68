/** Reads the old workbooks of Excel (XLS, XLSB, XML of 2003) and writes each sheet as a table. */
import { type CellObject, read, SSF, set_cptable, type WorkBook, type WorkSheet } from '@e965/xlsx';
import * as codePages from '@e965/xlsx/dist/cpexcel.full.mjs';
import { SourceError } from '../errors.ts';
import { newBudget, type TextBudget } from './budget.ts';
import type { About, Converted } from './convert.ts';
import { createBlocks } from './office/blocks.ts';
import { createGrid } from './office/sheets/grid.ts';
import { sheetName } from './office/sheets/sheet-name.ts';
import type { Omission } from './omission.ts';
import { createPaged } from './paged.ts';
import { cleanText } from './plain.ts';
import { TOO_MUCH_TEXT } from './too-much-text.ts';

/** Workbooks before Excel 97 are written in code pages. */
set_cptable(codePages);

const OPTIONS = { dense: true, cellNF: true, cellFormula: false, cellHTML: false } as const;

/** Throws a SourceError 'skip' for a workbook that is broken or protected. */
export function convertWorkbook(content: Uint8Array | string): Converted | Omission {
  const workbook = open(content);
  const budget = newBudget();
  const paged = createPaged();
  for (const key of workbook.SheetNames) {
    const sheet = workbook.Sheets[key];
    const table = sheet ? tableOf(sheet, isFrom1904(workbook), budget) : '';
    if (table === '') continue;
    const name = cleanText(sheetName(key));
    const blocks = createBlocks();
    blocks.heading(2, name);
    blocks.markdown(table);
    paged.add(`sheet ${name}`, blocks.result());
    if (budget.left < 0 || paged.isFull) return TOO_MUCH_TEXT;
  }
  return { ...paged.result(), about: aboutOf(workbook) };
}

function open(content: Uint8Array | string): WorkBook {
  try {
    return typeof content === 'string'
      ? read(content, { ...OPTIONS, type: 'string', raw: true })
      : read(content, { ...OPTIONS, type: 'array' });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    if (/password|encrypt/i.test(why)) throw protectedWorkbook(error);
    throw brokenWorkbook(error);
  }
}

export const brokenWorkbook = (cause?: unknown): SourceError =>
  new SourceError('skip', 'the file is broken or is not a workbook of Excel', {
    hint: 'Open it in Excel or LibreOffice, and save it again as XLSX.',
    cause,
  });

export const protectedWorkbook = (cause?: unknown): SourceError =>
  new SourceError('skip', 'the workbook is protected by a password', {
    hint: 'Store a copy without the password.',
    cause,
  });

const isFrom1904 = ({ Workbook }: WorkBook): boolean => Workbook?.WBProps?.date1904 === true;

function tableOf(sheet: WorkSheet, date1904: boolean, budget: TextBudget): string {
  const grid = createGrid(budget);
  const data = sheet['!data'] ?? [];
  // The arrays of the library have holes, which may be long.
  for (const row of Object.keys(data).map(Number))
    for (const column of Object.keys(data[row] ?? []).map(Number)) {
      const cell = data[row]?.[column];
      if (cell) grid.add(row, column, textOf(cell, date1904));
    }
  return grid.result();
}

function textOf(cell: CellObject, date1904: boolean): string {
  const { t, v, w, z } = cell;
  if (t === 'n' && typeof v === 'number' && SSF.is_date(String(z ?? '')))
    return dateOf(v, date1904) ?? String(v);
  return String(w ?? v ?? '');
}

/** Returns a date and time in ISO 8601, or null for a number that is not a date. Numbers below 1 are times of a day. */
function dateOf(number: number, date1904: boolean): string | null {
  const code = SSF.parse_date_code(number, { date1904 });
  if (!code) return null;
  const time = `${two(code.H)}:${two(code.M)}${code.S === 0 ? '' : `:${two(code.S)}`}`;
  if (number < 1) return time;
  const date = `${String(code.y).padStart(4, '0')}-${two(code.m)}-${two(code.d)}`;
  return Number.isInteger(number) ? date : `${date} ${time}`;
}

const two = (number: number): string => String(Math.floor(number)).padStart(2, '0');

function aboutOf({ Props }: WorkBook): About {
  const { Title, Author, CreatedDate, ModifiedDate } = Props ?? {};
  const created = isoOf(CreatedDate);
  const modified = isoOf(ModifiedDate);
  return {
    ...(Title && { title: cleanText(String(Title)) }),
    ...(Author && { author: cleanText(String(Author)) }),
    ...(created && { created_at: created }),
    ...(modified && { modified_at: modified }),
  };
}

/** A program that does not know the time writes one of the year 1601. */
function isoOf(value: unknown): string | null {
  const date = value instanceof Date || typeof value === 'string' ? new Date(value) : null;
  if (!date || Number.isNaN(date.getTime()) || date.getUTCFullYear() < 1970) return null;
  return date.toISOString();
}
