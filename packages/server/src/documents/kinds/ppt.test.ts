import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compoundFile } from '../../test/documents/compound-file.ts';
import { converted, convertedFile } from '../../test/documents/converted.ts';
import { damaged } from '../../test/documents/damaged.ts';
import {
  pptCell as cell,
  type MadeShape,
  pptFile,
  pptTable as table,
} from '../../test/documents/ppt-file.ts';
import { TOO_MUCH_TEXT } from '../too-much-text.ts';
import { convert } from './ppt.ts';

const TITLE = 0;
const BODY = 1;
const OTHER = 4;

const textOf = async (...shapes: MadeShape[]): Promise<string> =>
  (await converted(convert, pptFile([{ shapes }]))).text;

const FILE = pptFile([
  {
    outline: [
      { type: TITLE, text: 'Bridges of\u000bKöln' },
      { type: BODY, text: 'First – 12 €\rSecond: Москва\r' },
    ],
    boxes: [
      { type: OTHER, text: '# A box' },
      { type: OTHER, text: '*' },
    ],
    notes: 'Say hello first.\rThen begin.',
  },
  { boxes: [{ type: OTHER, text: 'Only a box\rof two lines' }] },
  {},
]);

describe('a binary presentation', () => {
  it('has a heading for each slide, its texts and notes, and says where each slide begins', async () => {
    const text = `## Bridges of Köln

- First – 12 €
- Second: Москва

\\# A box

Notes:

Say hello first.
Then begin.

## Slide 2

Only a box
of two lines

## Slide 3`;
    assert.deepEqual(await converted(convert, FILE), {
      text,
      pages: [0, text.indexOf('## Slide 2'), text.indexOf('## Slide 3')],
      places: ['slide 1', 'slide 2', 'slide 3'],
      about: {},
    });
  });

  it('has tables, whose merged and empty cells leave their other places empty', async () => {
    const cells = [
      cell('both', [0, 0, 2, 1]),
      cell('C', [2, 0, 3, 1]),
      cell('lower left', [0, 2, 1, 3]),
      cell('two rows', [1, 1, 2, 3]),
      cell('# a\rb | c', [0, 1, 1, 2]),
      cell('', [2, 1, 3, 2]),
      cell('*', [2, 2, 3, 3]),
    ];
    const lines = [0, 1, 2, 3].map((edge) => ({ ...cell('', [edge, 0, edge, 9]), isLine: true }));
    const before = { type: OTHER, text: 'Before' };
    const after = { type: OTHER, text: 'After' };
    const expected = `## Slide 1

Before

| both |  | C |
| --- | --- | --- |
| \\# a b \\| c | two rows |  |
| lower left |  | * |

After`;
    for (const flags of [1, 2]) {
      const made = table([...cells, ...lines], flags);
      assert.equal(await textOf(before, made, after), expected);
      const inGroup = { group: [{ ...made, at: [1, 2, 3, 4] as const }] };
      assert.equal(await textOf(before, inGroup, after), expected);
    }
    const group = table([cell('One', [0, 0, 1, 1]), cell('Two', [1, 0, 2, 1])], 4);
    assert.equal(await textOf(group, after), '## Slide 1\n\nOne\n\nTwo\n\nAfter', 'no table');
  });

  it('has its texts in the order of its shapes, wherever they are stored', async () => {
    const slide = {
      outline: [
        { type: BODY, text: 'Second' },
        { type: TITLE, text: 'Title' },
        { type: OTHER, text: 'Not shown' },
      ],
      shapes: [
        { text: { type: OTHER, text: 'First' } },
        { group: [{ group: [{ text: 0 }] }, { text: { type: OTHER, text: 'Third' } }] },
        { text: 1 },
        { text: 0 },
        { text: 9 },
      ],
    };
    const { text } = await converted(convert, pptFile([slide]));
    assert.equal(text, '## Title\n\nNot shown\n\nFirst\n\n- Second\n\nThird');
  });

  it('has a title where its type, its place, its layout or its lone line says so', async () => {
    const first = { type: OTHER, text: 'First' };
    const second = { type: OTHER, text: 'Second' };
    for (const place of [0x01, 0x03, 0x0d, 0x0f, 0x11])
      assert.equal(await textOf(first, { place, text: second }), '## Second\n\nFirst', `${place}`);
    assert.equal(await textOf(first, { ...second, type: 6 }), '## Second\n\nFirst');
    const body = { place: 0x0e, text: second };
    assert.equal(await textOf(first, body), '## Slide 1\n\nFirst\n\nSecond');
    const layout = pptFile([{ shapes: [first, second], places: [0x0d, 0x0e] }]);
    assert.equal((await converted(convert, layout)).text, '## First\n\nSecond');
    assert.equal(await textOf(first, { text: { type: OTHER, text: '*' } }), '## First');
    const long = { type: OTHER, text: 'word '.repeat(30).trim() };
    assert.equal(await textOf(long), `## Slide 1\n\n${long.text}`);
    assert.equal(await textOf(table([cell('One', [0, 0, 1, 1])])), '## Slide 1\n\nOne');
  });

  it('has a slide as its last edit has left it', async () => {
    const slide = (text: string) => ({ shapes: [{ type: OTHER, text }] });
    const file = pptFile([slide('Before the edit'), slide('Second')], { edited: slide('Edited') });
    assert.equal((await converted(convert, file)).text, '## Edited\n\n## Second');
  });

  it('has the notes of a slide, of whatever type they are, and nothing else on their page', async () => {
    const title = { type: TITLE, text: 'Title' };
    const said = (type: number) => ({ type, text: `Said ${type}` });
    for (const [notes, expected] of [
      [[said(OTHER), said(2), said(BODY)], 'Said 2'],
      [[said(OTHER), { text: { type: OTHER, text: '*' } }], 'Said 4'],
    ] as const) {
      const { text } = await converted(convert, pptFile([{ shapes: [title], notes }]));
      assert.equal(text, `## Title\n\nNotes:\n\n${expected}`);
    }
  });

  it('that is broken or protected is refused with a reason', async () => {
    for (const [bytes, reason] of [
      [pptFile([], { token: 0xf3d1c4df }), 'the presentation is protected by a password'],
      [
        compoundFile({ Workbook: Buffer.alloc(9) }),
        'the file is broken or is not a presentation of PowerPoint',
      ],
      [Buffer.from('Hello'), 'the file is broken or is not an Office document'],
    ] as const)
      await assert.rejects(converted(convert, bytes), { message: reason });
    assert.equal((await converted(convert, pptFile([]))).text, '');
  });

  it('does no harm when it is damaged anywhere', { timeout: 60_000 }, async () => {
    const cells = [0, 1, 2, 3].map((i) => cell(`c${i}`, [i % 2, i >> 1, (i % 2) + 1, 2]));
    const withTable = pptFile([{ shapes: [table(cells)] }]);
    for (const file of [...damaged(FILE, 2000), ...damaged(withTable, 1000)]) {
      const outcome = await convertedFile('ppt', 'a.ppt', file);
      assert.ok(['text', 'broken', 'skip'].includes(outcome.is));
    }
  });

  it('whose slides are all the same long one is read within limits', {
    timeout: 60_000,
  }, async () => {
    const long = { boxes: [{ type: OTHER, text: 'x '.repeat(1_500_000) }] };
    const outcome = await convertedFile('ppt', 'a.ppt', pptFile([long], { times: 4 }));
    assert.ok(outcome.is === 'skip' && outcome.omission.reason === 'with too much text');
    const junk = { boxes: Array(100_000).fill({ type: OTHER, text: '' }) };
    const often = await convertedFile('ppt', 'a.ppt', pptFile([junk], { times: 10_000 }));
    assert.equal(often.is, 'text');
  });

  it('whose tables and groups are absurd is read within limits', { timeout: 60_000 }, async () => {
    const edges = [-(2 ** 31), -1, 0, 2 ** 31 - 1] as const;
    const far = edges.map((edge, index) => ({
      at: [edge, edge, edge, edge] as const,
      text: { type: OTHER, text: `cell ${index}` },
    }));
    const lost = { text: { type: OTHER, text: 'without a rectangle' } };
    const rows = ['| cell 0 |  |  |  |', '| --- | --- | --- | --- |', '|  | cell 1 |  |  |'];
    const more = ['|  |  | cell 2 |  |', '|  |  |  | cell 3 |', '', 'without a rectangle'];
    const expected = ['## Slide 1', '', ...rows, ...more].join('\n');
    assert.equal(await textOf(table([...far, lost])), expected);

    // As a table, 3,000 cells on a diagonal would have 9 million places.
    const diagonal = Array.from({ length: 3000 }, (_, i) => cell(`c${i}`, [i, i, i + 1, i + 1]));
    const paragraphs = await textOf(table(diagonal));
    assert.ok(paragraphs.length < 40_000 && paragraphs.includes('\n\nc2999'));

    // Each table has the most places that it may have, and few cells.
    const sparse = pptFile([{ shapes: Array(400).fill(table(diagonal.slice(0, 100))) }]);
    const outcome = await convertedFile('ppt', 'a.ppt', sparse);
    assert.deepEqual(outcome.is === 'skip' && outcome.omission, TOO_MUCH_TEXT);

    const deep = { ...table([cell('deep', [0, 0, 1, 1])]), depth: 5000 };
    assert.equal(await textOf(deep), '## Slide 1\n\ndeep');

    const repeated = { outline: [{ type: BODY, text: 'once '.repeat(2000) }] };
    const shapes = Array(50_000).fill({ text: 0 });
    const { text } = await converted(convert, pptFile([{ ...repeated, shapes }]));
    assert.ok(text.length < 20_000);
  });
});
