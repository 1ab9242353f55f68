import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { strToU8, type Zippable, zipSync } from 'fflate';
import { converted, EMPTY_CONTAINER } from '../../test/documents/converted.ts';
import { partRelation, pptxFile, shape, slideParagraph } from '../../test/documents/pptx-file.ts';
import { convert } from './pptx.ts';

const markdown = async (slide: string, more: Zippable = {}) =>
  (await converted(convert, pptxFile([slide], more))).text;
const relations = (...all: string[]): Zippable => ({
  'ppt/slides/_rels/slide1.xml.rels': strToU8(`<Relationships>${all.join('')}</Relationships>`),
});
const title = (text: string) => shape(slideParagraph(text), 'title');

describe('the Markdown of a PPTX', () => {
  it('has the slides in the order in which they are shown, with their places', async () => {
    const slides = [title('First'), shape(slideParagraph('no title')), title('Last')];
    const { text, pages, places } = await converted(convert, pptxFile(slides));
    assert.equal(text, '## First\n\n## Slide 2\n\nno title\n\n## Last');
    assert.deepEqual(pages, [0, 10, 32]);
    assert.deepEqual(places, ['slide 1', 'slide 2', 'slide 3']);
    assert.ok(pages?.every((at) => text.startsWith('## ', at)));
  });

  it('begins a slide with its title, wherever that stands', async () =>
    assert.equal(
      await markdown(
        shape(slideParagraph('# text')) +
          shape(
            '<a:p><a:r><a:t>Two</a:t></a:r><a:br/><a:r><a:t>lines</a:t></a:r></a:p>',
            'ctrTitle',
          ),
      ),
      '## Two lines\n\n\\# text',
    ));

  it('has lists with their levels and numbers', async () => {
    const number = (type: string, start = '') => `<a:buAutoNum type="${type}"${start}/>`;
    const body = [
      slideParagraph('a'),
      slideParagraph('b', 1),
      slideParagraph('c', 0, number('arabicPeriod', ' startAt="3"')),
      slideParagraph('d', 1, number('alphaLcParenR')),
      slideParagraph('e', 0, number('arabicPeriod', ' startAt="3"')),
      slideParagraph('f', 1, number('romanUcParenBoth')),
      slideParagraph('g', 0, '<a:buNone/>'),
      slideParagraph('h', 0, number('arabicPlain')),
    ].join('');
    assert.equal(
      await markdown(title('T') + shape(body, 'body')),
      '## T\n\n- a\n  - b\n\n3. c\n   - a) d\n4. e\n   - (I) f\n\ng\n\n- 1 h',
    );
    assert.equal(
      await markdown(
        title('T') + shape(slideParagraph('x') + slideParagraph('y', 0, '<a:buChar char="–"/>')),
      ),
      '## T\n\nx\n\n- y',
    );
  });

  it('has tables, grouped shapes and the texts of pictures', async () => {
    const cell = (text: string, attributes = '') =>
      `<a:tc ${attributes}><a:txBody>${slideParagraph(text)}</a:txBody></a:tc>`;
    const table = `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr descr="a table"/></p:nvGraphicFramePr><a:tbl><a:tr>${cell('A', 'gridSpan="2"')}${cell('stale', 'hMerge="1"')}</a:tr><a:tr>${cell('1|2', 'rowSpan="2"')}${cell('3')}</a:tr><a:tr>${cell('stale', 'vMerge="1"')}${cell('4', 'vMerge="0"')}</a:tr></a:tbl></p:graphicFrame>`;
    const group = `<p:grpSp><p:grpSp>${shape(slideParagraph('deep'))}</p:grpSp></p:grpSp>`;
    const picture =
      '<p:pic><p:nvPicPr><p:cNvPr id="2" name="x.png" descr="A red&#10;house"/></p:nvPicPr></p:pic>';
    assert.equal(
      await markdown(title('T') + table + group + picture),
      '## T\n\na table\n\n| A |  |\n| --- | --- |\n| 1\\|2 | 3 |\n|  | 4 |\n\ndeep\n\nA red\nhouse',
    );
  });

  it('leaves out what repeats on each slide, and second forms of the same', async () => {
    const slide =
      title('T') +
      ['dt', 'ftr', 'sldNum'].map((type) => shape(slideParagraph('repeated'), type)).join('') +
      shape(
        '<a:p><a:fld type="slidenum"><a:t>7</a:t></a:fld><a:fld type="datetime1"><a:t>3 May</a:t></a:fld><a:fld type="x"><a:t>kept</a:t></a:fld></a:p>',
      ) +
      `<mc:AlternateContent><mc:Choice>${shape(slideParagraph('new'))}</mc:Choice><mc:Fallback>${shape(slideParagraph('old'))}</mc:Fallback></mc:AlternateContent>`;
    assert.equal(await markdown(slide), '## T\n\nkept\n\nnew');
  });

  it('has the notes, diagrams, titles of charts and comments of a slide', async () => {
    const more = {
      ...relations(
        partRelation('n', 'notesSlide', '../notesSlides/n.xml'),
        partRelation('d', 'diagramData', '../diagrams/data1.xml'),
        partRelation('c', 'chart', '/ppt/charts/chart1.xml'),
        partRelation('k', 'comments', '../comments/old.xml'),
        partRelation('m', 'comments', '../comments/new.xml'),
      ),
      'ppt/_rels/presentation.xml.rels': strToU8(
        `<Relationships>${partRelation('s0', 'slide', 'slides/slide1.xml')}${partRelation('a', 'commentAuthors', 'a.xml')}${partRelation('b', 'authors', 'b.xml')}</Relationships>`,
      ),
      'ppt/a.xml': strToU8('<p:cmAuthorLst><p:cmAuthor id="0" name="Ada"/></p:cmAuthorLst>'),
      'ppt/b.xml': strToU8('<p188:authorLst><p188:author id="{1}" name="Bob"/></p188:authorLst>'),
      'ppt/notesSlides/n.xml': strToU8(
        `<p:notes>${shape(slideParagraph('8'), 'sldNum')}${shape(slideParagraph('on the sheet of notes'))}${shape(slideParagraph('Say # hello') + slideParagraph('again'), 'body')}</p:notes>`,
      ),
      'ppt/diagrams/data1.xml': strToU8(
        `<dgm:dataModel><dgm:pt><dgm:t>${slideParagraph('step 1')}</dgm:t></dgm:pt><dgm:pt><dgm:t><a:p/></dgm:t></dgm:pt><dgm:pt><dgm:t>${slideParagraph('step 2')}</dgm:t></dgm:pt></dgm:dataModel>`,
      ),
      'ppt/charts/chart1.xml': strToU8(
        `<c:chart><c:title>${slideParagraph('Sales')}</c:title><c:ser>${slideParagraph('not read')}</c:ser></c:chart>`,
      ),
      'ppt/comments/old.xml': strToU8(
        '<p:cmLst><p:cm authorId="0"><p:text>Why so?</p:text></p:cm></p:cmLst>',
      ),
      'ppt/comments/new.xml': strToU8(
        `<p188:cmLst><p188:cm authorId="{1}"><p188:replyLst><p188:reply authorId="{2}"><p188:txBody>${slideParagraph('Done')}</p188:txBody></p188:reply></p188:replyLst><p188:txBody>${slideParagraph('Please')}${slideParagraph('fix')}</p188:txBody></p188:cm></p188:cmLst>`,
      ),
    };
    assert.equal(
      await markdown(title('T'), more),
      '## T\n\n- step 1\n- step 2\n\nSales\n\nNotes:\n\nSay # hello\n\nagain\n\n' +
        'Comment by Ada: Why so?\n\nComment by Bob: Please fix\n\nComment: Done',
    );
  });
});

