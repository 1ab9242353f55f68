import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { type BookType, utils, type WorkBook, write } from '@e965/xlsx';
import { strToU8 } from 'fflate';
import { compoundFile } from '../../test/documents/compound-file.ts';
import { converted, convertedFile, EMPTY_CONTAINER } from '../../test/documents/converted.ts';
import { mailFile, mailOf, multipart, textPart } from '../../test/documents/mail-file.ts';
import { sheetRow, xlsxFile } from '../../test/documents/xlsx-file.ts';
import { TOO_MUCH_TEXT } from '../too-much-text.ts';
import { convert } from './xls.ts';

const written = (book: WorkBook, bookType: BookType, options = {}): Buffer =>
  write(book, { bookType, type: 'buffer', ...options });
function workbook(sheets: Readonly<Record<string, unknown[][]>>): WorkBook {
  const book = utils.book_new();
  for (const [name, rows] of Object.entries(sheets))
    utils.book_append_sheet(book, utils.aoa_to_sheet(rows), name);
  return book;
}
const textOf = async (bytes: Uint8Array): Promise<string> => (await converted(convert, bytes)).text;

/** Returns a workbook in the XML of Excel 2003. */
const xml2003 = (rows: string, encoding = 'utf-8'): string =>
  `<?xml version="1.0" encoding="${encoding}"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" ` +
  'xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet ss:Name="A">' +
  `<Table>${rows.replaceAll('<Data>', '<Data ss:Type="String">')}</Table></Worksheet></Workbook>`;

const BUDGET = `## Budget 2025

| Name | Date | Price | Share |
| --- | --- | --- | --- |
| Grüne Brücke \\| old | 2025-03-03 | 1,204.50 € | 12.5% |
| Sum | 2025-03-04 13:30 | 2409 | 1 |

## Notes

| Only one cell |
| --- |`;

