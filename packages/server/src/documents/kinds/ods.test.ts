import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { converted, EMPTY_CONTAINER } from '../../test/documents/converted.ts';
import { encryptedOdf, flatOdfFile, odfFile } from '../../test/documents/odf-file.ts';
import { convert } from './ods.ts';

const p = (text: string) => `<text:p>${text}</text:p>`;
const cell = (inside: string, attributes = '') =>
  `<table:table-cell ${attributes}>${inside}</table:table-cell>`;
const row = (inside: string, attributes = '') =>
  `<table:table-row ${attributes}>${inside}</table:table-row>`;
const table = (name: string, ...inside: string[]) =>
  `<table:table table:name="${name}">${inside.join('')}</table:table>`;
const spreadsheet = (...tables: string[]) =>
  `<office:spreadsheet>${tables.join('')}</office:spreadsheet>`;
const markdown = async (...inside: string[]) =>
  (await converted(convert, odfFile(spreadsheet(table('S', ...inside))))).text;

describe('the Markdown of an ODS', () => {
  const sheets = spreadsheet(
    `<table:content-validations>${p('never shown')}</table:content-validations>`,
    table('Budget', row(cell(p('Name')) + cell(p('Sum'))), row(cell(p('a|b')) + cell(p('7')))),
    table('A | B&#10;C'),
  );
  const expected = {
    text: '## Budget\n\n| Name | Sum |\n| --- | --- |\n| a\\|b | 7 |\n\n## A | B C',
    pages: [0, 54],
    places: ['sheet Budget', 'sheet A | B C'],
  };

  it('has a table for each sheet, with the offsets and names of the sheets', async () =>
    assert.deepEqual(await converted(convert, odfFile(sheets)), expected));

  it('is the same for a flat document', async () =>
    assert.deepEqual(await converted(convert, flatOdfFile(sheets)), expected));

  it('has a title above the table', async () => {
    const rows = [['Costs'], ['Name', 'Sum'], ['a', '7']];
    assert.equal(
      await markdown(...rows.map((cells) => row(cells.map((text) => cell(p(text))).join('')))),
      '## S\n\n### Costs\n\n| Name | Sum |\n| --- | --- |\n| a | 7 |',
    );
  });

  it('has hidden sheets and rows too', async () => {
    const styles =
      '<style:style style:name="ta" style:family="table"><style:table-properties table:display="false"/></style:style>';
    const rows = row(cell(p('a')), 'table:visibility="collapse"') + row(cell(p('b')));
    const hidden = `<table:table table:name="H" table:style-name="ta">${rows}</table:table>`;
    for (const file of [
      odfFile(spreadsheet(hidden), { styles }),
      flatOdfFile(spreadsheet(hidden), { styles }),
    ])
      assert.equal((await converted(convert, file)).text, '## H\n\n| a |\n| --- |\n| b |');
  });

  it('has numbers with all digits, and ISO dates', async () => {
    const of = (type: string, attributes: string, text = '') =>
      cell(text && p(text), `office:value-type="${type}" ${attributes}`);
    assert.equal(
      await markdown(
        row(
          [
            of('float', 'office:value="1234.5600000000002"', '1,235'),
            of('percentage', 'office:value="0.25"', '25.0 %'),
            of('percentage', 'office:value="0.25"'),
            of('currency', 'office:value="3"', '3.00 €'),
            of('date', 'office:date-value="2025-03-04"', '4 March'),
            of('date', 'office:date-value="2025-03-04T13:30:00"', 'x'),
            of('boolean', 'office:boolean-value="true"'),
            of('string', 'table:formula="of:=A1"', 'text'),
          ].join(''),
        ),
      ),
      `## S\n\n| 1234.56 | 25.0 % | 25% | 3.00 € | 2025-03-04 | 2025-03-04 13:30 | TRUE | text |\n|${' --- |'.repeat(8)}`,
    );
  });

  it('repeats rows and cells with text, and none without text', async () => {
    const empty = cell('', 'table:number-columns-repeated="16384"');
    assert.equal(
      await markdown(
        row(empty, 'table:number-rows-repeated="1048576"'),
        row(
          cell('', 'table:number-columns-repeated="3"') +
            cell(p('x'), 'table:number-columns-repeated="2"'),
          'table:number-rows-repeated="2"',
        ),
        row(`<table:covered-table-cell table:number-columns-repeated="4"/>${cell(p('y'))}`),
      ),
      '## S\n\n| x | x |\n| --- | --- |\n| x | x |\n|  | y |',
    );
  });

  it('has comments with their cells and the text of shapes after the table', async () => {
    const note = `<office:annotation><dc:creator>Ada</dc:creator><dc:date>2025-03-04</dc:date>${p('Why')}${p('so?')}</office:annotation>`;
    const shape = `<table:shapes><draw:frame><draw:text-box>${p('# in a box')}</draw:text-box></draw:frame><draw:frame><draw:object><office:document>${table('copy', row(cell(p('copied'))))}</office:document></draw:object></draw:frame></table:shapes>`;
    assert.equal(
      await markdown(
        shape,
        row(cell(p('a')), 'table:number-rows-repeated="3"'),
        row(cell('') + cell(note + p('b<text:s/>c'))),
      ),
      '## S\n\n| a |  |\n| --- | --- |\n| a |  |\n| a |  |\n|  | b c |\n\n\\# in a box\n\nComment on B4 by Ada: Why so?',
    );
  });

  it('has the text of shapes of all kinds after the table', async () => {
    const shape = (name: string) => `<draw:${name}>${p(`in a ${name}`)}</draw:${name}>`;
    assert.equal(
      await markdown(
        `<table:shapes>${shape('ellipse')}</table:shapes>`,
        row(cell(p('v') + shape('rect') + shape('connector'))),
      ),
      '## S\n\n| v |\n| --- |\n\nin a ellipse\n\nin a rect\n\nin a connector',
    );
  });
});

describe('a hostile ODS', () => {
  it('is left out or shortened when it repeats cells without end', async () => {
    const much = row(
      cell(p('x'.repeat(10_000)), 'table:number-columns-repeated="16384"'),
      'table:number-rows-repeated="1048576"',
    );
    const body = spreadsheet(table('S', much));
    assert.deepEqual(await convert(odfFile(body), EMPTY_CONTAINER), {
      reason: 'with too much text',
      detail: 'more than 10000000 characters',
    });
    const few = row(cell(p('x')), 'table:number-rows-repeated="1048576"');
    assert.equal((await markdown(few)).match(/x/g)?.length, 100);
  });

  it('is refused when it is protected or broken', async () => {
    await assert.rejects(converted(convert, odfFile('', { more: encryptedOdf })), {
      message: 'the ODS is protected by a password',
    });
    await assert.rejects(converted(convert, odfFile('<table:table>')), {
      message: 'the file is broken or is not an ODS',
    });
  });
});
