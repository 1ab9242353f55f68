import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { strToU8, type Zippable } from 'fflate';
import { converted, convertedFile } from '../../test/documents/converted.ts';
import { docxFile, grid, paragraph, partsOf } from '../../test/documents/docx-file.ts';
import { convert } from './docx.ts';

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

const markdown = async (body: string, more: Zippable = {}) =>
  (await converted(convert, docxFile(body, more))).text;
const table = (...rows: string[][]) =>
  `<w:tbl>${rows.map((cells) => `<w:tr>${cells.join('')}</w:tr>`).join('')}</w:tbl>`;
const cell = (inside: string) => `<w:tc>${inside}</w:tc>`;

describe('a table of a DOCX', () => {
  it('is written as blocks where a cell has a heading, a table or code', async () => {
    const heading = '<w:p><w:pPr><w:outlineLvl w:val="1"/></w:pPr><w:r><w:t>Part</w:t></w:r></w:p>';
    assert.equal(
      await markdown(table([cell(heading), cell(paragraph('# x'))], [cell(paragraph('e'))])),
      '## Part\n\n\\# x\n\ne',
    );
    const nested = cell(
      `${grid([
        ['a', 'b'],
        ['c', 'd'],
      ])}<w:p/>`,
    );
    assert.equal(
      await markdown(table([nested, cell(paragraph('x'))], [cell(paragraph('e'))])),
      '| a | b |\n| --- | --- |\n| c | d |\n\nx\n\ne',
    );
    const styles = partsOf({
      styles: '<w:style w:styleId="C"><w:name w:val="Source Code"/></w:style>',
    });
    const code = cell(paragraph('if a:', 'C') + paragraph('  b', 'C'));
    assert.equal(
      await markdown(table([code, cell(paragraph('x'))], [cell(paragraph('e'))]), styles),
      '```\nif a:\n  b\n```\n\nx\n\ne',
    );
  });

  it('keeps the place of a row that begins in a later column', async () => {
    const former = '<w:trPrChange><w:trPr><w:gridBefore w:val="5"/></w:trPr></w:trPrChange>';
    const properties = `<w:trPr><w:gridBefore w:val="1"/>${former}</w:trPr>`;
    assert.equal(
      await markdown(
        table(
          [cell(paragraph('A')), cell(paragraph('B'))],
          [properties, cell(paragraph('under B'))],
        ),
      ),
      '| A | B |\n| --- | --- |\n|  | under B |',
    );
  });
});

