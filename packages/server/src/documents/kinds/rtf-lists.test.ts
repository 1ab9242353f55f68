/** Tests which labels the items of lists have in RTF. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { converted } from '../../test/documents/converted.ts';
import { convert } from './rtf.ts';

const rtf = (body: string): Buffer =>
  Buffer.from(`{\\rtf1\\ansi{\\stylesheet{\\s1 heading 1;}}${body}}`);
const textOf = async (body: string): Promise<string> => (await converted(convert, rtf(body))).text;

describe('a list in RTF', () => {
  it('keeps the labels of items, to which a text refers, also in tables', async () => {
    const item = (label: string, text: string, level = 0) =>
      `\\pard{\\listtext ${label}\\tab}\\ls1\\ilvl${level} ${text}`;
    for (const [body, expected] of [
      [
        `${item('1.1.', 'The seller delivers.')}\\par${item('(a)', 'in time;', 1)}\\par\\pard See 1.1. (a)`,
        '- 1.1. The seller delivers.\n  - (a) in time;\n\nSee 1.1. (a)',
      ],
      [
        `\\intbl${item('1.1.', '\\intbl Delivery')}\\cell${item('(a)', '\\intbl in time')}\\par whole\\cell\\row` +
          `${item('2)', '\\intbl Price')}\\cell\\pard\\intbl 12\\cell\\row`,
        '| - 1.1. Delivery | - (a) in time - whole |\n| --- | --- |\n| 2) Price | 12 |',
      ],
      [
        `\\intbl ${item('iv.', '\\intbl One')}\\par\\pard\\intbl two\\cell\\row`,
        '- iv. One\n\ntwo',
      ],
      [`${item('1.', 'One{\\footnote Note}')}\\par`, '1. One[1]\n\n1. Note'],
    ] as const)
      assert.equal(await textOf(body), expected, body);
  });

  it('has no labels of items whose signs are circles, and symbols that a font shows for letters', async () => {
    const symbols = '{\\fonttbl{\\f7\\fcharset2 Wingdings;}}';
    const item = (sign: string) => `\\pard{\\listtext\\plain ${sign}\\tab}\\ls1 Item\\par`;
    assert.equal(
      await textOf(`${symbols}${item("\\f7 \\'d8")}${item('o')}${item('o)')}${item('\\u8226?')}`),
      '- Item\n- Item\n- o) Item\n- Item',
    );
    assert.equal(
      await textOf(
        `${symbols}\\pard{\\pntext\\f7\\'fc\\tab}Done\\par\\s1{\\listtext\\f7 q\\tab}Head\\par`,
      ),
      '- Done\n\n# Head',
    );
  });

  it('has labels that are the letter o, where the list counts in letters', async () => {
    const level = (format: number) => `{\\listlevel\\levelnfc${format}{\\leveltext\\'01o;}}`;
    const lists =
      `{\\*\\listtable{\\list${level(4)}${level(23)}{\\listname a;}\\listid-7}{\\list${level(23)}${level(4)}\\listid8}}` +
      `{\\*\\listoverridetable{\\listoverride\\listid8\\listoverridecount1{\\lfolevel{\\listlevel\\levelnfc4}}\\ls1}{\\listoverride\\listid-7\\ls2}{\\listoverride\\ls4}}`;
    const item = (list: number, depth: number) =>
      `\\pard{\\listtext o\\tab}\\ls${list}\\ilvl${depth} Item ${list}.${depth}\\par`;
    assert.equal(
      await textOf(
        lists + item(2, 0) + item(2, 1) + item(1, 0) + item(1, 1) + item(3, 0) + item(4, 0),
      ),
      '- o Item 2.0\n  - Item 2.1\n- Item 1.0\n  - o Item 1.1\n- Item 3.0\n- Item 4.0',
    );
  });

  it('has labels that are the letter o, where paragraphs from before Word 97 count in letters', async () => {
    const marker = '{\\pntext o\\tab}';
    const format = (word: string) => `{\\*\\pn\\pnlvlbody\\${word}{\\pntxta x}}`;
    assert.equal(
      await textOf(
        `\\pard${marker}${format('pnlcltr')}One\\par${marker}Two\\par\\pard${marker}${format('pnlvlblt')}Three\\par` +
          `\\pard${format('pnlcltr')}${format('pnlvlblt')}${marker}Four\\par`,
      ),
      '- o One\n- o Two\n- Three\n- Four',
    );
  });
});
