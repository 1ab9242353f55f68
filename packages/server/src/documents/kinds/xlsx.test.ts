import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { strToU8 } from 'fflate';
import { converted, EMPTY_CONTAINER } from '../../test/documents/converted.ts';
import { sheetRow, type XlsxOptions, xlsxFile } from '../../test/documents/xlsx-file.ts';
import { convert } from './xlsx.ts';

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

const markdown = async (rows: string, options: XlsxOptions = {}) =>
  (await converted(convert, xlsxFile({ S: rows }, options))).text;
const result = (bytes: Uint8Array) => convert(bytes, EMPTY_CONTAINER);

/** Returns the file with another unpacked size of a part in its directory. */
function declaring(file: Uint8Array, part: string, size: number): Uint8Array {
  const bytes = Buffer.from(file);
  bytes.writeUInt32LE(size, bytes.lastIndexOf(part) - 22);
  return bytes;
}

describe('the Markdown of an XLSX', () => {
  it('has a table for each sheet, with the offsets and names of the sheets', async () => {
    const file = xlsxFile({
      Budget: sheetRow(1, ['Name', 'Sum']) + sheetRow(2, ['a|b', '# 7']),
      '  A | B&#10;C ': sheetRow(1, ['x']),
      Empty: '',
    });
    const { text, ...rest } = await converted(convert, file);
    assert.equal(
      text,
      '## Budget\n\n| Name | Sum |\n| --- | --- |\n| a\\|b | # 7 |\n\n## A | B C\n\n| x |\n| --- |\n\n## Empty',
    );
    assert.deepEqual(rest, {
      pages: [0, 56, 83],
      places: ['sheet Budget', 'sheet A | B C', 'sheet Empty'],
    });
    assert.deepEqual(
      rest.pages?.map((at) => text.slice(at, at + 5)),
      ['## Bu', '## A ', '## Em'],
    );
  });

  it('leaves out rows and columns without text, wherever they are', async () => {
    const rows =
      '<row r="1"><c r="A1" s="1"/></row>' +
      sheetRow(3, ['', 'Name', '', 'Sum']) +
      '<row r="4"/>' +
      sheetRow(5, ['', 'a', ' ', '1']) +
      '<row r="1048576"><c r="XFD1048576"><v>9</v></c></row>';
    assert.equal(
      await markdown(rows),
      '## S\n\n| Name | Sum |  |\n| --- | --- | --- |\n| a | 1 |  |\n|  |  | 9 |',
    );
  });

  it('has shared and rich texts, booleans, errors and results of formulas', async () => {
    const texts =
      '<si><t>one</t></si><si><r><t xml:space="preserve">ri</t></r><r><t>ch</t></r><rPh><t>x</t></rPh></si><si><t>a_x000D_&#10;b</t></si>';
    const cells = [
      '<c t="s"><v>0</v></c>',
      '<c t="s"><v>1</v></c>',
      '<c t="s"><v>2</v></c>',
      '<c t="s"><v>99</v></c>',
      '<c t="b"><v>1</v></c>',
      '<c t="b"><v>0</v></c>',
      '<c t="e"><v>#DIV/0!</v></c>',
      '<c><f>SUM(A1:A2)</f><v>3</v></c>',
      '<c t="str"><f>A1</f><v>text</v></c>',
      '<c><f>never(calculated)</f></c>',
      '<c t="inlineStr"><is><t>kanji</t><rPh><t>reading</t></rPh></is></c>',
      '<c t="d"><v>2025-03-04T00:00:00Z</v></c>',
    ];
    assert.equal(
      await markdown(`<row>${cells.join('')}</row>`, { texts }),
      `## S\n\n| one | rich | a b | TRUE | FALSE | #DIV/0! | 3 | text | kanji | 2025-03-04 |\n|${' --- |'.repeat(10)}`,
    );
  });

  it('finds the columns of cells with and without names', async () => {
    const cells = '<c><v>1</v></c><c r="C7"/><c><v>2</v></c><c r="B7"><v>3</v></c><c><v>4</v></c>';
    assert.equal(
      await markdown(`<row r="7">${cells}</row><row><c r="A8"/><c/><c/><c><v>5</v></c></row>`),
      '## S\n\n| 1 | 3 | 4 | 2 |\n| --- | --- | --- | --- |\n|  |  |  | 5 |',
    );
  });

  const styles = (codes: readonly (number | string)[]) =>
    `<numFmts>${codes
      .map((code, i) => `<numFmt numFmtId="${200 + i}" formatCode="${code}"/>`)
      .join(
        '',
      )}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${codes.map((code, i) => `<xf numFmtId="${typeof code === 'number' ? code : 200 + i}"/>`).join('')}</cellXfs>`;
  for (const [format, value, shown] of [
    [0, '0.30000000000000004', '0.3'],
    [0, '12345678901234567890', '12345678901234567890'],
    [2, '-1.5E-3', '-0.0015'],
    [9, '0.25', '25%'],
    [10, '0.0351', '3.51%'],
    ['0.0##%', '1', '100.000%'],
    [14, '45720', '2025-03-04'],
    [14, '1', '1900-01-01'],
    [14, '61', '1900-03-01'],
    [14, '99999999', '99999999'],
    [14, '-1', '-1'],
    [22, '45721.5625', '2025-03-05 13:30'],
    [22, '45721.5625115741', '2025-03-05 13:30:01'],
    [22, '45721', '2025-03-05'],
    [20, '0.5', '12:00'],
    [31, '45720', '2025-03-04'],
    [46, '1.5', '36:00:00'],
    ['mmm yyyy', '45720', '2025-03-04'],
    ['[$-409]d/m/yy h:mm AM/PM;@', '45721.5625', '2025-03-05 13:30'],
    ['[Red]0.00;[Blue]&quot;days&quot;', '5', '5'],
    ['0 &quot;days&quot;', '5', '5'],
    ['0\\d', '5', '5'],
    ['General', '5.50', '5.5'],
    ['&quot;'.repeat(100_000), '5', '5'],
  ] as const)
    it(`shows ${value} with the format ${String(format).slice(0, 40)} as ${shown}`, async () => {
      const cell = `<row><c s="0"><v>${value}</v></c></row>`;
      const text = await markdown(cell, { styles: styles([format]) });
      assert.equal(text, `## S\n\n| ${shown} |\n| --- |`);
    });

  it('counts days from 1904 when the workbook says so', async () =>
    assert.equal(
      await markdown('<row><c s="0"><v>1</v></c></row>', {
        styles: styles([14]),
        workbook: '<workbookPr date1904="1"/>',
      }),
      '## S\n\n| 1904-01-02 |\n| --- |',
    ));

  it('has the notes, the threads of comments and the shapes of a sheet after its table', async () => {
    const relation = (id: string, type: string, target: string) =>
      `<Relationship Id="${id}" Type="${type}" Target="${target}"/>`;
    const more = {
      'xl/worksheets/_rels/sheet0.xml.rels': strToU8(
        `<Relationships>${relation('a', `${OFFICE}/comments`, '../comments1.xml')}${relation('b', 'http://schemas.microsoft.com/office/2017/10/relationships/threadedComment', '../threadedComments/t.xml')}${relation('c', `${OFFICE}/drawing`, '../drawings/d.xml')}</Relationships>`,
      ),
      'xl/comments1.xml': strToU8(
        '<comments><authors><author>Ada</author><author>tc={A-1}</author><author>tc={B-2}</author></authors><commentList><comment ref="B2" authorId="0"><text><r><t>Ada:</t></r><r><t>&#10;Check | this</t></r></text></comment><comment ref="A1" authorId="1"><text><t>[Kommentarthread] Ihre Version</t></text></comment><comment ref="A2" authorId="2"><text><t>The thread is gone</t></text></comment></commentList></comments>',
      ),
      'xl/threadedComments/t.xml': strToU8(
        '<ThreadedComments><threadedComment ref="A1" id="{A-1}" personId="{1}"><text>Why?</text></threadedComment><threadedComment ref="A1" id="{C-3}" parentId="{A-1}" personId="{1}"><text>So?</text></threadedComment></ThreadedComments>',
      ),
      'xl/drawings/d.xml': strToU8(
        '<xdr:wsDr><xdr:sp><xdr:nvSpPr><xdr:cNvPr descr="a chart"/></xdr:nvSpPr><xdr:txBody><a:p><a:r><a:t># a </a:t></a:r><a:r><a:t>box</a:t></a:r></a:p></xdr:txBody></xdr:sp></xdr:wsDr>',
      ),
      'xl/persons/p.xml': strToU8('<personList><person id="{1}" displayName="Bob"/></personList>'),
      'xl/_rels/workbook.xml.rels': strToU8(
        `<Relationships>${relation('s0', `${OFFICE}/worksheet`, 'worksheets/sheet0.xml')}${relation('p', 'http://schemas.microsoft.com/office/2017/10/relationships/person', 'persons/p.xml')}</Relationships>`,
      ),
    };
    assert.equal(
      await markdown(sheetRow(1, ['a']), { more }),
      '## S\n\n| a |\n| --- |\n\na chart\n\n\\# a box\n\nComment on B2 by Ada: Check | this\n\nComment on A2: The thread is gone\n\nComment on A1 by Bob: Why?\n\nComment on A1 by Bob: So?',
    );
  });
});

