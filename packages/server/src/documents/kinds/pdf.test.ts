import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { converted, convertedAll, EMPTY_CONTAINER } from '../../test/documents/converted.ts';
import {
  heightOf,
  type PdfBookmark,
  type PdfLine,
  pdfFile,
} from '../../test/documents/pdf-file.ts';
import type { Ocr } from '../ocr/ocr.ts';
import { createLine } from '../pdf/line.ts';
import type { PdfFile } from '../pdf/pdfium.ts';
import { blocksOf } from '../split/blocks.ts';
import { split } from '../split.ts';
import { TOO_MUCH_TEXT } from '../too-much-text.ts';
import { convert, pdfToMarkdown } from './pdf.ts';

const TEXT = Array.from(
  { length: 8 },
  (_, i) =>
    `When the snow melts the river rises, and of the ${i + 2} weirs not one is seen for many weeks and days.`,
);
const bold = (text: string, size: number): PdfLine => ({ text, size, font: 'bold' });
const run = (text: string, size: number, font?: 'bold') => ({ text, size, ...(font && { font }) });
const code = (text: string, indent = 0): PdfLine => ({ text, size: 10, font: 'code', indent });
const markdown = async (pages: PdfLine[][], outline: PdfBookmark[] = []) =>
  (await converted(convert, pdfFile(pages, outline))).text;

/** Returns the heading path that a citation shows for each piece. */
async function headings(pages: PdfLine[][], outline: PdfBookmark[] = []): Promise<string[]> {
  const document = await converted(convert, pdfFile(pages, outline));
  const found = split({ name: 'a.pdf', ...document }).map(({ heading }) => heading ?? '(none)');
  return [...new Set(found)];
}

const marked = async (pages: PdfLine[][], outline: PdfBookmark[] = []) =>
  [...blocksOf(await markdown(pages, outline))].flatMap((block) =>
    block.kind === 'heading' ? `${'#'.repeat(block.level)} ${block.title}` : [],
  );

