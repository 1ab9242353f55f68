import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { converted } from '../../test/documents/converted.ts';
import { encryptedOdf, flatOdfFile, odfFile } from '../../test/documents/odf-file.ts';
import { convert } from './odp.ts';

const p = (text: string) => `<text:p>${text}</text:p>`;
const frame = (inside: string, kind = '') =>
  `<draw:frame presentation:class="${kind}"><draw:text-box>${inside}</draw:text-box></draw:frame>`;
const page = (...inside: string[]) => `<draw:page draw:name="p">${inside.join('')}</draw:page>`;
const presentation = (...pages: string[]) =>
  `<office:presentation>${pages.join('')}</office:presentation>`;

describe('the Markdown of an ODP', () => {
  const slides = presentation(
    page(
      frame(
        `<text:list><text:list-item>${p('a')}<text:list><text:list-item>${p('b')}</text:list-item></text:list></text:list-item></text:list>`,
        'outline',
      ),
      frame(p('First') + p('slide'), 'title'),
      frame(p('7'), 'page-number'),
      frame(p('footer'), 'footer'),
      `<office:annotation><dc:creator>Ada</dc:creator>${p('Why?')}</office:annotation>`,
      `<draw:g><draw:g><draw:custom-shape>${p('in a group')}</draw:custom-shape></draw:g></draw:g>`,
      `<draw:frame><draw:image/><svg:desc>a red house</svg:desc></draw:frame>`,
      `<presentation:notes><draw:page-thumbnail presentation:class="page"/>${frame(p('Say hello'), 'notes')}${frame(p('header'), 'header')}${frame(p('other'))}</presentation:notes>`,
    ),
    page(
      `<draw:frame><table:table><table:table-row><table:table-cell>${p('A')}</table:table-cell><table:table-cell>${p('B')}</table:table-cell></table:table-row><table:table-row><table:table-cell>${p('1')}</table:table-cell><table:table-cell>${p('2')}</table:table-cell></table:table-row></table:table></draw:frame>`,
    ),
    page(frame(p('Last'), 'title')),
  );
  const expected = {
    text:
      '## First slide\n\n- a\n  - b\n\nComment by Ada: Why?\n\nin a group\n\na red house\n\nNotes:\n\nSay hello\n\n' +
      '## Slide 2\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n\n## Last',
    pages: [0, 93, 140],
    places: ['slide 1', 'slide 2', 'slide 3'],
  };

  it('has each slide with its title, its text and its notes', async () => {
    const result = await converted(convert, odfFile(slides));
    assert.deepEqual(result, expected);
    assert.ok(result.pages?.every((at) => result.text.startsWith('## ', at)));
  });

  it('is the same for a flat document', async () =>
    assert.deepEqual(await converted(convert, flatOdfFile(slides)), expected));

  it('has hidden slides too, but not what a style hides on them', async () => {
    const styles =
      '<style:style style:name="dp" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>' +
      '<style:style style:name="H" style:family="text"><style:text-properties text:display="none"/></style:style>';
    const hidden = `<draw:page draw:name="p" draw:style-name="dp" presentation:visibility="hidden">${frame(p('Hidden<text:span text:style-name="H"> twice</text:span>'))}</draw:page>`;
    const slide = presentation(page(frame(p('First'), 'title')), hidden);
    for (const file of [odfFile(slide, { styles }), flatOdfFile(slide, { styles })])
      assert.equal((await converted(convert, file)).text, '## First\n\n## Slide 2\n\nHidden');
  });

  it('is missing when the file is protected or broken', async () => {
    await assert.rejects(converted(convert, odfFile(slides, { more: encryptedOdf })), {
      message: 'the ODP is protected by a password',
    });
    await assert.rejects(converted(convert, odfFile('<draw:page>')), {
      message: 'the file is broken or is not an ODP',
    });
  });
});
