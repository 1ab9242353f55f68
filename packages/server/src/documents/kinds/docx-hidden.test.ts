import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Zippable } from 'fflate';
import { converted } from '../../test/documents/converted.ts';
import { docxFile, footnotes, grid, paragraph, partsOf } from '../../test/documents/docx-file.ts';
import { convert } from './docx.ts';

const markdown = async (body: string, more: Zippable = {}) =>
  (await converted(convert, docxFile(body, more))).text;
const run = (inside: string, properties = '') => `<w:r><w:rPr>${properties}</w:rPr>${inside}</w:r>`;
const text = (value: string) => run(`<w:t xml:space="preserve">${value}</w:t>`);
const reference = '<w:footnoteReference w:id="2"/>';
/** A tracked change has deleted the end of this paragraph. */
const joined = (value: string, properties = '') =>
  `<w:p><w:pPr>${properties}<w:rPr><w:del w:id="1"/></w:rPr></w:pPr>${text(value)}</w:p>`;

describe('hidden text of a DOCX', () => {
  it('has no note where its reference is hidden, in the code of a field, or deleted', async () => {
    const notes = footnotes('a note');
    const field = (type: string) => run(`<w:fldChar w:fldCharType="${type}"/>`);
    for (const inside of [
      run(reference, '<w:vanish/>'),
      `${field('begin')}${run(reference)}${field('separate')}${field('end')}`,
      `<w:del>${run(reference)}</w:del>`,
    ])
      assert.equal(await markdown(`<w:p>${text('A')}${inside}${text('B')}</w:p>`, notes), 'AB');
    const row = (properties: string, inside: string) =>
      `<w:tr><w:trPr>${properties}</w:trPr><w:tc>${inside}</w:tc></w:tr>`;
    const deleted = row('<w:del w:id="1"/>', `<w:p>${text('x')}${run(reference)}</w:p>`);
    assert.equal(await markdown(`<w:tbl>${deleted}${row('', paragraph('y'))}</w:tbl>`, notes), 'y');
  });

  it('may be hidden by the style of its paragraph, its run, or both', async () => {
    const hidden = (id: string) =>
      `<w:style w:styleId="${id}"><w:name w:val="z-${id}"/><w:rPr><w:vanish/></w:rPr></w:style>`;
    const styles = partsOf({ styles: hidden('P') + hidden('R') });
    const styled = (inside: string) => `<w:p><w:pPr><w:pStyle w:val="P"/></w:pPr>${inside}</w:p>`;
    const body = [
      styled(text('hidden') + run('<w:t>shown by the run</w:t>', '<w:vanish w:val="0"/>')),
      // Two styles that hide cancel each other out (ECMA-376 part 1, 17.7.3).
      styled(run('<w:t>shown by both</w:t>', '<w:rStyle w:val="R"/>') + text('hidden')),
      `<w:p>${run('<w:t>hidden</w:t>', '<w:rStyle w:val="R"/>')}${text('plain')}</w:p>`,
    ];
    assert.equal(
      await markdown(body.join(''), styles),
      'shown by the run\n\nshown by both\n\nplain',
    );
  });

  it('may be in a text box of a hidden run', async () => {
    const box = `<w:pict><v:textbox><w:txbxContent>${paragraph('in the box')}</w:txbxContent></v:textbox></w:pict>`;
    assert.equal(await markdown(`<w:p>${run(box, '<w:vanish/>')}${text('a')}</w:p>`), 'a');
    assert.equal(await markdown(`<w:p>${run(box)}${text('a')}</w:p>`), 'a\n\nin the box');
  });
});

describe('a paragraph of a DOCX whose end is deleted', () => {
  it('is kept as the last one of the text, a cell, a text box or a comment', async () => {
    assert.equal(await markdown(paragraph('a') + joined('last')), 'a\n\nlast');
    const cell = (inside: string) => `<w:tc>${inside}</w:tc>`;
    const rows = [
      cell(joined('cell')) + cell(paragraph('x')),
      cell(paragraph('c')) + cell(paragraph('d')),
    ];
    assert.equal(
      await markdown(`<w:tbl>${rows.map((row) => `<w:tr>${row}</w:tr>`).join('')}</w:tbl>`),
      '| cell | x |\n| --- | --- |\n| c | d |',
    );
    assert.equal(
      await markdown(
        `<w:p>${run(`<w:txbxContent>${joined('box')}</w:txbxContent>`)}${text('a')}</w:p>`,
      ),
      'a\n\nbox',
    );
    const comments = partsOf({
      comments: `<w:comment w:id="0">${joined('one')}</w:comment><w:comment w:id="1">${paragraph('two')}</w:comment>`,
    });
    const both = '<w:commentReference w:id="0"/><w:commentReference w:id="1"/>';
    assert.equal(
      await markdown(`<w:p>${text('Claim')}${run(both)}</w:p>`, comments),
      'Claim\n\nComment: one\n\nComment: two',
    );
  });

  it('stands before the table that follows it', async () =>
    assert.equal(
      await markdown(
        joined('before') +
          grid([
            ['1', '2'],
            ['3', '4'],
          ]) +
          paragraph('after'),
      ),
      'before\n\n| 1 | 2 |\n| --- | --- |\n| 3 | 4 |\n\nafter',
    ));

  it('has the form of the last paragraph, and its comments after all of the text', async () => {
    const comments = partsOf({
      comments: `<w:comment w:id="0" w:author="Ada">${paragraph('Why?')}</w:comment>`,
    });
    const noted = `<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>${text('one ')}${run('<w:commentReference w:id="0"/>')}</w:p>`;
    const outline = '<w:outlineLvl w:val="0"/>';
    const heading = `<w:p><w:pPr>${outline}</w:pPr>${text('two')}</w:p>`;
    assert.equal(await markdown(noted + heading, comments), '# one two\n\nComment by Ada: Why?');
    assert.equal(await markdown(joined('alone', outline)), '# alone');
  });
});