describe('the headings of a PDF', () => {
  it('are not taken from program text, even if its comments look like headings', async () => {
    const lines = [
      'def gamma(n):',
      '# Verify gamma function',
      '=======',
      'Plot',
      '-------',
      '## Plot',
      '```',
      '# not in a fence',
      'x | y',
      '--|--',
      '1 | 2',
      '- ~~~',
      '--- ',
      '-',
    ];
    assert.deepEqual(await headings([[...TEXT, ...lines, ...TEXT]]), ['(none)']);
    assert.deepEqual(await headings([['---', 'title: a', '---', ...lines, ...TEXT]]), ['(none)']);
  });

  it('are escaped in the Markdown of a text that only looks like headings', async () => {
    const lines = ['# a comment', 'a', '===', '> b', '1. c', '- d', '*e*', '#f', '#', '```js'];
    assert.equal(
      await markdown([lines]),
      '\\# a comment\na\n\\===\n\\> b\n1. c\n- d\n*e*\n#f\n\\#\n\\```js',
    );
  });

  it('are lines in a clearly larger font, and the largest font is the first level', async () => {
    const pages = [
      [bold('Rivers of the North', 24), ...TEXT, bold('Floods', 16), ...TEXT],
      [bold('Droughts', 16), ...TEXT, bold('Of the Tyne', 14), bold('and the Wear', 14), ...TEXT],
      [{ text: 'In large letters', size: 16 }, ...TEXT, bold('Of the Tees', 14), ...TEXT],
    ];
    assert.deepEqual(await marked(pages), [
      '# Rivers of the North',
      '## Floods',
      '## Droughts',
      '### Of the Tyne and the Wear',
      '## In large letters',
      '### Of the Tees',
    ]);
    assert.deepEqual(await headings(pages), [
      'Rivers of the North',
      'Rivers of the North > Floods',
      'Rivers of the North > Droughts',
      'Rivers of the North > Droughts > Of the Tyne and the Wear',
      'Rivers of the North > In large letters',
      'Rivers of the North > In large letters > Of the Tees',
    ]);
  });

  const twice = (line: PdfLine): PdfLine[][] => [
    [...TEXT, line, ...TEXT],
    [...TEXT, line, ...TEXT],
  ];
  for (const [what, pages] of Object.entries({
    'a little larger': twice(bold('Floods', 13)),
    'larger, but neither bold nor much larger': twice({ text: 'Floods', size: 15 }),
    'bold alone': twice(bold('Floods', 12)),
    'a sentence': twice(bold('The river rises.', 18)),
    'numbers and signs': twice(bold('1,204 %', 18)),
    'program text': twice({ text: '# Verify gamma', size: 18, font: 'code' }),
    'a label that comes once, not on the first page': [
      TEXT,
      [...TEXT, bold('Origin', 20), ...TEXT],
    ],
    'a quotation over many lines': twice('').map((page) =>
      page.flatMap((line) =>
        line === '' ? 'abcde'.split('').map((one) => bold(`All ${one}`, 18)) : line,
      ),
    ),
    'a table of contents': [
      [bold('Floods . . . . . 3', 16), bold('Droughts . . . . 5', 16), ...TEXT, ...TEXT],
      ['One', 'Two', 'Three']
        .flatMap((name, i) => [bold(`${name} ${i + 3}`, 16), TEXT[i]!])
        .concat(TEXT),
    ],
    'a poster in every size': [
      [15, 15.5, 16, 16.5, 17, 17.5, 18].flatMap((size) => [
        bold(`Large ${size} a`, size),
        TEXT[0]!,
      ]),
      TEXT,
    ],
    'what mixes all sizes': twice(bold('Floods', 18)).map((page) =>
      page.map((line, i) => (typeof line === 'string' ? { text: line, size: 10 + (i % 4) } : line)),
    ),
    'lines that are larger or bold only in part': [
      [...TEXT, { ...run('Floods and', 18), rest: run('droughts', 12) }, ...TEXT],
      [...TEXT, { ...run('Floods and', 18), rest: run('droughts', 10) }, ...TEXT],
      [...TEXT, { ...run('Floods', 15, 'bold'), rest: run('of rivers', 15) }, ...TEXT],
      [...TEXT, { ...run('Floods', 15, 'bold'), rest: run('of rivers', 15) }, ...TEXT],
    ],
  }))
    it(`are not ${what}`, async () => assert.deepEqual(await marked(pages), []));

  it('are not taken from the fonts that OCR has guessed', async () => {
    const seen = TEXT.map((text) => ({ text, invisible: true }));
    const large = { text: 'Floods', size: 18, invisible: true };
    assert.deepEqual(await marked([[...seen, large, ...seen, large]]), []);
    assert.deepEqual(await marked([[...seen, ...seen, bold('Stamped Copy', 8)]]), []);
  });

  it('are those of the outline, in any font', async () => {
    const pages = [
      [bold('A Title by its Font', 24), ...TEXT, '1 Floods', ...TEXT],
      ['1.1 Of the Tyne', 'and the Wear', ...TEXT, 'Floods', ...TEXT],
      ['DROUGHTS', ...TEXT],
    ];
    const outline: PdfBookmark[] = [
      {
        title: 'Floods',
        page: 0,
        inner: [{ title: '1.1. Of the Tyne and the Wear', page: 1 }],
      },
      { title: 'Droughts', page: 2, y: heightOf(0) },
      { title: 'On no page', page: 2 },
      { title: 'Leads nowhere', page: 2, y: 0 },
    ];
    assert.deepEqual(await marked(pages, outline), [
      '# 1 Floods',
      '## 1.1 Of the Tyne and the Wear',
      '# DROUGHTS',
    ]);
    assert.deepEqual(await headings(pages, outline), [
      '(none)',
      '1 Floods',
      '1 Floods > 1.1 Of the Tyne and the Wear',
      'DROUGHTS',
    ]);
  });

  it('are at the place to which the outline leads, or at a line that stands out', async () => {
    const outline = (y: number): PdfBookmark[] => [
      { title: 'Floods', page: 0, y },
      { title: 'Droughts', page: 0, y: heightOf(10) },
    ];
    const page = ['Floods', ...TEXT, 'also here:', 'Droughts', ...TEXT, 'Floods', ...TEXT];
    const places = async (lines: PdfLine[], y: number) =>
      (await markdown([lines], outline(y)))
        .split('\n\n')
        .findIndex((block) => /^# .*Floods$/.test(block));
    assert.equal(await places(page, heightOf(0)), 0);
    assert.ok((await places(page, heightOf(19))) > 2);
    const both = [bold('Floods', 18), ...TEXT, 'Droughts', ...TEXT, bold('2. Floods', 16), ...TEXT];
    assert.equal(await places(both, heightOf(5)), 0);
    assert.ok((await places(both, heightOf(15))) > 2);
    // A plain line that is so far away from the destination may be any other mention of the same words.
    const far = [...TEXT, 'Droughts', ...TEXT, 'Floods'];
    assert.equal(await places(far, heightOf(0)), -1);
    assert.ok((await places([...far.slice(0, -1), bold('Floods', 12)], heightOf(0))) > 0);
  });

  it('do not include page numbers above them', async () => {
    const outline = [
      { title: 'Preface', page: 0, y: heightOf(0) },
      { title: 'Floods', page: 1, y: heightOf(0) },
    ];
    assert.equal(
      await markdown(
        [
          ['1', 'Preface', 'a'],
          ['2', '1.', 'Floods', 'b'],
        ],
        outline,
      ),
      '1\n\n# Preface\n\na\n\n2\n1.\n\n# Floods\n\nb',
    );
  });

  it('are taken from the fonts when the outline belongs to something else', async () => {
    const pages = [
      [bold('Floods', 18), ...TEXT],
      [bold('Droughts', 18), ...TEXT],
    ];
    const outline = ['Slide 1', 'Slide 2', 'Slide 3'].map((title) => ({ title, page: 0 }));
    assert.deepEqual(await marked(pages, outline), ['# Floods', '# Droughts']);
    const mentioned = ['snow', 'weirs'].map((word) => [...TEXT, word]);
    const some = ['snow', 'weirs'].map((title, i) => ({ title, page: 2 + i }));
    assert.deepEqual(await marked([...pages, ...mentioned], [...outline, ...some]), [
      '# Floods',
      '# Droughts',
    ]);
  });

  it('are found even in an outline that is very deep or circular', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `Depth ${String.fromCharCode(65 + i)}x`);
    const deep = names.reduceRight<PdfBookmark[]>(
      (inner, title) => [{ title, page: 0, inner }],
      [],
    );
    const text = await markdown([[...names, ...TEXT]], deep);
    const levels = [...blocksOf(text)].flatMap((block) =>
      block.kind === 'heading' ? block.level : [],
    );
    assert.deepEqual(levels, [1, 2, 3, 4, 5, ...Array(27).fill(6)]);

    const outline = ['Floods', 'Droughts'].map((title) => ({ title, page: 0 }));
    const file = pdfFile([['Floods', 'Droughts', ...TEXT]], outline).toString('latin1');
    // The second bookmark leads back to the first one, and all offsets stay the same.
    const [, root] = /\/Outlines (\d+)/.exec(file)!;
    const at = file.lastIndexOf(`/Parent ${root} 0 R`);
    const back = `/Next   ${Number(root) + 1} 0 R`;
    const circular = file.slice(0, at) + back + file.slice(at + back.length);
    const found = await converted(convert, Buffer.from(circular, 'latin1'));
    assert.match(found.text, /^# Floods\n\n# Droughts\n\nWhen/);
  });
});

