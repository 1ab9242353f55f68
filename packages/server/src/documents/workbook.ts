/** Reads the old workbooks of Excel (XLS, XLSB, XML of 2003) and writes each sheet as a table. */
import { type CellObject, read, SSF, set_cptable, type WorkBook, type WorkSheet } from '@e965/xlsx';
import * as codePages from '@e965/xlsx/dist/cpexcel.full.mjs';
import { SourceError } from '../errors.ts';
import { cellText } from './cell-text.ts';
import type { About, Converted } from './convert.ts';
import { writeTable } from './html-table.ts';
import { createMarkdownWriter } from './markdown-writer.ts';
import { createPaged } from './office/paged.ts';
import { cleanText } from './plain.ts';

/** A sheet of more cells, empty ones within its rows included, is cut. */
const MAX_CELLS = 2_000_000;
/** Workbooks before Excel 97 are written in code pages. */
set_cptable(codePages);

const OPTIONS = { dense: true, cellNF: true, cellFormula: false, cellHTML: false } as const;

/** Throws a SourceError 'skip' for a workbook that is broken or protected. */
export function convertWorkbook(content: Uint8Array | string): Converted {
  const workbook = open(content);
  const paged = createPaged();
  for (const name of workbook.SheetNames) {
    const sheet = workbook.Sheets[name];
    const table = sheet ? tableOf(sheet, isFrom1904(workbook)) : '';
    if (table === '') continue;
    const title = cleanText(cellText(name));
    paged.add(`sheet ${title}`, `## ${title}\n\n${table}`);
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
    throw new SourceError('skip', 'the file is broken or is not a workbook of Excel', {
      hint: 'Open it in Excel or LibreOffice, and save it again as XLSX.',
      cause: error,
    });
  }
}

export const protectedWorkbook = (cause?: unknown): SourceError =>
  new SourceError('skip', 'the workbook is protected by a password', {
    hint: 'Store a copy without the password.',
    cause,
  });

const isFrom1904 = ({ Workbook }: WorkBook): boolean => Workbook?.WBProps?.date1904 === true;

function tableOf(sheet: WorkSheet, date1904: boolean): string {
  const rows: string[][] = [];
  const columns = usedColumns(sheet);
  let cells = 0;
  for (const row of rowsOf(sheet)) {
    const written: string[] = [];
    for (const [column, cell] of row) {
      const text = textOf(cell, date1904);
      if (text !== '') written[columns.get(column) ?? 0] = text;
    }
    if (written.length === 0) continue;
    cells += written.length;
    if (cells > MAX_CELLS) break;
    rows.push(Array.from(written, (text) => text ?? ''));
  }
  const writer = createMarkdownWriter();
  writeTable({ rows, isLayout: false }, writer);
  return writer.result();
}

type PlacedCell = readonly [column: number, cell: CellObject];

/** Yields the cells of each row that has some. The arrays of the library have holes. */
function* rowsOf(sheet: WorkSheet): Generator<readonly PlacedCell[]> {
  const data = sheet['!data'] ?? [];
  for (const index of Object.keys(data)) {
    const row = data[Number(index)] ?? [];
    yield Object.keys(row).flatMap((column): PlacedCell[] => {
      const cell = row[Number(column)];
      return cell ? [[Number(column), cell]] : [];
    });
  }
}

/** Maps the columns in which something is written to their places in the table. */
function usedColumns(sheet: WorkSheet): ReadonlyMap<number, number> {
  const used = new Set<number>();
  for (const row of rowsOf(sheet))
    for (const [column, { v }] of row) if (v !== undefined && v !== '') used.add(column);
  const inOrder = [...used].toSorted((a, b) => a - b);
  return new Map(inOrder.map((column, place) => [column, place]));
}

function textOf(cell: CellObject, date1904: boolean): string {
  const { t, v, w, z } = cell;
  if (t === 'n' && typeof v === 'number' && SSF.is_date(String(z ?? '')))
    return dateOf(v, date1904) ?? String(v);
  return cleanText(cellText(String(w ?? v ?? '')));
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
