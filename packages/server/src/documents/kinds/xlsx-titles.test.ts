/** Tests which rows of a sheet are titles above its table. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { converted } from '../../test/documents/converted.ts';
import { sheetRow, xlsxFile } from '../../test/documents/xlsx-file.ts';
import { convert } from './xlsx.ts';

async function markdown(rows: readonly (readonly string[])[]): Promise<string> {
  const sheet = rows.map((row, i) => sheetRow(i + 1, row)).join('');
  return (await converted(convert, xlsxFile({ S: sheet }))).text;
}

describe('a sheet of an XLSX', () => {
  it('has titles above the table, whose head is the first row of several cells', async () => {
    const table = [
      ['Name', 'Sum'],
      ['a', '7'],
    ];
    const shown = '| Name | Sum |\n| --- | --- |\n| a | 7 |';
    const long = 'words '.repeat(20).trim();
    for (const [above, expected] of [
      [[['Costs # 1']], `### Costs # 1\n\n${shown}`],
      [[['', '', '', 'Costs'], ['# in EUR']], `### Costs\n\n\\# in EUR\n\n${shown}`],
      [[['2024']], `2024\n\n${shown}`],
      [[[long]], `${long}\n\n${shown}`],
      [['a', 'b', 'c', 'd', 'e'].map((one) => [one]), `### a\n\nb\n\nc\n\nd\n\ne\n\n${shown}`],
    ] as const)
      assert.equal(await markdown([...above, ...table]), `## S\n\n${expected}`);
    for (const [texts, expected] of [
      [
        [['Costs'], ['in EUR'], [], ['Item', '2022'], ['a', '7']],
        '### Costs\n\nin EUR\n\n| Item | 2022 |\n| --- | --- |\n| a | 7 |',
      ],
      [
        [['Costs'], [], ['plums', '3'], ['figs', '4']],
        '### Costs\n\n| plums | 3 |\n| --- | --- |\n| figs | 4 |',
      ],
      [
        [['Costs'], ['Q1 2022', 'Q2 2022'], ['6', '7']],
        '### Costs\n\n| Q1 2022 | Q2 2022 |\n| --- | --- |\n| 6 | 7 |',
      ],
    ] as const)
      assert.equal(await markdown(texts), `## S\n\n${expected}`);
  });

  it('has the first rows in the table where a row with a number follows them', async () => {
    const shown = (first: string, ...others: string[]) =>
      `## S\n\n| ${first} |  |\n| --- | --- |\n| ${others.join(' |\n| ')} |`;
    for (const [texts, expected] of [
      [
        [['apples'], ['pears'], ['plums', '3'], ['figs', '4']],
        shown('apples', 'pears | ', 'plums | 3', 'figs | 4'),
      ],
      [[['Name'], ['a', '7'], ['b', '8']], shown('Name', 'a | 7', 'b | 8')],
      [
        [['Due'], ['2025-03-04', 'a'], ['2025-03-05', 'b']],
        shown('Due', '2025-03-04 | a', '2025-03-05 | b'),
      ],
      [
        [['Name'], ['a', '1,204.50 €'], ['b', '12 kg']],
        shown('Name', 'a | 1,204.50 €', 'b | 12 kg'),
      ],
    ] as const)
      assert.equal(await markdown(texts), expected);
  });

  it('has a first cell alone in the table where no head with a row follows', async () => {
    for (const texts of [
      [['Name'], ['a', 'x']],
      [['Name'], ['a', 'x'], ['b'], ['c', 'y']],
      [['a'], ['b'], ['c'], ['d'], ['e'], ['f'], ['Name', 'Sum'], ['a', '7']],
      [['a'], ['b'], ['c']],
    ])
      assert.match(await markdown(texts), /^## S\n\n\| (?:Name|a) \|.*\n\| ---/);
  });
});
