/** These are small documents of office programs, each with most of the elements that its converter reads. */
import { strToU8, zipSync } from 'fflate';
import { bullet, docxFile, footnotes, grid, paragraph } from '../docx-file.ts';
import { odfFile } from '../odf-file.ts';
import { partRelation, pptxFile, shape, slideParagraph } from '../pptx-file.ts';
import { sheetRow, xlsxFile } from '../xlsx-file.ts';

export const docx = docxFile(
  paragraph('Bridges', 'Title') +
    paragraph('Stone', 'heading1') +
    '<w:p><w:r><w:t>They last</w:t><w:footnoteReference w:id="2"/></w:r></w:p>' +
    bullet('One') +
    bullet('Two') +
    grid([
      ['Name', 'Year'],
      ['Old', '1765'],
    ]),
  {
    ...footnotes('A note.'),
    'docProps/core.xml': strToU8(
      '<cp:coreProperties><dc:title>Bridges</dc:title><dc:creator>Ann</dc:creator><dcterms:created>2025-03-03T09:00:00Z</dcterms:created></cp:coreProperties>',
    ),
  },
);

const slideTable =
  '<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr><a:tc gridSpan="2"><a:txBody><a:p><a:r><a:t>Year</a:t></a:r></a:p></a:txBody></a:tc><a:tc hMerge="1"/></a:tr><a:tr><a:tc><a:txBody><a:p><a:r><a:t>1765</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>';

export const pptx = pptxFile(
  [
    shape(slideParagraph('Bridges'), 'title') +
      shape(slideParagraph('Stone') + slideParagraph('They last', 1, '<a:buAutoNum/>'), 'body'),
    shape(slideParagraph('Prices'), 'title') + slideTable,
  ],
  {
    'ppt/slides/_rels/slide2.xml.rels': strToU8(
      `<Relationships>${partRelation('n', 'notesSlide', '../notesSlides/notesSlide1.xml')}</Relationships>`,
    ),
    'ppt/notesSlides/notesSlide1.xml': strToU8(
      `<p:notes>${shape(slideParagraph('Speak slowly.'), 'body')}</p:notes>`,
    ),
  },
);

export const xlsx = xlsxFile(
  {
    Budget: `${sheetRow(1, ['Name', 'Year', 'Price'])}<row r="2"><c r="A2" t="s"><v>0</v></c><c r="B2" s="1"><v>45000</v></c><c r="C2"><f>1+1</f><v>2</v></c></row><row r="4"><c r="AA4" t="b"><v>1</v></c><c r="AB4" t="e"><v>#DIV/0!</v></c></row>`,
    Empty: '',
  },
  {
    texts: '<si><t>Old bridge</t></si><si><r><t>two</t></r><r><t> runs</t></r></si>',
    styles:
      '<numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs>',
    workbook: '<workbookPr date1904="0"/>',
  },
);

const cell = (text: string, more = '') =>
  `<table:table-cell ${more}><text:p>${text}</text:p></table:table-cell>`;
const table = (name: string) =>
  `<table:table table:name="${name}"><table:table-row>${cell('Name')}${cell('Year')}</table:table-row><table:table-row table:number-rows-repeated="2">${cell('Old', 'table:number-columns-repeated="2" table:number-rows-spanned="2"')}${cell('', 'office:value-type="date" office:date-value="2025-03-03"')}</table:table-row></table:table>`;

const meta =
  '<dc:title>Bridges</dc:title><meta:initial-creator>Ann</meta:initial-creator><meta:creation-date>2025-03-03T09:00:00</meta:creation-date>';

export const odt = odfFile(
  `<office:text><text:h text:outline-level="1">Stone</text:h><text:p>They<text:s text:c="3"/>last<text:note text:note-class="footnote"><text:note-body><text:p>A note.</text:p></text:note-body></text:note></text:p><text:list text:style-name="L1"><text:list-item><text:p>One</text:p><text:list><text:list-item text:start-value="3"><text:p>Inner</text:p></text:list-item></text:list></text:list-item></text:list>${table('T')}<text:p><draw:frame draw:name="f"><svg:title>A picture</svg:title></draw:frame><office:annotation><dc:creator>Ben</dc:creator><text:p>Why?</text:p></office:annotation></text:p></office:text>`,
  {
    styles:
      '<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1"/></text:list-style>',
    meta,
  },
);

export const odp = odfFile(
  `<office:presentation><draw:page draw:name="p1"><draw:frame presentation:class="title"><draw:text-box><text:p>Bridges</text:p></draw:text-box></draw:frame><draw:frame>${table('T')}</draw:frame><presentation:notes><draw:frame><draw:text-box><text:p>Slowly.</text:p></draw:text-box></draw:frame></presentation:notes></draw:page><draw:page draw:name="p2"><draw:custom-shape><text:p>Iron</text:p></draw:custom-shape></draw:page></office:presentation>`,
  { meta },
);

export const ods = odfFile(
  `<office:spreadsheet>${table('Budget')}${table('Other')}</office:spreadsheet>`,
  { meta },
);

const page = (body: string) =>
  strToU8(
    `<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title></head><body>${body}</body></html>`,
  );

export const epub = zipSync({
  mimetype: strToU8('application/epub+zip'),
  'META-INF/container.xml': strToU8(
    '<container><rootfiles><rootfile full-path="book/content.opf"/></rootfiles></container>',
  ),
  'book/content.opf': strToU8(
    '<package><metadata><dc:title>Bridges</dc:title><dc:creator>Ann</dc:creator><dc:language>en</dc:language></metadata><manifest><item id="i1" href="one.xhtml" media-type="application/xhtml+xml"/><item id="i2" href="text/two.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="i1"/><itemref idref="i2"/></spine></package>',
  ),
  'book/one.xhtml': page('<h1>Stone</h1><p>They last.</p>'),
  'book/text/two.xhtml': page('<h1>Iron</h1><ul><li>They rust.</li></ul>'),
});