describe('a hostile PPTX', () => {
  it('has each slide once, and none that lies outside of the file', async () => {
    const more = {
      'ppt/presentation.xml': strToU8(
        `<p:presentation>${'<p:sldId r:id="s0"/><p:sldId r:id="up"/><p:sldId id="s0"/>'.repeat(1000)}</p:presentation>`,
      ),
      'ppt/_rels/presentation.xml.rels': strToU8(
        `<Relationships>${partRelation('s0', 'slide', '../../../../ppt/./slides/slide1.xml')}${partRelation('up', 'slide', '../../../../etc/passwd')}<Relationship Id="s0" Type="x/slide" TargetMode="External" Target="https://example.org/"/></Relationships>`,
      ),
    };
    assert.equal(await markdown(title('T'), more), '## T\n\n## Slide 2');
  });

  it('ends where notes and slides refer to each other', async () => {
    const more = {
      ...relations(partRelation('n', 'notesSlide', 'slide1.xml')),
      'ppt/slides/_rels/slide1.xml.rels': strToU8(
        `<Relationships>${partRelation('n', 'notesSlide', 'slide1.xml')}${partRelation('m', 'comments', 'slide1.xml')}</Relationships>`,
      ),
    };
    assert.equal(await markdown(title('T'), more), '## T');
  });

  it('is read without recursion', async () => {
    const deep = `${'<p:grpSp>'.repeat(10_000)}${shape(slideParagraph('deep'))}${'</p:grpSp>'.repeat(10_000)}`;
    assert.equal(await markdown(deep), '## Slide 1\n\ndeep');
    const tables = `${'<a:tbl><a:tr><a:tc>'.repeat(8000)}${slideParagraph('deep')}${'</a:tc></a:tr></a:tbl>'.repeat(8000)}`;
    assert.equal(await markdown(tables), '## Slide 1\n\ndeep');
  });

  it('is left out when it has too much text', async () => {
    const slide = shape(slideParagraph('x'.repeat(4_000_000)));
    assert.deepEqual(await convert(pptxFile([slide, slide, slide]), EMPTY_CONTAINER), {
      reason: 'with too much text',
      detail: 'more than 10000000 characters',
    });
  });

  it('is refused when it is protected, cut off or not a presentation', async () => {
    const refused = (bytes: Uint8Array, message: string) =>
      assert.rejects(converted(convert, bytes), { kind: 'skip', message });
    const broken = 'the file is broken or is not a PPTX';
    await refused(
      Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)]),
      'the PPTX is protected by a password or in the old PPT format',
    );
    await refused(pptxFile([title('T')]).subarray(0, -30), broken);
    await refused(zipSync({ '[Content_Types].xml': strToU8('<Types/>') }), broken);
    await refused(pptxFile(['<p:sp>']), broken);
  });
});
