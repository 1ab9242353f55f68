/** Tests which lines of a PDF become tables. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { converted } from '../../test/documents/converted.ts';
import { type PdfLine, pdfFile } from '../../test/documents/pdf-file.ts';
import { convert } from './pdf.ts';

const markdown = async (...pages: PdfLine[][]) => (await converted(convert, pdfFile(pages))).text;

/** Makes a row whose cells begin at these distances from the margin. An empty text makes no cell. */
const rowAt = (indents: readonly number[], texts: readonly string[], font?: 'bold' | 'code') => {
  const [first, ...cells] = texts
    .map((text, i) => ({ text, indent: indents[i]! }))
    .filter(({ text }) => text !== '');
  return { ...first!, cells, ...(font && { font }) };
};
const row = (...texts: string[]): PdfLine => rowAt([0, 120, 240], texts);
const bold = (...texts: string[]): PdfLine => rowAt([0, 120, 240], texts, 'bold');

const BRIDGES = [
  row('Bridge', 'River', 'Built'),
  row('Old bridge', 'Rhine', '1765'),
  row('New|wide', '', '1904'),
  row('Iron bridge', 'Main', '1868'),
];
const SHOWN =
  '| Bridge | River | Built |\n| --- | --- | --- |\n| Old bridge | Rhine | 1765 |\n' +
  '| New\\|wide |  | 1904 |\n| Iron bridge | Main | 1868 |';
/** Checks that no table is found in the lines, whose words keep their order. */
async function assertLines(lines: readonly PdfLine[], what?: string): Promise<void> {
  const texts = lines.map((line) =>
    typeof line === 'string' ? line : [line.text, ...(line.cells ?? []).map(({ text }) => text)],
  );
  const wordsIn = (text: string) => text.split(/\s+/);
  assert.deepEqual(wordsIn(await markdown([...lines])), wordsIn(texts.flat().join(' ')), what);
}

describe('a table of a PDF', () => {
  it('has a head and rows of the same columns, of which some cells may be empty', async () =>
    assert.equal(
      await markdown(['Before it.', ...BRIDGES, 'After it.']),
      `Before it.\n\n${SHOWN}\n\nAfter it.`,
    ));

  it('may have columns that are aligned at the right or in the middle, below a head that is not', async () => {
    const table = [
      rowAt([0, 110, 230], ['Name', 'Price', 'Sum total']),
      rowAt([0, 120, 240], ['one', '1000', 'wwww']),
      rowAt([0, 133.34, 244.33], ['two', '10', 'www']),
      rowAt([0, 126.67, 248.67], ['three', '100', 'ww']),
    ];
    assert.match(
      await markdown(table),
      /^\| Name \| Price \| Sum total \|\n\| --- .*\| 100 \| ww \|$/s,
    );
  });

  it('may have no numbers when its head is bold', async () => {
    const words = [row('apple', 'berry', 'cherry'), row('dates', 'elder', 'figs')];
    const shown =
      '| One | Two | Three |\n| --- | --- | --- |\n| apple | berry | cherry |\n| dates | elder | figs |';
    assert.equal(await markdown([bold('One', 'Two', 'Three'), ...words]), shown);
    for (const head of [row, bold]) {
      const lines = [head('One', 'Two', 'Three'), ...(head === row ? words : BRIDGES.slice(1, 2))];
      await assertLines(lines);
    }
  });

  it('goes on on the next page, where its head is repeated', async () => {
    const [head, first] = BRIDGES;
    assert.equal(
      await markdown(BRIDGES, [head!, first!, 'End.'], [row('Tree', 'River', 'Built'), first!]),
      `${SHOWN}\n\n| Bridge | River | Built |\n| --- | --- | --- |\n| Old bridge | Rhine | 1765 |\n\nEnd.` +
        '\n\nTree River Built\nOld bridge Rhine 1765',
    );
  });

  it('is not found in a text, a list, a table of contents, or what has no certain head or columns', async () => {
    const [head, first, second, third] = BRIDGES as [PdfLine, PdfLine, PdfLine, PdfLine];
    const long = 'of the many weirs not one';
    const code = (...texts: string[]): PdfLine => rowAt([0, 120, 240], texts, 'code');
    for (const [what, lines] of Object.entries({
      'two rows': [head, first],
      'a list': ['1.', '2.', '3.'].map((number) => rowAt([0, 20], [number, 'Item 7'])),
      'a table of contents': [1, 2, 9].map((page) => rowAt([0, 240], [`Part ${page}`, `${page}`])),
      'a head with a number': [row('Bridge', '1700', 'Built'), first, third],
      'a bold head with a number': [bold('Bridge', '1700', 'Built'), first, third],
      'the end of a table': [first, second, third],
      'columns of text': [
        rowAt([0, 240], ['Left', 'Right'], 'bold'),
        ...Array<PdfLine>(3).fill(rowAt([0, 240], [long, long])),
      ],
      'a column of text beside short labels': [
        rowAt([0, 120], ['Contact', 'Profile'], 'bold'),
        rowAt([0, 120], ['Berlin', 'Experienced engineer with ten years']),
        rowAt([0, 120], ['030 1234', 'of practice in the field of']),
        rowAt([0, 120], ['a@b.de', 'distributed systems and search']),
      ],
      'no shared edges': [
        head,
        rowAt([0, 120, 240], ['Old bridge', 'Rhine', '1765']),
        rowAt([0, 129, 240], ['Old bridge', 'Main and Rhine', '1765']),
      ],
      'a cell of two lines': [head, first, third, { text: 'and Main', indent: 120 }, first],
      'a first cell of two lines': [head, first, third, { text: 'of wood', indent: 0 }, first],
      'a first cell of three lines': [head, first, third, 'of wood', 'and iron', first],
      'a head of two lines': [{ text: 'in', indent: 240 }, head, first, third],
      'a row without its first cell': [head, first, rowAt([120, 240], ['Main', '1868']), third],
    }))
      await assertLines(lines, what);
    const listing = [code('Bridge', 'River', 'Built'), code('a', 'b', '1'), code('c', 'd', '2')];
    assert.doesNotMatch(await markdown([...Array<string>(20).fill(long), ...listing]), /---/);
  });
});
