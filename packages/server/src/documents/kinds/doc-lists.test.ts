/** Tests how the items of lists of a binary Word document are numbered. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { converted } from '../../test/documents/converted.ts';
import {
  docFile,
  type MadeLevel,
  type MadeParagraph,
  type MadeSheet,
} from '../../test/documents/doc-file.ts';
import { takesAtMost } from '../../test/processor-time.ts';
import { type DocHeader, PAIR } from '../doc/header.ts';
import { listsOf } from '../doc/lists.ts';
import { convert } from './doc.ts';

const textOf = async (paragraphs: readonly MadeParagraph[], sheet: MadeSheet) =>
  (await converted(convert, docFile(paragraphs, sheet))).text;

const hex = (number: number): string => number.toString(16).padStart(2, '0');
/** Each paragraph says its list and its level (sprmPIlfo and sprmPIlvl). */
const inList = (use: number, level: number): string => `0b46${hex(use)}000a26${hex(level)}`;
const item = (text: string, use: number, level = 0): MadeParagraph => ({
  runs: [{ text: `${text}\r` }],
  properties: inList(use, level),
});
const text = (words: string, style = 0): MadeParagraph => ({
  runs: [{ text: `${words}\r` }],
  style,
});

const DECIMAL = 0;
const BULLET = 23;
const nine = (levels: readonly MadeLevel[]): MadeLevel[] =>
  Array.from({ length: 9 }, (_, i) => levels[i] ?? { format: BULLET, text: '\uf0b7' });
const OUTLINE = nine([
  { format: DECIMAL, text: '\0.', start: 4 },
  { format: 4, text: '(\x01)' },
  { format: 1, text: '\0.\x01.\x02.' },
]);
const SIMPLE = [{ format: DECIMAL, text: '\0)' }];

describe('a list in a binary document of Word', () => {
  it('has its numbers in their formats, which deeper levels begin again', async () =>
    assert.equal(
      await textOf(
        [
          item('Four', 1),
          item('a', 1, 1),
          item('I', 1, 2),
          item('b', 1, 1),
          item('dot', 1, 3),
          text('Between.'),
          item('Five', 1),
          item('a again', 1, 1),
          item('', 1, 1),
          item('c', 1, 1),
        ],
        { lists: [{ id: 70, levels: OUTLINE }], uses: [{ list: 70 }] },
      ),
      `4. Four
   - (a) a
     - 4.a.I. I
   - (b) b
       - dot

Between.

5. Five
   - (a) a again
   - (c) c`,
    ));

  it('goes on in another use of it, unless that use begins again at 1 or changes a level', async () => {
    const sheet = {
      lists: [
        { id: 70, levels: OUTLINE },
        { id: 71, levels: SIMPLE },
      ],
      uses: [
        { list: 70 },
        { list: 71 },
        { list: 71 },
        { list: 71, changes: [{ level: 0, start: 7 }] },
        {
          list: 71,
          changes: [{ level: 0, start: 99, whole: { format: 3, text: '§ \0', start: 2 } }],
        },
        { list: 71 },
        { list: 99 },
      ],
    };
    const items = [2, 3, 4, 4, 5, 6, 7].map((use) => item(`use ${use}`, use));
    assert.equal(
      await textOf(items, sheet),
      `1) use 2
2) use 3
7) use 4
8) use 4

- § B use 5

3) use 6

- use 7`,
    );
  });

  it('begins again at the outermost level whose first number a use changes', async () => {
    const levels = nine([
      { format: DECIMAL, text: '\0.' },
      { format: DECIMAL, text: '\0.\x01' },
    ]);
    const sheet = {
      lists: [{ id: 70, levels }],
      uses: [
        { list: 70 },
        { list: 70, changes: [{ level: 1, start: 5 }] },
        { list: 70, changes: [{ level: 0, whole: { format: 3, text: '\0)' } }] },
        {
          list: 70,
          changes: [
            { level: 1, start: 7 },
            { level: 0, start: 9 },
          ],
        },
        {
          list: 70,
          changes: [
            { level: 0, start: 20 },
            { level: 1, start: 3 },
          ],
        },
      ],
    };
    const items = [
      item('one', 1),
      item('two', 1),
      item('inner', 1, 1),
      item('restarted', 2, 1),
      item('next', 2, 1),
      item('three', 2),
      item('restarted', 2, 1),
      item('D', 3),
      item('nine', 4),
      item('inner', 4, 1),
      item('ten', 1),
      item('twenty', 5),
    ];
    assert.equal(
      await textOf(items, sheet),
      `1. one
2. two
   - 2.1 inner
   - 2.5 restarted
   - 2.6 next
3. three
   - 3.5 restarted

- D) D

9. nine
   - 9.7 inner
10. ten
20. twenty`,
    );
  });

  it('has no more uses than paragraphs can name, whose changes stand behind all of them', () => {
    const count = 2_000_000;
    const uses = Buffer.alloc(4 + 16 * count + 12);
    uses.writeUInt32LE(count, 0);
    uses[4 + 12] = 1;
    uses.writeUInt32LE(7, 4 + 16 * count + 4);
    uses.writeUInt32LE(0x10, 4 + 16 * count + 8);
    const lists = Buffer.from(`0100${'00'.repeat(26)}0100${'00'.repeat(28)}01000000`, 'hex');
    const parts = new Map<number, Buffer>([
      [PAIR.lists, lists],
      [PAIR.listUses, uses],
    ]);
    const partOn = (pair: number) => parts.get(pair) ?? Buffer.alloc(0);
    takesAtMost(300, () => {
      const { next } = listsOf({ partOn } as unknown as DocHeader);
      assert.deepEqual(next(1, 0), { level: 0, label: '7' });
      assert.deepEqual(next(0xf7ff, 0), { level: 0, label: '8' });
      assert.equal(next(0xf800, 0), null);
    });
  });

  it('may come from the style of a paragraph or of a heading, and may be taken away', async () => {
    const styles = [
      { builtIn: 0 },
      { builtIn: 1, base: 0, properties: inList(1, 0) },
      { builtIn: 2, base: 1, properties: '0a2601' },
      { builtIn: 0xffe, base: 0, properties: inList(2, 0) },
      { builtIn: 0xffe, base: 3 },
    ];
    const levels = nine([
      { format: 1, text: '\0.' },
      { format: DECIMAL, text: '\0.\x01' },
    ]);
    const sheet = {
      styles,
      lists: [
        { id: 70, levels },
        { id: 71, levels: SIMPLE },
      ],
      uses: [{ list: 70 }, { list: 71 }],
    };
    const paragraphs = [
      text('Scope', 1),
      text('Part', 2),
      text('Part', 2),
      text('Item', 3),
      text('Item', 4),
      { ...text('No item', 4), properties: '0b460000' },
      text('Terms', 1),
    ];
    assert.equal(
      await textOf(paragraphs, sheet),
      `# I. Scope

## I.1 Part

## I.2 Part

1) Item
2) Item

No item

# II. Terms`,
    );
  });

  it('counts a paragraph once in which a page ends', async () => {
    const sheet = { lists: [{ id: 71, levels: SIMPLE }], uses: [{ list: 71 }] };
    assert.equal(
      await textOf([item('One\f goes on', 1), item('\fTwo', 1)], sheet),
      '1) One\n   goes on\n2) Two',
    );
  });
});
