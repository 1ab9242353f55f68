/** Writes small DOCX files from the XML of their body. */
import { strToU8, type Zippable, zipSync } from 'fflate';

const MAIN = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPES = 'application/vnd.openxmlformats-officedocument.wordprocessingml';

export const docxFile = (body: string, more: Zippable = {}): Uint8Array =>
  zipSync({ ...docxParts(body), ...more });

export const docxParts = (body: string): Record<string, Uint8Array> => ({
  '[Content_Types].xml': strToU8(
    `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="${TYPES}.document.main+xml"/><Override PartName="/word/styles.xml" ContentType="${TYPES}.styles+xml"/><Override PartName="/word/numbering.xml" ContentType="${TYPES}.numbering+xml"/></Types>`,
  ),
  '_rels/.rels': strToU8(
    `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="r1" Type="${OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>`,
  ),
  'word/_rels/document.xml.rels': strToU8(
    `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="r1" Type="${OFFICE}/styles" Target="styles.xml"/><Relationship Id="r2" Type="${OFFICE}/numbering" Target="numbering.xml"/></Relationships>`,
  ),
  'word/styles.xml': strToU8(
    `<w:styles xmlns:w="${MAIN}">${['Title', 'heading 1', 'heading 2']
      .map(
        (name) =>
          `<w:style w:type="paragraph" w:styleId="${name.replace(' ', '')}"><w:name w:val="${name}"/></w:style>`,
      )
      .join('')}</w:styles>`,
  ),
  'word/numbering.xml': strToU8(
    `<w:numbering xmlns:w="${MAIN}"><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`,
  ),
  'word/document.xml': strToU8(
    `<w:document xmlns:w="${MAIN}"><w:body>${body}</w:body></w:document>`,
  ),
});

export const paragraph = (text: string, style?: string): string =>
  `<w:p>${style ? `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>` : ''}<w:r><w:t>${text}</w:t></w:r></w:p>`;

export const bullet = (text: string): string =>
  `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;

export const grid = (rows: readonly (readonly string[])[]): string =>
  `<w:tbl>${rows
    .map((row) => `<w:tr>${row.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join('')}</w:tr>`)
    .join('')}</w:tbl>`;

/** Makes parts beside the main one, each with the content of its root, which has the name of the part. */
export const partsOf = (contents: Readonly<Record<string, string>>): Zippable => ({
  'word/_rels/document.xml.rels': strToU8(
    `<Relationships xmlns="${PACKAGE}/relationships">${Object.keys(contents)
      .map((name) => `<Relationship Id="${name}" Type="${OFFICE}/${name}" Target="${name}.xml"/>`)
      .join('')}</Relationships>`,
  ),
  ...Object.fromEntries(
    Object.entries(contents).map(([name, inside]) => [
      `word/${name}.xml`,
      strToU8(`<w:${name} xmlns:w="${MAIN}">${inside}</w:${name}>`),
    ]),
  ),
});

/** Makes the parts that give a document one footnote with the number 2. */
export const footnotes = (note: string): Zippable =>
  partsOf({ footnotes: `<w:footnote w:id="2">${paragraph(note)}</w:footnote>` });
