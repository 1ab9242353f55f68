import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { strToU8, type Zippable, zipSync } from 'fflate';
import { converted, EMPTY_CONTAINER } from '../../test/documents/converted.ts';
import {
  docxFile,
  docxParts,
  footnotes,
  grid,
  paragraph,
  partsOf,
} from '../../test/documents/docx-file.ts';
import { convert } from './docx.ts';

const BROKEN = { message: 'the file is broken or is not a DOCX' };

const markdown = async (body: string, more: Zippable = {}) =>
  (await converted(convert, docxFile(body, more))).text;
const run = (inside: string) => `<w:p><w:r>${inside}</w:r></w:p>`;
const styled = (styles: string) => partsOf({ styles });
const item = (text: string, level: number, numId = '1') =>
  `<w:p><w:pPr><w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${numId}"/></w:numPr></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;

describe('the Markdown of a DOCX', () => {
  it('has headings by outline level and by inherited styles, in circles too', async () => {
    const styles = styled(
      `<w:style w:type="paragraph" w:default="1" w:styleId="N"><w:name w:val="Normal"/></w:style>
       <w:style w:styleId="A"><w:name w:val="mine"/><w:basedOn w:val="B"/></w:style>
       <w:style w:styleId="B"><w:name w:val="Heading 3"/><w:basedOn w:val="A"/></w:style>
       <w:style w:styleId="C"><w:name w:val="c"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>
       <w:style w:styleId="S"><w:name w:val="Subtitle"/><w:basedOn w:val="C"/></w:style>`,
    );
    const outline = (level: number) =>
      `<w:p><w:pPr><w:outlineLvl w:val="${level}"/></w:pPr><w:r><w:t>own ${level}</w:t></w:r></w:p>`;
    assert.equal(
      await markdown(
        ['A', 'C', 'S', 'unknown'].map((style) => paragraph(style, style)).join('') +
          outline(0) +
          outline(8) +
          outline(9),
        styles,
      ),
      '### A\n\n## C\n\nS\n\nunknown\n\n# own 0\n\n###### own 8\n\nown 9',
    );
  });

  it('numbers the items of lists as Word does', async () => {
    const levels = [
      ['decimal', '%1.'],
      ['lowerLetter', '(%2)'],
      ['lowerRoman', '%1.%2.%3'],
    ].map(
      ([format, text], i) =>
        `<w:lvl w:ilvl="${i}"><w:start w:val="${i === 0 ? 4 : 1}"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`,
    );
    const numbering = partsOf({
      numbering: `<w:abstractNum w:abstractNumId="0">${levels.join('')}</w:abstractNum>
       <w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
       <w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>`,
    });
    const body = [
      item('a', 0),
      item('b', 1),
      item('c', 1),
      item('d', 2),
      item('e', 0),
      item('f', 1),
      item('g', 2, '0'),
      item('h', 0, '2'),
    ];
    assert.equal(
      await markdown(body.join(''), numbering),
      '4. a\n   - (a) b\n   - (b) c\n     - 4.b.i d\n5. e\n   - (a) f\n\ng\n\n1. h',
    );
  });

  it('begins a list again at the outermost level whose first number an override changes', async () => {
    const level = (at: number, text: string, format = 'decimal') =>
      `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`;
    const use = (id: number, overrides: string) =>
      `<w:num w:numId="${id}"><w:abstractNumId w:val="0"/>${overrides}</w:num>`;
    const override = (at: number, inside: string) =>
      `<w:lvlOverride w:ilvl="${at}">${inside}</w:lvlOverride>`;
    const start = (at: number, value: number) =>
      override(at, `<w:startOverride w:val="${value}"/>`);
    const more = partsOf({
      numbering: `<w:abstractNum w:abstractNumId="0">${level(0, '%1.')}${level(1, '%1.%2')}</w:abstractNum>${[
        use(1, ''),
        use(2, start(1, 5)),
        use(3, override(0, level(0, '%1)', 'upperLetter'))),
        use(4, start(1, 7) + start(0, 9)),
      ].join('')}`,
    });
    const body = [
      item('one', 0),
      item('two', 0),
      item('inner', 1),
      item('restarted', 1, '2'),
      item('three', 0, '2'),
      item('D', 0, '3'),
      item('nine', 0, '4'),
      item('inner', 1, '4'),
    ];
    assert.equal(
      await markdown(body.join(''), more),
      '1. one\n2. two\n   - 2.1 inner\n   - 2.5 restarted\n3. three\n\n- D) D\n\n9. nine\n   - 9.7 inner',
    );
  });

  it('has the number of a numbered heading', async () => {
    const more = partsOf({
      numbering:
        '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="upperRoman"/><w:lvlText w:val="§ %1"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>',
    });
    const heading =
      '<w:p><w:pPr><w:outlineLvl w:val="1"/><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>Scope</w:t></w:r></w:p>';
    assert.equal(await markdown(heading + heading, more), '## § I Scope\n\n## § II Scope');
  });

  it('keeps merged cells in their columns, and writes nested tables into their cell', async () => {
    const cell = (text: string, properties = '') =>
      `<w:tc><w:tcPr>${properties}</w:tcPr>${paragraph(text)}</w:tc>`;
    const rows = [
      cell('Both', '<w:gridSpan w:val="2"/>') + cell('C'),
      cell('1', '<w:vMerge w:val="restart"/>') + cell('2') + cell('3'),
      `${cell('again', '<w:vMerge/>')}<w:tc>${grid([['x', 'y']])}<w:p/></w:tc>${cell('a|b')}`,
    ];
    assert.equal(
      await markdown(`<w:tbl>${rows.map((row) => `<w:tr>${row}</w:tr>`).join('')}</w:tbl>`),
      '| Both |  | C |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n|  | x y | a\\|b |',
    );
  });

  it('leaves out deleted and hidden text, and keeps inserted text', async () => {
    const body = `<w:p>
      <w:r><w:t xml:space="preserve">kept </w:t></w:r>
      <w:del><w:r><w:delText>gone</w:delText></w:r></w:del>
      <w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom>
      <w:ins><w:r><w:t xml:space="preserve">inserted </w:t></w:r></w:ins>
      <w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>
      <w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>shown</w:t></w:r></w:p>
      <w:p><w:pPr><w:rPr><w:vanish/><w:del w:id="1"/></w:rPr></w:pPr><w:r><w:t xml:space="preserve">one </w:t></w:r></w:p>
      ${paragraph('paragraph')}
      <w:tbl><w:tr><w:trPr><w:del w:id="1"/></w:trPr><w:tc>${paragraph('x')}</w:tc></w:tr>
      <w:tr><w:tc>${paragraph('y')}</w:tc></w:tr></w:tbl>`;
    assert.equal(await markdown(body), 'kept inserted shown\n\none paragraph\n\ny');
  });

  it('leaves out former properties, and readings of words', async () => {
    const cell = `<w:tc><w:tcPr><w:tcPrChange><w:tcPr><w:gridSpan w:val="5"/><w:vMerge/></w:tcPr></w:tcPrChange></w:tcPr>${paragraph('a')}</w:tc>`;
    const body = [
      '<w:p><w:pPr><w:pPrChange><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:pPrChange></w:pPr><w:r><w:t>plain</w:t></w:r></w:p>',
      run('<w:rPr><w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange></w:rPr><w:t>shown</w:t>'),
      '<w:p><w:r><w:t>a </w:t></w:r><w:sdt><w:sdtPr><w:rPr><w:vanish/></w:rPr></w:sdtPr><w:sdtContent><w:t>b</w:t></w:sdtContent></w:sdt></w:p>',
      run(
        `<w:ruby><w:rt>${run('<w:t>reading</w:t>')}</w:rt><w:rubyBase><w:t>word</w:t></w:rubyBase></w:ruby>`,
      ),
      `<w:tbl><w:tr>${cell}${cell}</w:tr><w:tr>${cell}${cell}</w:tr></w:tbl>`,
    ];
    assert.equal(
      await markdown(body.join('')),
      'plain\n\nshown\n\na b\n\nword\n\n| a | a |\n| --- | --- |\n| a | a |',
    );
  });

  it('has the results of fields, not their codes', async () => {
    const field = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
    const text = (value: string) => `<w:r><w:t xml:space="preserve">${value}</w:t></w:r>`;
    const body = `<w:p>${text('page ')}${field('begin')}<w:r><w:instrText>PAGEREF x</w:instrText></w:r>${field('begin')}${field('separate')}${text('inner')}${field('end')}${field('separate')}${text('12')}${field('end')}</w:p>`;
    assert.equal(await markdown(body + paragraph('next')), 'page 12\n\nnext');
    const open = `<w:p>${field('begin')}${text('never ends')}</w:p>${paragraph('next')}`;
    assert.equal(await markdown(open), 'next');
  });

  it('has tabs, breaks, symbols, special hyphens, links and texts of pictures', async () => {
    const body =
      run(
        '<w:t>a</w:t><w:tab/><w:t>co</w:t><w:softHyphen/><w:t>op</w:t><w:noBreakHyphen/><w:t>b</w:t><w:br/><w:t># c</w:t>',
      ) +
      run(
        '<w:sym w:font="Wingdings" w:char="F0FC"/><w:sym w:font="Symbol" w:char="F061"/><w:sym w:char="D800"/>',
      ) +
      '<w:p><w:hyperlink><w:r><w:t>the link</w:t></w:r></w:hyperlink></w:p>' +
      run('<w:drawing><wp:inline><wp:docPr id="1" descr="a red house"/></wp:inline></w:drawing>');
    assert.equal(await markdown(body), 'a coop-b\n\\# c\n\n✓α\n\nthe link\n\na red house');
  });

  it('has a text box once, after its paragraph', async () => {
    const box = `<w:txbxContent>${paragraph('in the box')}${paragraph('second')}</w:txbxContent>`;
    const body = `<w:p><w:r><mc:AlternateContent><mc:Choice><wps:txbx>${box}</wps:txbx></mc:Choice><mc:Fallback><w:pict><v:textbox>${box}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent><w:t>Around</w:t></w:r></w:p>`;
    assert.equal(await markdown(body), 'Around\n\nin the box\n\nsecond');
  });

  it('has a large first letter in its word', async () => {
    const letter = (kind: string) =>
      `<w:p><w:pPr><w:framePr w:dropCap="${kind}" w:lines="3"/></w:pPr><w:r><w:t>O</w:t></w:r></w:p>`;
    const body = letter('drop') + paragraph('nce upon') + letter('none') + paragraph('a time');
    assert.equal(await markdown(body), 'Once upon\n\nO\n\na time');
  });

  it('has program text of code styles as code', async () => {
    const styles = styled('<w:style w:styleId="C"><w:name w:val="Source Code"/></w:style>');
    const body = paragraph('if a:', 'C') + paragraph('  # b', 'C');
    assert.equal(await markdown(body + paragraph('c'), styles), '```\nif a:\n  # b\n```\n\nc');
  });

  it('has each comment once, after its paragraph, with its author', async () => {
    const comments = partsOf({
      comments: `<w:comment w:id="0" w:author="Ada">${paragraph('Why')}${paragraph('so?')}</w:comment>`,
    });
    const body = run('<w:t>Claim</w:t><w:commentReference w:id="0"/>');
    assert.equal(
      await markdown(body + body + paragraph('end'), comments),
      'Claim\n\nComment by Ada: Why so?\n\nClaim\n\nend',
    );
  });

  it('numbers notes in the order of their references', async () => {
    const reference = (id: number) => run(`<w:t>Claim</w:t><w:footnoteReference w:id="${id}"/>`);
    assert.equal(
      await markdown(reference(2) + reference(7) + reference(2), footnotes('Source.')),
      'Claim[1]\n\nClaim\n\nClaim[1]\n\n1. Source.',
    );
  });

  it('says what the document says about itself', async () => {
    const core =
      '<cp:coreProperties><dc:title> The\n plan </dc:title><dc:creator>Ada</dc:creator><dc:language>xx_!</dc:language><dcterms:created>2025-03-04T10:00:00Z</dcterms:created><dcterms:modified>yesterday</dcterms:modified></cp:coreProperties>';
    const { about } = await converted(
      convert,
      docxFile('', { 'docProps/core.xml': strToU8(core) }),
    );
    assert.deepEqual(about, {
      title: 'The plan',
      author: 'Ada',
      created_at: '2025-03-04T10:00:00Z',
    });
  });

  it('does not depend on prefixes, on UTF-8 or on the place of its parts', async () => {
    const xml = `\ufeff<?xml version="1.0" encoding="UTF-16"?><x:document xmlns:x="y"><x:body>${paragraph('Grüße').replaceAll('w:', 'x:')}</x:body></x:document>`;
    const file = zipSync({
      '[Content_Types].xml': new Uint8Array(),
      '_rels/.rels': strToU8(
        `<r:Relationships><r:Relationship Id="a" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument" Target="../../Other\\Main.XML"/></r:Relationships>`,
      ),
      'other/main.xml': Buffer.from(xml, 'utf16le'),
    });
    assert.equal((await converted(convert, file)).text, 'Grüße');
  });
});