describe('an old workbook of Excel', () => {
  it('that LibreOffice has written has a table for each sheet with content, and says where it begins', async () => {
    const file = readFileSync(new URL('../../test/documents/files/budget.xls', import.meta.url));
    assert.deepEqual(await converted(convert, file), {
      text: BUDGET,
      pages: [0, BUDGET.indexOf('## Notes')],
      places: ['sheet Budget 2025', 'sheet Notes'],
      about: {},
    });
  });

  it('has a title above the table', async () =>
    assert.equal(
      await textOf(written(workbook({ S: [['Costs'], ['Name', 'Sum'], ['a', 7]] }), 'biff8')),
      '## S\n\n### Costs\n\n| Name | Sum |\n| --- | --- |\n| a | 7 |',
    ));

  it('is read in all its forms, and in the code pages of those without Unicode', async () => {
    const book = workbook({
      'Лист 1': [
        ['Имя', 'Год'],
        ['Мост', 1765],
      ],
    });
    const table = '## Лист 1\n\n| Имя | Год |\n| --- | --- |\n| Мост | 1765 |';
    for (const form of ['biff8', 'xlsb', 'xlsx', 'xlml'] as const)
      assert.equal(await textOf(written(book, form)), table, form);
    const older = written(workbook({ List: [['Imja'], ['Most']] }), 'biff5').toString('latin1');
    const cyrillic = older
      .replace('Most', '\xcc\xee\xf1\xf2')
      .replace('B\0\x02\0\xe4\x04', 'B\0\x02\0\xe3\x04');
    assert.match(
      await textOf(Buffer.from(cyrillic, 'latin1')),
      /\| Imja \|\n\| --- \|\n\| Мост \|$/,
    );
    const old = written(
      workbook({
        Sheet1: [
          ['Name', 'Year'],
          ['Bridge', 1765],
        ],
      }),
      'biff2',
    );
    assert.match(await textOf(old), /\| Name \| Year \|\n\| --- \| --- \|\n\| Bridge \| 1765 \|$/);
  });

  it('has dates and times in ISO 8601, counted from 1900 or 1904, and no markup in its cells', async () => {
    const book = workbook({
      A: [
        ['# date', '> time'],
        [45_719, 0.5],
        [45_719.75, 1.5],
      ],
    });
    const sheet = book.Sheets.A;
    assert.ok(sheet);
    for (const cell of ['A2', 'A3']) sheet[cell].z = 'dd/mm/yyyy hh:mm:ss';
    for (const cell of ['B2', 'B3']) sheet[cell].z = 'hh:mm';
    const rows = (first: string, second: string) =>
      `## A\n\n| # date | > time |\n| --- | --- |\n| ${first} | 12:00 |\n| ${first} 18:00 | ${second} 12:00 |`;
    assert.equal(await textOf(written(book, 'biff8')), rows('2025-03-03', '1900-01-01'));
    book.Workbook = { WBProps: { date1904: true } };
    assert.equal(await textOf(written(book, 'biff8')), rows('2029-03-04', '1904-01-02'));
  });

  it('has no empty rows and columns, whatever its size', async () => {
    const book = workbook({ A: [['a']] });
    const sheet = book.Sheets.A;
    assert.ok(sheet);
    sheet.IV500 = { t: 's', v: 'far' };
    sheet['!ref'] = 'A1:IV500';
    assert.equal(
      await textOf(written(book, 'biff8')),
      '## A\n\n| a |  |\n| --- | --- |\n|  | far |',
    );
  });

  it('is read to its last row, however empty its rows are', async () => {
    const cell = (text: string, place = '') => `<Cell${place}><Data>${text}</Data></Cell>`;
    const rows = Array.from(
      { length: 51_000 },
      (_, row) => `<Row>${cell(`k${row}`)}${cell('v', ' ss:Index="40"')}</Row>`,
    );
    const file = xml2003(`<Row>${cell('h').repeat(40)}</Row>${rows.join('')}`);
    assert.match(await textOf(Buffer.from(file)), /\n\| k50999 \|[ |]* v \|$/);
  });

  it('with cells far from each other is listed, with the places of the cells', async () => {
    const rows: string[][] = Array.from({ length: 200 }, (_, row) => {
      const cells: string[] = [];
      cells[row] = `v${row}`;
      return cells;
    });
    assert.match(
      await textOf(written(workbook({ '# A': rows }), 'biff8')),
      /^## \\# A\n\n- A1: v0\n- B2: v1\n.*\n- GR200: v199$/s,
    );
  });

  it('with more text than a document may have is left out', async () => {
    const book = workbook({ A: Array.from({ length: 400 }, () => ['x'.repeat(30_000)]) });
    assert.deepEqual(await convert(written(book, 'xlml'), EMPTY_CONTAINER), TOO_MUCH_TEXT);
  });

  it('says its title, its author and its times', async () => {
    const book = workbook({ A: [['a']] });
    book.Props = { Title: 'Bridges', Author: 'Ann', CreatedDate: new Date('2025-03-03T09:00:00Z') };
    const { about } = await converted(convert, written(book, 'xlsb'));
    assert.deepEqual(
      { title: about?.title, author: about?.author, created: about?.created_at },
      { title: 'Bridges', author: 'Ann', created: '2025-03-03T09:00:00.000Z' },
    );
  });
});

