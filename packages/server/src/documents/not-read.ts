/**
 * Some formats contain text that Quarry cannot extract. Their raw content would only be noise in an index: headers and
 * encoded attachments of mail, markup of drawings. So files of these formats are left out. They
 * are recognized by their name or their beginning. docs/documents.md shows the same list.
 */
import { extname } from 'node:path';
import type { Omission } from './omission.ts';
import { rootOf } from './recognize.ts';

export interface FormatGroup {
  /** This names such a file in a message for people. */
  readonly what: string;
  /** These are the extensions without dots. */
  readonly extensions: string;
  /** This tells people what they can do to have the text indexed. */
  readonly hint: string;
}

const MAIL: FormatGroup = {
  what: 'mail of Outlook',
  extensions: 'ost pst',
  hint: 'Save the messages as EML or PDF.',
};
const NOTEBOOK: FormatGroup = {
  what: 'a notebook',
  extensions: 'nb mlx',
  hint: 'Export it as Markdown, HTML or PDF.',
};
const WORD_PROCESSING: FormatGroup = {
  what: 'a document of a word processor',
  extensions: 'hwp hwpx odm pages sxw wpd wps',
  hint: 'Save a copy as DOCX or PDF.',
};
const SPREADSHEET: FormatGroup = {
  what: 'a spreadsheet',
  extensions: 'numbers sxc',
  hint: 'Save a copy as XLSX or CSV.',
};
const SLIDES: FormatGroup = {
  what: 'slides',
  extensions: 'sxi',
  hint: 'Save a copy as PPTX or PDF.',
};
const BOOK: FormatGroup = {
  what: 'an electronic book',
  extensions: 'azw azw3 chm djvu lit mobi',
  hint: 'Convert it to EPUB or PDF.',
};
const DRAWING: FormatGroup = {
  what: 'a drawing or a model',
  extensions:
    'bpmn dgml dio drawio excalidraw fodg graphml odg vdx vsd vsdx 3mf dae dwg dxf gltf ifc iges igs ply step stl stp',
  hint: 'Export it as PDF: its text is read then.',
};
const PRINT: FormatGroup = {
  what: 'pages for a printer',
  extensions: 'dvi eps oxps pcl prn ps xps',
  hint: 'Convert it to PDF.',
};
const CAPTURE: FormatGroup = {
  what: 'a recording of the web',
  extensions: 'har warc webarchive',
  hint: 'Save its pages as HTML or PDF.',
};
const MAP: FormatGroup = {
  what: 'a map or a track',
  extensions: 'gml kmz tcx topojson',
  hint: 'Export what is written in it as CSV.',
};
const ENCODED: FormatGroup = {
  what: 'encoded or encrypted',
  extensions: 'b64 crt csr hqx p7b p7c p7m p7s uu uue yenc',
  hint: 'Store the decoded content.',
};

export const NOT_READ: readonly FormatGroup[] = [
  MAIL,
  NOTEBOOK,
  WORD_PROCESSING,
  SPREADSHEET,
  SLIDES,
  BOOK,
  DRAWING,
  PRINT,
  CAPTURE,
  MAP,
  ENCODED,
];

const REASON = 'of a kind that is not read yet';

const byExtension = new Map<string, FormatGroup>(
  NOT_READ.flatMap((group) =>
    group.extensions.split(' ').map((extension) => [`.${extension}`, group] as const),
  ),
);

/** Returns why a file of this name is left out, or null. */
export function notReadByName(name: string): Omission | null {
  const extension = extname(name).toLowerCase();
  const group = byExtension.get(extension);
  return group
    ? { reason: REASON, detail: `${group.what} (${extension})`, hint: group.hint }
    : null;
}

/** Returns why a file with this beginning is left out, or null. `beginning` must not have a byte order mark. */
export function notReadByContent(name: string, beginning: string): Omission | null {
  const group = groupOf(beginning.trimStart(), extname(name).toLowerCase());
  return group
    ? { reason: REASON, detail: `${group.what}, going by its content`, hint: group.hint }
    : null;
}

/**
 * Signed PGP messages do not match, because their text is readable. Private keys do not match either, because
 * secret-forms.ts recognizes them: they are left out as secrets, unless the configuration names their file.
 */
const ARMOURED =
  /^-----BEGIN (?:(?:NEW |X509 |TRUSTED )?CERTIFICATE|X509 CRL|PKCS7|CMS|PGP (?:MESSAGE|PUBLIC|SIGNATURE))/;
const UUENCODED = /^begin(?:-base64)? [0-7]{3,4} \S/;

function groupOf(start: string, extension: string): FormatGroup | undefined {
  if (start.startsWith('%!PS')) return PRINT;
  if (ARMOURED.test(start) || UUENCODED.test(start)) return ENCODED;
  const root = rootOf(start, extension);
  return root === null ? undefined : byRootElement.get(root);
}

/** Maps the name of the root element of an XML file, in lower case, to the format. */
const byRootElement = new Map<string, FormatGroup>([
  ['bpmn:definitions', DRAWING],
  ['bpmn2:definitions', DRAWING],
  ['collada', DRAWING],
  ['graphml', DRAWING],
  ['mxfile', DRAWING],
  ['mxgraphmodel', DRAWING],
  ['office:document', WORD_PROCESSING],
  ['pkg:package', WORD_PROCESSING],
  ['trainingcenterdatabase', MAP],
  ['w:worddocument', WORD_PROCESSING],
  ['workbook', SPREADSHEET],
]);
