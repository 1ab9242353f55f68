/** Writes small XLSX files from the XML of their sheets. */
import { strToU8, type Zippable, zipSync } from 'fflate';

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

export interface XlsxOptions {
  /** This is the XML of the shared texts. */
  readonly texts?: string;
  /** This is the XML inside of the styles. */
  readonly styles?: string;
  readonly workbook?: string;
  readonly more?: Zippable;
}

/** Maps the names of the sheets, which may have entities, to the XML of their rows. */
export function xlsxFile(
  sheets: Readonly<Record<string, string>>,
  { texts = '', styles = '', workbook = '', more = {} }: XlsxOptions = {},
): Uint8Array {
  const all = Object.entries(sheets);
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
  return zipSync({
    '[Content_Types].xml': strToU8('<Types/>'),
    '_rels/.rels': strToU8(
      `<Relationships>${relation('r', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    ),
    'xl/workbook.xml': strToU8(
      `<workbook>${workbook}<sheets>${all
        .map(([name], i) => `<sheet name="${name}" sheetId="${i}" r:id="s${i}" state="hidden"/>`)
        .join('')}</sheets></workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': strToU8(
      `<Relationships>${all
        .map((_, i) => relation(`s${i}`, 'worksheet', `worksheets/sheet${i}.xml`))
        .join(
          '',
        )}${relation('t', 'sharedStrings', 'sharedStrings.xml')}${relation('f', 'styles', '/xl/styles.xml')}</Relationships>`,
    ),
    'xl/sharedStrings.xml': strToU8(`<sst>${texts}</sst>`),
    'xl/styles.xml': strToU8(`<styleSheet>${styles}</styleSheet>`),
    ...Object.fromEntries(
      all.map(([, rows], i) => [
        `xl/worksheets/sheet${i}.xml`,
        strToU8(`<worksheet><sheetData>${rows}</sheetData></worksheet>`),
      ]),
    ),
    ...more,
  });
}

/** Makes a row with one cell for each text. Empty texts make no cell. Rows begin with 1. */
export const sheetRow = (row: number, texts: readonly string[]): string =>
  `<row r="${row}">${texts
    .map((text, i) =>
      text === ''
        ? ''
        : `<c r="${String.fromCharCode(65 + i)}${row}" t="inlineStr"><is><t>${text}</t></is></c>`,
    )
    .join('')}</row>`;
