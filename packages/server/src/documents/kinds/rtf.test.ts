import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { converted, convertedFile } from '../../test/documents/converted.ts';
import { convert } from './rtf.ts';

const rtf = (body: string): Buffer =>
  Buffer.from(
    '{\\rtf1\\ansi\\ansicpg1252\\deff0{\\fonttbl{\\f0\\fnil\\fcharset0 Arial;}{\\f1\\fcharset204 Arial;}' +
      '{\\f2\\fcharset128 MS Gothic;}}{\\colortbl;\\red255\\green0\\blue0;}' +
      "{\\stylesheet{\\s0 Normal;}{\\s1\\outlinelevel0 \\'dcberschrift 1;}{\\s2\\sbasedon1 heading 2;}}" +
      `${body}}`,
    'latin1',
  );
const textOf = async (body: string): Promise<string> => (await converted(convert, rtf(body))).text;

describe('RTF', () => {
  it('that LibreOffice has written becomes headings, paragraphs, lists, a table and notes', async () => {
    const file = readFileSync(new URL('../../test/documents/files/bridges.rtf', import.meta.url));
    assert.deepEqual(await converted(convert, file), {
      text: `# Report on bridges

# Stone bridges

The Grüne Brücke in Köln costs 12 € – “today”, Москва, 日本.[1] It stands.

A link to a page and a tab here, and a line
break.

## Prices

- First item
  - Inner item
- Second item

1. Numbered one
2. Numbered two

| Name | Year | Price |
| --- | --- | --- |
| Old bridge of stone | 1765 | 12 € |
| New bridge |  | 1,204 |

# Iron bridges

\\# Not a heading

The end.[2]

1. A note on the price.
2. An end note.`,
      about: { title: 'Report on bridges', author: 'Ann Miller' },
    });
  });

  it('has neither deleted nor hidden text with its notes, but text boxes', async () => {
    const file = readFileSync(new URL('../../test/documents/files/edited.rtf', import.meta.url));
    const { text } = await converted(convert, file);
    assert.match(text, /^A deleted word and a note\.\[1\]\n\nThe paragraphs\n\nare joined\./);
    assert.match(text, /\n\nA hidden word\.\n\nAround the box\.\n\n\| a1 \|/);
    assert.match(text, /\n\nThe end\.\n\nA text box\.\n\n1\. A note that stays\.$/);
    for (const [body, expected] of [
      ['A{\\deleted gone{\\footnote\\pard\\plain note}}B', 'AB'],
      ['A{\\v gone{\\footnote\\pard\\plain note}}B', 'AB'],
      ['A{\\deleted\\v0 gone}{\\v\\deleted0 gone}{\\htmlrtf\\v0\\deleted0 gone}B', 'AB'],
      ['A{\\deleted\\plain gone}{\\htmlrtf\\plain gone}{\\v gone\\plain stays}', 'Astays'],
    ] as const)
      assert.equal(await textOf(body), expected, body);
  });

  it('has one paragraph where the mark between two is deleted, unless a table begins or ends', async () => {
    for (const [body, expected] of [
      ['One {\\deleted tail\\par }two\\par three', 'One two\n\nthree'],
      ['{\\s2 One{\\deleted\\par}}\\s1 two\\par', '# Onetwo'],
      [
        'One{\\deleted\\par}\\intbl a{\\deleted\\par}b\\cell c\\cell\\row d\\cell e{\\deleted\\par}\\pard two',
        'One\n\n| ab | c |\n| --- | --- |\n| d | e |\n\ntwo',
      ],
      ['One{\\deleted\\par}', 'One'],
      [
        '\\intbl a\\cell b\\cell\\row c\\cell d{\\deleted\\par}\\pard two{\\deleted\\par} three',
        '| a | b |\n| --- | --- |\n| c | d |\n\ntwo three',
      ],
    ] as const)
      assert.equal(await textOf(body), expected, body);
  });

  it('enters a group in one that is left out only for a title and for the text of a shape', async () => {
    const shape = (text: string) =>
      `{\\shp{\\*\\shpinst{\\sp{\\sn a}{\\sv b}}{\\shptxt ${text}}}{\\shprslt{\\*\\do{\\dptxbxtext again}}}}`;
    for (const [body, expected] of [
      ['{\\header{\\upr{Kopf}{\\*\\ud{Kopfzeile}}}}Body', 'Body'],
      ['A{\\footnote{\\listtext 7.\\tab}Note}', 'A[1]\n\n1. Note'],
      ['A{\\footnote{\\upr{x}{\\*\\ud{\\b y}}}z}', 'A[1]\n\n1. yz'],
      [
        `A${shape('{\\listtext 7.\\tab}In it\\par and{\\footnote n}\\cell here')}B`,
        'AB\n\nIn it\n\nand[1] here\n\n1. n',
      ],
      [`A${shape(`outer ${shape('inner')}text`)}B`, 'AB\n\nouter innertext'],
      [`{\\shpgrp{\\*\\shpinst${shape('grouped')}}}`, 'grouped'],
      [`{\\header${shape('no')}}{\\deleted${shape('\\pard\\plain gone')}}A`, 'A'],
      ['{\\*\\do\\dptxbx{\\dptxbxtext old}}A', 'A\n\nold'],
      ['A{\\shp{\\*\\shpinst{\\shptxt cut off', 'A\n\ncut off'],
    ] as const)
      assert.equal(await textOf(body), expected, body);
    const { about } = await converted(
      convert,
      rtf(
        '{\\info{\\upr{\\title ????}{\\*\\ud{\\title \\u1052?\\u1086?\\u1089?\\u1090?}}}{\\doccomm no}}',
      ),
    );
    assert.deepEqual(about, { title: 'Мост' });
  });

  it('is read in the code pages of its fonts, and as Unicode', async () => {
    for (const [body, text] of [
      ["Br\\'fccke", 'Brücke'],
      ['Br\xfccke', 'Brücke'],
      ["{\\f1 \\'cc\\'ee\\'f1\\'ea\\'e2\\'e0}, {\\f0 \\'e0}", 'Москва, à'],
      ["{\\f2 \\'93\\'fa\\'96\\'7b \\'83A}", '日本 ア'],
      ['\\u26085?\\u26412?', '日本'],
      ["\\uc2\\u252\\'fc\\'fcx", 'üx'],
      ['\\uc0\\u-10179\\u-8704!', '😀!'],
      ['{\\uc1\\u8364\\u8364?}b', '€€b'],
      ['{\\upr{Koeln}{\\*\\ud{K\\u246 oln}}}', 'Köln'],
      ['\\ldblquote a\\rdblquote\\~b\\_c\\emdash d\\{\\}\\\\', '“a” b-c—d{}\\'],
      ["{\\f99 \\'e4}", 'ä'],
      ["\\'zz\\'", ''],
      ["{\\f1\\'cc\\plain\\'e0}", 'Мà'],
      ["{\\fonttbl{\\f3\\cpg1251 Arial;}}{\\f3\\'cc}", 'М'],
      ["\\mac\\'9f", 'ü'],
      ['\\u8226\\bullet x\\uc2\\u8364\\b\\~y', '•x€y'],
    ] as const)
      assert.equal(await textOf(body), text, body);
  });

  it('has headings by its style sheet, by outline levels, and lists by their markers', async () => {
    assert.equal(
      await textOf(
        '\\pard\\s1 One\\par\\pard\\s2{\\listtext 1.1\\tab}Two\\par\\pard\\outlinelevel2 Three\\par\\pard\\outlinelevel9 Text\\par' +
          "\\pard{\\pntext\\'B7\\tab}Dot\\par{\\listtext 2)\\tab}\\ls1\\ilvl1 Number\\par\\pard{\\listtext a.\\tab}\\ls1 Letter\\par\\pard End",
      ),
      '# One\n\n## 1.1 Two\n\n### Three\n\nText\n\n- Dot\n  2) Number\n- a. Letter\n\nEnd',
    );
  });

  it('has the text of WordArt, which is a property of a shape', async () => {
    const shape = (properties: string) => `{\\shp{\\*\\shpinst\\shpleft0${properties}}}`;
    const property = (name: string, value: string) => `{\\sp{\\sn ${name}}{\\sv ${value}}}`;
    const art = shape(
      property('shapeType', '136') +
        property('gtextUNICODE', "Gro{\\b \\'dfe }\\u26085?\\'0dSale") +
        property('gtextFont', 'Arial'),
    );
    const named = property('gtextUNICODE', 'Sale');
    for (const [body, expected] of [
      [shape(`${named}{\\sp{\\sv x}}`), 'Sale'],
      [shape('{\\sp{\\sn gtextUNICODE}}{\\sp{\\sv x}}'), ''],
      [`A${art}B`, 'AB\n\nGroße 日\n\nSale'],
      [`{\\header${art}}{\\v${art}}{\\*\\unknown${art}}A`, 'A'],
      [shape(property('gtextUNICODE', '')), ''],
      [`{\\shpgrp{\\*\\shpinst${art}}}`, 'Große 日\n\nSale'],
      [`A${art.slice(0, art.indexOf('Gro') + 3)}`, 'A\n\nGro'],
    ] as const)
      assert.equal(await textOf(body), expected, body);
    for (const [around, expected] of [
      ['', 'A\n\nGro'],
      ['\\v ', ''],
    ] as const) {
      const cut = rtf(`${around}A${art.slice(0, art.indexOf('Gro') + 3)}`).subarray(0, -1);
      assert.equal((await converted(convert, cut)).text, expected);
    }
  });

  it('leaves out hidden, deleted and technical text, headers, footers, pictures and comments', async () => {
    assert.equal(
      await textOf(
        '{\\header Header\\par}{\\footer Footer}{\\*\\generator Word}{\\*\\unknown words}{\\info{\\doccomm no}}' +
          'A{\\v hidden}{\\deleted gone}{\\pict\\wmetafile8 0102}{\\*\\shppict{\\pict abc}}{\\*\\annotation no}' +
          '{\\field{\\*\\fldinst HYPERLINK "x"}{\\fldrslt  link}}{\\object{\\*\\objdata 01}{\\result  shown}}' +
          '{\\*\\bkmkstart b}{\\xe index} \\v no\\v0 Z{\\htmlrtf no\\htmlrtf0 !}',
      ),
      'A link shown Z!',
    );
  });

  it('has tables, even without ends of their rows, and nothing in them breaks them', async () => {
    const row = (...cells: string[]) =>
      `\\trowd\\pard\\intbl ${cells.map((cell) => `${cell}\\cell`).join(' ')}\\row`;
    assert.equal(
      await textOf(
        `Before\\par${row('a', 'b|c')}${row('x\\par y', '')}\\pard After\\par${row('only # one')}`,
      ),
      'Before\n\n| a | b\\|c |\n| --- | --- |\n| x y |  |\n\nAfter\n\nonly # one',
    );
    assert.equal(
      await textOf('\\pard\\intbl a\\cell b\\cell\\row\\intbl c\\cell d'),
      '| a | b |\n| --- | --- |\n| c |\n\nd',
    );
  });

  it('says its title, its author and its times', async () => {
    const { about } = await converted(
      convert,
      rtf(
        "{\\info{\\title Gr\\'fc\\'dfe}{\\author Ann}{\\creatim\\yr2025\\mo3\\dy3\\hr9}{\\revtim\\yr99\\mo1}}",
      ),
    );
    assert.deepEqual(about, { title: 'Grüße', author: 'Ann', created_at: '2025-03-03T09:00:00' });
  });

  it('says both times, as far as they are known', async () => {
    for (const [times, expected] of [
      [
        '{\\creatim\\yr2025\\mo3\\dy3\\hr9}{\\revtim\\yr2025\\mo3\\dy4\\hr10\\min30\\sec5}',
        { created_at: '2025-03-03T09:00:00', modified_at: '2025-03-04T10:30:05' },
      ],
      ['{\\revtim\\yr2025\\mo3\\dy4}', { modified_at: '2025-03-04T00:00:00' }],
    ] as const)
      assert.deepEqual((await converted(convert, rtf(`{\\info${times}}x`))).about, expected);
  });

  it('that is not RTF is refused, and RTF that is cut off is read as far as it goes', async () => {
    for (const file of ['', 'Hello', '{\\pict', Buffer.alloc(999, 0xff)])
      await assert.rejects(
        converted(convert, Buffer.from(file)),
        /the file is broken or is not RTF/,
      );
    const whole = rtf('{\\b Some} text\\par{\\pict 0102}more').toString('latin1');
    for (let end = whole.indexOf('Some'); end < whole.length; end++) {
      const { text } = await converted(convert, Buffer.from(whole.slice(0, end), 'latin1'));
      assert.ok('Some text\n\nmore'.startsWith(text), text);
    }
  });

  it('of many groups, long numbers and binary data is read within limits', {
    timeout: 60_000,
  }, async () => {
    const outcome = (body: string) => convertedFile('rtf', 'a.rtf', rtf(body));
    assert.equal(
      await textOf(`${'{\\b '.repeat(100_000)}deep${'}'.repeat(100_000)} text`),
      'deep text',
    );
    const tooDeep = await outcome('{'.repeat(300_000));
    assert.ok(tooDeep.is === 'broken' && /nests more than 200000 groups/.test(tooDeep.reason));
    assert.equal(await textOf('a\\bin999999999 b'), 'a');
    assert.equal(await textOf('a\\bin-5 b\\bin3 {{{c'), 'ab' + 'c');
    assert.equal(await textOf(`${'}'.repeat(100_000)}`), '');
    for (const [what, body] of Object.entries({
      paragraphs: '\\par '.repeat(300_000),
      cells: '\\intbl a\\cell '.repeat(100_000),
      rows: '\\intbl a\\cell b\\cell\\row '.repeat(100_000),
      notes: '{\\footnote a}'.repeat(200_000),
      'open notes': '{\\footnote a'.repeat(100_000),
      characters: '\\u8364?'.repeat(300_000),
      fonts: '{\\fonttbl'.repeat(1000) + '{\\f1\\fcharset204 a;}'.repeat(50_000),
      styles: `{\\stylesheet${'{\\s1 heading 1;}'.repeat(200_000)}`,
      numbers: '\\ls99999999999999999999\\ilvl99999999\\outlinelevel-7\\uc99999999 a\\par '.repeat(
        50_000,
      ),
      backslashes: '\\'.repeat(3_000_000),
      'one word': `\\${'a'.repeat(3_000_000)}`,
    }))
      assert.ok(['text', 'skip'].includes((await outcome(body)).is), what);
  });
});