describe('program text of a PDF', () => {
  it('is marked as code, with the offsets of its lines', async () =>
    assert.equal(
      await markdown([
        [
          ...TEXT,
          code('def gamma(n):'),
          code('# Verify gamma function', 24),
          code('if n: return 1', 24),
          code('return ```n```', 48),
          ...TEXT,
        ],
      ]),
      `${TEXT.join('\n')}\n\n\`\`\`\`\ndef gamma(n):\n    # Verify gamma function\n    if n: return 1\n` +
        `        return \`\`\`n\`\`\`\n\`\`\`\`\n\n${TEXT.join('\n')}`,
    ));

  it('does not include a page that is completely in a typewriter font', async () =>
    assert.equal(
      await markdown([[code('A letter'), code('# 7 Elm Street'), 'Footer']]),
      'A letter\n\\# 7 Elm Street\nFooter',
    ));
});

describe('the pages of a PDF', () => {
  /** Objects that another one refers to may be missing in a file that was repaired. */
  const without = (file: Buffer, ...numbers: number[]) => {
    let text = file.toString('latin1');
    for (const number of numbers)
      text = text.replace(`\n${number} 0 obj\n`, `\n${'9'.repeat(String(number).length)} 0 obj\n`);
    return Buffer.from(text, 'latin1');
  };
  const file = pdfFile([['one'], ['two'], ['three'], ['four']]);

  it('keep their numbers when some are missing, which are noted', async () => {
    assert.deepEqual(await convertedAll(convert, without(file, 8)), {
      text: 'one\n\n\n\nthree\n\nfour',
      pages: [0, 5, 7, 14],
      inner: [],
      leftOut: { 'page 2': 'page 2 of the PDF cannot be read' },
    });
    const { leftOut } = await convertedAll(convert, without(file, 6, 8, 12));
    assert.deepEqual(leftOut, { 'pages 1-2, 4': 'pages 1-2, 4 of the PDF cannot be read' });
  });

  it('are refused when all are missing', () =>
    assert.rejects(converted(convert, without(file, 6, 8, 10, 12)), {
      message: 'the pages of the PDF cannot be read',
    }));

  it('are not recognized when the others have too much text', async () => {
    const much = createLine('x'.repeat(10_000_001), new Map(), { x: 0, y: 0, width: 0 });
    const scanned: PdfFile = {
      pages: 2,
      linesOf: (page) => (page === 0 ? [] : [much]),
      outline: () => [],
      hasImage: (page) => page === 0,
      pictureOf: () => assert.fail('a page is drawn'),
      [Symbol.dispose]: () => {},
    };
    const ocr: Ocr = {
      recognize: () => assert.fail('a page is recognized'),
      exhausted: () => null,
    };
    assert.deepEqual(await pdfToMarkdown(scanned, { ...EMPTY_CONTAINER, ocr }), TOO_MUCH_TEXT);
  });

  it('are left out when they cannot be drawn or recognized, and the others are read', async () => {
    const leftOut: string[] = [];
    const scanned: PdfFile = {
      pages: 4,
      linesOf: () => [],
      outline: () => [],
      hasImage: () => true,
      pictureOf: (page) => (page === 1 ? assert.fail('PDFium failed') : Buffer.from([page])),
      [Symbol.dispose]: () => {},
    };
    const ocr: Ocr = {
      recognize: async ([page]) =>
        page === 2 ? { is: 'undecodable' } : { is: 'text', text: `The text of page ${page}` },
      exhausted: () => null,
    };
    const read = await pdfToMarkdown(scanned, {
      ...EMPTY_CONTAINER,
      ocr,
      leaveOut: (path, why) =>
        leftOut.push(`${path}: ${'message' in why ? why.message : why.reason}`),
    });
    assert.equal('text' in read && read.text, 'The text of page 0\n\n\n\n\n\nThe text of page 3');
    assert.deepEqual(leftOut, ['pages 2-3: the pictures of pages 2-3 of the PDF cannot be read']);
  });
});