describe('a file that is only called XLS', () => {
  it('is read as what it is: an XLSX with its comments, an ODS', async () => {
    const comments = {
      'xl/worksheets/_rels/sheet0.xml.rels': strToU8(
        '<Relationships><Relationship Id="a" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments" Target="../comments1.xml"/></Relationships>',
      ),
      'xl/comments1.xml': strToU8(
        '<comments><authors><author>Ann</author></authors><commentList><comment ref="A1" authorId="0"><text><t>Check this</t></text></comment></commentList></comments>',
      ),
    };
    const file = xlsxFile({ '# A': sheetRow(1, ['Bridge']) }, { more: comments });
    const { text, places } = await converted(convert, file);
    assert.match(text, /\| Bridge \|.*Ann.*Check this/s);
    assert.deepEqual(places, ['sheet # A']);
    const ods = written(workbook({ '# A': [['Bridge']] }), 'ods');
    const other = await converted(convert, ods);
    assert.match(other.text, /\| Bridge \|/);
    assert.deepEqual(other.places, ['sheet # A']);
  });

  it('is read as what it is: a page, a table of a page, text, a message', async () => {
    const table = '| Name | Year |\n| --- | --- |\n| Bridge | 1765 |';
    const html =
      '<html xmlns:x="urn:schemas-microsoft-com:office:excel"><table><tr><td>Name<td>Year<tr><td>Bridge<td>1765</table>';
    assert.equal(await textOf(Buffer.from(html)), table);
    assert.equal(await textOf(Buffer.from(html.replace(/^<html[^>]*>/, '\n'))), table);
    for (const text of [
      'Name\tYear\nBridge\t1765\n',
      'Name;Year\r\nBridge;1765',
      '\uFEFFName,Year\nBridge,1765',
      '"Name",Year\n"Bridge\n","1765"',
    ])
      assert.equal(await textOf(Buffer.from(text)), table, text);
    assert.equal(
      await textOf(Buffer.from('a,b\n"x, ""y""","1\n2"\n"open,3')),
      '| a | b |\n| --- | --- |\n| x, "y" | 1 2 |\n| "open | 3 |',
    );
    assert.equal(
      await textOf(Buffer.from('a\tb\n"Hello" he said\t""\n"" x\t')),
      '| a | b |\n| --- | --- |\n| Hello he said |  |\n| x |',
    );
    const long = await textOf(Buffer.from(`a,b\n"${'""x'.repeat(1_000_000)}",1`));
    assert.ok(long.endsWith('"x"x | 1 |'));
    assert.equal(await textOf(Buffer.from('\uFEFFName\tYear\nBridge\t1765', 'utf16le')), table);
    const cyrillic = xml2003(
      '<Row><Cell><Data>\xcc\xee\xf1\xf2</Data></Cell></Row>',
      'windows-1251',
    );
    assert.match(await textOf(Buffer.from(cyrillic, 'latin1')), /\| Мост \|/);
    const page = multipart('related', [textPart(html, 'text/html')]);
    assert.match(await textOf(mailOf(page)), /\| Bridge \| 1765 \|$/);
    assert.match(await textOf(mailFile([], 'x')), /x$/);
  });
});

describe('a workbook that cannot be read', () => {
  const broken = (bytes: Uint8Array, reason: RegExp) =>
    assert.rejects(converted(convert, bytes), (error: Error) => reason.test(error.message));

  it('is refused with a reason', async () => {
    const encrypted = compoundFile({
      EncryptionInfo: Buffer.alloc(9),
      EncryptedPackage: Buffer.alloc(9),
    });
    await broken(encrypted, /^the workbook is protected by a password$/);
    const named = written(workbook({ A: [['EncryptedPackage — поток']] }), 'biff8');
    assert.match(await textOf(named), /\| EncryptedPackage — поток \|/);
    const book = written(workbook({ A: [['a']] }), 'biff8');
    const not = /^the file is broken or is not a workbook of Excel$/;
    const random = Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * i * 31 + i) % 256));
    for (const bytes of [random, Buffer.from('\x09\x08\x10\0rest')]) await broken(bytes, not);
    await broken(book.subarray(0, 600), /^the file is broken or is not an Office document$/);
    await broken(Buffer.from('PK\x03\x04 nothing'), /is broken or is not an XLSB/);
  });

  it('does no harm when it is damaged anywhere', { timeout: 60_000 }, async (t) => {
    t.mock.method(console, 'error', () => undefined);
    const whole = written(
      workbook({
        A: [
          ['Name', 1],
          ['x', 2],
        ],
        B: [['y']],
      }),
      'biff8',
    );
    let seed = 1;
    const next = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed % below;
    };
    for (let round = 0; round < 300; round++) {
      const damaged = Buffer.from(whole);
      for (let i = 0; i < 5; i++)
        damaged.fill(next(256), next(damaged.length), next(damaged.length));
      const outcome = await convertedFile('xls', 'a.xls', damaged);
      assert.ok(['text', 'broken', 'skip'].includes(outcome.is));
    }
  });
});