describe('a hostile DOCX', () => {
  const withDocument = (xml: string) =>
    zipSync({ ...docxParts(''), 'word/document.xml': strToU8(xml) });
  const refused = (xml: string, expected: object) =>
    assert.rejects(converted(convert, withDocument(xml)), expected);

  it('is refused when it declares entities', async () => {
    const bomb = '<!DOCTYPE a [<!ENTITY b "boom"><!ENTITY c SYSTEM "file:///etc/passwd">]>';
    for (const entity of ['b', 'c'])
      await refused(`${bomb}<w:p><w:r><w:t>&${entity};</w:t></w:r></w:p>`, BROKEN);
  });

  it('is refused when its XML is cut off', () => refused('<w:document><w:p>', BROKEN));

  it('is refused when it nests too many elements, and read when it nests many', async () => {
    const nested = (depth: number) => `${'<w:a>'.repeat(depth)}${'</w:a>'.repeat(depth)}`;
    await refused(nested(40_000), { message: 'the DOCX nests more than 30000 elements' });
    const tables = `${'<w:tbl><w:tr><w:tc>'.repeat(9000)}${paragraph('deep')}${'</w:tc></w:tr></w:tbl>'.repeat(9000)}`;
    assert.equal(await markdown(tables), 'deep');
    const boxes = `${'<w:p><w:r><w:txbxContent>'.repeat(9000)}${paragraph('deep')}${'</w:txbxContent></w:r></w:p>'.repeat(9000)}`;
    assert.equal(await markdown(boxes), 'deep');
  });

  it('may have very many fields and lines', async () => {
    const field = (type: string) => `<w:fldChar w:fldCharType="${type}"/>`;
    const fields = `${field('begin')}${field('separate')}<w:t>x</w:t>`.repeat(50_000);
    assert.equal((await markdown(run(fields))).length, 50_000);
    const styles = styled('<w:style w:styleId="C"><w:name w:val="Code"/></w:style>');
    const lines = paragraph(`a</w:t>${'<w:br/>'.repeat(300_000)}<w:t>b`, 'C');
    assert.equal((await markdown(lines, styles)).length, 300_010);
  });

  it('is left out when it has too much text', async () => {
    const content = docxFile(paragraph('x'.repeat(6_000_000)) + paragraph('y'.repeat(6_000_000)));
    assert.deepEqual(await convert(content, EMPTY_CONTAINER), {
      reason: 'with too much text',
      detail: 'more than 10000000 characters',
    });
  });

  it('has no text of elements in places that make no sense', async () => {
    const body = `<w:tc>${paragraph('a')}</w:tc><w:r><w:t>lost</w:t></w:r><w:tr/><w:vMerge/><w:numId w:val="1"/>`;
    assert.equal(await markdown(`<w:tab/><w:sym/><w:commentReference/>${body}`), 'a');
  });
});