describe('the parts of a DOCX', () => {
  it('may have comments on a note', async () => {
    const reference = '<w:p><w:r><w:t>Claim</w:t><w:footnoteReference w:id="2"/></w:r></w:p>';
    const more = partsOf({
      footnotes: `<w:footnote w:id="2"><w:p><w:r><w:t>Note</w:t><w:commentReference w:id="0"/></w:r></w:p></w:footnote>`,
      comments: `<w:comment w:id="0" w:author="Ada">${paragraph('Where?')}</w:comment>`,
    });
    assert.equal(await markdown(reference, more), 'Claim[1]\n\n1. Note\n   Comment by Ada: Where?');
  });

  it('may be endnotes, whose numbers may be those of footnotes', async () => {
    const reference = (kind: string) => `<w:${kind}Reference w:id="2"/>`;
    const body = `<w:p><w:r><w:t>Claim</w:t>${reference('endnote')}${reference('footnote')}</w:r></w:p>`;
    const more = partsOf({
      footnotes: `<w:footnote w:id="2">${paragraph('below the page')}</w:footnote>`,
      endnotes: `<w:endnote w:id="1" w:type="separator">${paragraph('line')}</w:endnote><w:endnote w:id="2">${paragraph('at the end')}</w:endnote>`,
    });
    assert.equal(await markdown(body, more), 'Claim[1][2]\n\n1. at the end\n2. below the page');
  });

  it('may number paragraphs by their style, or not show the numbers', async () => {
    const list = (id: number, format: string) =>
      `<w:abstractNum w:abstractNumId="${id}"><w:lvl w:ilvl="0"><w:numFmt w:val="${format}"/><w:lvlText w:val="%1."/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%2."/></w:lvl></w:abstractNum><w:num w:numId="${id}"><w:abstractNumId w:val="${id}"/></w:num>`;
    const style = (id: string, inside: string) =>
      `<w:style w:styleId="${id}"><w:name w:val="z-${id}"/>${inside}</w:style>`;
    const numbered = (numId: number, level: number) =>
      `<w:pPr><w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${numId}"/></w:numPr></w:pPr>`;
    const more = partsOf({
      numbering: list(1, 'decimal') + list(2, 'none'),
      styles:
        style('A', numbered(1, 0)) +
        style('B', numbered(1, 1)) +
        style('C', '<w:basedOn w:val="A"/>') +
        style('N', numbered(2, 0)),
    });
    const body = ['A', 'B', 'C', 'N'].map((id) => paragraph(`in ${id}`, id)).join('');
    assert.equal(await markdown(body, more), '1. in A\n   - a. in B\n2. in C\n\n- in N');
  });

  it('call the styles of code by several names', async () => {
    for (const name of [
      'source code',
      'HTML Preformatted',
      'Preformatted Text',
      'Code',
      'Code Block',
    ]) {
      const styles = partsOf({
        styles: `<w:style w:styleId="C"><w:name w:val="${name}"/></w:style>`,
      });
      assert.equal(await markdown(paragraph('a = 1', 'C'), styles), '```\na = 1\n```', name);
    }
    const styles = partsOf({ styles: '<w:style w:styleId="C"><w:name w:val="Codes"/></w:style>' });
    assert.equal(await markdown(paragraph('a = 1', 'C'), styles), 'a = 1');
  });

  it('say what the document says about itself, wherever that part lies', async () => {
    const core = (title: string) =>
      strToU8(
        `<cp:coreProperties><dc:title>${title}</dc:title><dc:creator>Ada</dc:creator><cp:lastModifiedBy>Bob</cp:lastModifiedBy><dcterms:created>2025-03-03T09:00:00Z</dcterms:created><dcterms:modified>2025-03-04T09:00:00Z</dcterms:modified></cp:coreProperties>`,
      );
    const relations = strToU8(
      `<Relationships><Relationship Id="a" Type="${OFFICE}/officeDocument" Target="word/document.xml"/><Relationship Id="b" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" Target="package/services/a.psmdcp.xml"/></Relationships>`,
    );
    const facts = {
      author: 'Ada',
      created_at: '2025-03-03T09:00:00Z',
      modified_at: '2025-03-04T09:00:00Z',
    };
    const usual = { 'docProps/core.xml': core('usual') };
    const other = { '_rels/.rels': relations, 'package/services/a.psmdcp.xml': core('other') };
    for (const [title, more] of Object.entries({ usual, other: { ...usual, ...other } }))
      assert.deepEqual((await converted(convert, docxFile(paragraph('x'), more))).about, {
        title,
        ...facts,
      });
  });

  it('may define the numbers of a list by a style', async () => {
    const numbering = `<w:abstractNum w:abstractNumId="0"><w:numStyleLink w:val="L"/></w:abstractNum>
      <w:abstractNum w:abstractNumId="1"><w:styleLink w:val="L"/><w:lvl w:ilvl="0"><w:numFmt w:val="upperLetter"/><w:lvlText w:val="%1)"/></w:lvl></w:abstractNum>
      <w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`;
    const item = (text: string) =>
      `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
    assert.equal(await markdown(item('a') + item('b'), partsOf({ numbering })), '- A) a\n- B) b');
  });

  const joined = '<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:t>before</w:t></w:r></w:p>';
  const withChunk = (name: string, content: string, chunks = '<w:altChunk r:id="c1"/>') =>
    docxFile(`${joined}${chunks}<w:altChunk r:id="none"/>${paragraph('after')}`, {
      'word/_rels/document.xml.rels': strToU8(
        `<Relationships><Relationship Id="c1" Type="${OFFICE}/aFChunk" Target="${name}"/></Relationships>`,
      ),
      [`word/${name}`]: strToU8(content),
    });

  it('may have text in other formats', async () => {
    const page = '<h2>Part</h2><p>whole text</p>';
    for (const [name, content] of [
      ['chunk.html', `<html><body>${page}</body></html>`],
      [
        'afchunk.mht',
        `MIME-Version: 1.0\nContent-Type: multipart/related; boundary="b"\n\n--b\nContent-Type: text/html; charset="utf-8"\nContent-Transfer-Encoding: quoted-printable\nContent-Location: file:///C:/a.html\n\n<html><body>${page}</body></html>\n--b--\n`,
      ],
    ] as const) {
      const outcome = await convertedFile('docx', 'a.docx', withChunk(name, content));
      assert.equal(
        outcome.is === 'text' && outcome.text,
        'before\n\n## Part\n\nwhole text\n\nafter',
      );
    }
  });

  it('are noted when they cannot be read', async () => {
    const outcome = await convertedFile('docx', 'a.docx', withChunk('chunk.exe', 'MZ'));
    assert.ok(outcome.is === 'text');
    assert.equal(outcome.text, 'before\n\nafter');
    assert.deepEqual(
      outcome.inner?.map(({ path, outcome: { is } }) => [path, is]),
      [['word/chunk.exe', 'skip']],
    );
  });

  it('are left out when they are repeated too often', async () => {
    const again = '<w:altChunk r:id="c1"/>'.repeat(11);
    const file = withChunk('chunk.html', `<p>${'x'.repeat(1_000_000)}</p>`, again);
    assert.deepEqual(await convertedFile('docx', 'a.docx', file), {
      is: 'skip',
      omission: { reason: 'with too much text', detail: 'more than 10000000 characters' },
    });
  });

  it('are not read from an entry without a name', async () => {
    const injected = `<w:document><w:body>${paragraph('injected')}</w:body></w:document>`;
    assert.equal(await markdown(paragraph('real'), { '': strToU8(injected) }), 'real');
  });
});
