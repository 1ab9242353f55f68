/** Tests what the properties of characters, paragraphs and styles say in a binary document of Word. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { converted } from '../../test/documents/converted.ts';
import { docFile, type MadeParagraph, type MadeSheet } from '../../test/documents/doc-file.ts';
import { convert } from './doc.ts';

const textOf = async (paragraphs: readonly MadeParagraph[], sheet: MadeSheet = {}) =>
  (await converted(convert, docFile(paragraphs, sheet))).text;
const paragraph = (text: string, more: Omit<MadeParagraph, 'runs'> = {}): MadeParagraph => ({
  runs: [{ text: `${text}\r` }],
  ...more,
});

const DELETED = '000801';
const HIDDEN = '3c0801';

describe('a binary document of Word', () => {
  it('shows no text that is deleted or hidden', async () => {
    const runs = [
      { text: 'kept ' },
      { text: 'deleted', properties: DELETED },
      { text: 'shown ', properties: '000800' },
      { text: 'hidden', properties: HIDDEN },
      { text: 'again', properties: '3c0800' },
      { text: 'both', properties: HIDDEN + DELETED },
      { text: '\r' },
    ];
    assert.equal(await textOf([{ runs }, paragraph('end')]), 'kept shown again\n\nend');
  });

  it('has one paragraph where the mark between two is deleted, and not where it is hidden', async () => {
    const ending = (properties: string): MadeParagraph => ({
      runs: [{ text: 'one ' }, { text: '\r', properties }],
    });
    assert.equal(await textOf([ending(DELETED), paragraph('two')]), 'one two');
    assert.equal(await textOf([ending(HIDDEN), paragraph('two')]), 'one\n\ntwo');
  });

  it('has headings by their outline levels, which count more than styles', async () => {
    const outline = (level: number) => ({ properties: `40260${level}` });
    const styles = [{ builtIn: 0 }, { builtIn: 2 }];
    assert.equal(
      await textOf(
        [
          paragraph('first', outline(0)),
          paragraph('third', outline(2)),
          paragraph('text', outline(9)),
          paragraph('second', { style: 1 }),
          paragraph('fourth', { style: 1, ...outline(3) }),
        ],
        { styles },
      ),
      '# first\n\n### third\n\ntext\n\n## second\n\n#### fourth',
    );
  });

  it('has headings by styles that are based on others, in circles too', async () => {
    const own = 0xffe;
    const styles = [
      { builtIn: 0 },
      { builtIn: own, base: 2 },
      { builtIn: own, base: 3 },
      { builtIn: 3, base: 0 },
      { builtIn: own, base: 0 },
      { builtIn: own, base: 5 },
      { builtIn: 62, base: 0 },
      { builtIn: own, base: 99 },
    ];
    const paragraphs = styles.map((_, style) => paragraph(`style ${style}`, { style }));
    assert.equal(
      await textOf(paragraphs, { styles }),
      'style 0\n\n### style 1\n\n### style 2\n\n### style 3\n\nstyle 4\n\nstyle 5\n\n# style 6\n\nstyle 7',
    );
  });

  it('has two paragraphs where a page ends one of them, although neither has properties', async () => {
    const bare = (text: string): MadeParagraph => ({ runs: [{ text }], isBare: true });
    assert.equal(await textOf([bare('One\f'), bare('Two\r')]), 'One\n\nTwo');
    assert.equal(await textOf([bare('One\fand\r'), bare('Two\r')]), 'One\nand\n\nTwo');
  });

  it('may have its text in Windows-1252', async () =>
    assert.equal(await textOf([paragraph('\x93Br\xfccke\x94 \x80 12')]), '“Brücke” € 12'));
});