describe('a hostile XLSX', () => {
  it('lists its cells when they are scattered too widely for a table', async () => {
    const rows = Array.from(
      { length: 3000 },
      (_, i) => `<row><c r="${columnName(i)}${i + 1}"><v>${i}</v></c></row>`,
    );
    const text = await markdown(rows.join(''));
    assert.equal(text.split('\n').length, 3002);
    assert.match(text, /^## S\n\n- A1: 0\n- B2: 1\n/);
    assert.match(text, /\n- DKJ3000: 2999$/);
  });

  it('is read quickly when it has very many cells without text', async () => {
    const rows = `<row>${'<c s="1"/>'.repeat(500_000)}</row><row><c><v>1</v></c></row>`;
    assert.equal(await markdown(rows), '## S\n\n| 1 |\n| --- |');
  });

  it('is left out when a text is repeated too often', async () => {
    const texts = `<si><t>${'x'.repeat(5_000_000)}</t></si>`;
    const rows = `<row>${'<c t="s"><v>0</v></c>'.repeat(100_000)}</row>`;
    assert.deepEqual(await result(xlsxFile({ S: rows }, { texts })), {
      reason: 'with too much text',
      detail: 'more than 10000000 characters',
    });
  });

  it('is left out when its shared texts are too long', async () => {
    const texts = `<si><t>${'x'.repeat(5_000_000)}</t></si>`.repeat(3);
    const omission = await result(xlsxFile({ S: '' }, { texts }));
    assert.equal('reason' in omission && omission.reason, 'with too much text');
  });

  it('is read once where it names a sheet again and again', async () => {
    const again = '<sheets><sheet name="S" r:id="s0"/><sheet name="T" r:id="s0"/></sheets>';
    const rows = sheetRow(1, ['a']);
    assert.equal(await markdown(rows, { workbook: again }), '## S\n\n| a |\n| --- |');
  });

  it('is refused when its sheets read one large part too often', async () => {
    const relations = `<Relationships><Relationship Id="a" Type="${OFFICE}/drawing" Target="/xl/d.xml"/></Relationships>`;
    const names = Array.from({ length: 40 }, (_, i) => String(i));
    const more = Object.fromEntries(
      names.map((i) => [`xl/worksheets/_rels/sheet${i}.xml.rels`, strToU8(relations)]),
    );
    const large = strToU8(`<a>${'\n'.repeat(20_000_000)}</a>`);
    const sheets = Object.fromEntries(names.map((name) => [`n${name}`, '']));
    await assert.rejects(result(xlsxFile(sheets, { more: { ...more, 'xl/d.xml': large } })), {
      message: 'the parts of the XLSX refer to each other too often',
    });
  });

  it('may have sheets and caches of pivot tables that are larger than the memory', async () => {
    const cache = 'xl/pivotCache/pivotCacheRecords1.xml';
    const more = { [cache]: strToU8('<pivotCacheRecords/>') };
    const file = xlsxFile({ S: sheetRow(1, ['a']) }, { more });
    const size = 200 * 1024 * 1024;
    for (const part of [cache, 'xl/worksheets/sheet0.xml'])
      assert.equal(
        (await converted(convert, declaring(file, part, size))).text,
        '## S\n\n| a |\n| --- |',
      );
    await assert.rejects(converted(convert, declaring(file, 'xl/styles.xml', size)), {
      message: 'the XLSX unpacks to more than 100 MB',
    });
  });

  it('may lack parts', async () => {
    const workbook = '<sheets><sheet name="gone" r:id="none"/><sheet r:id="s0"/></sheets>';
    const file = xlsxFile({ S: sheetRow(1, ['a']) }, { workbook });
    assert.equal((await converted(convert, file)).text, '| a |\n| --- |');
  });
});

function columnName(column: number): string {
  const last = String.fromCharCode(65 + (column % 26));
  return column < 26 ? last : columnName(Math.floor(column / 26) - 1) + last;
}
