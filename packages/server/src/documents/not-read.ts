/**
 * Some formats contain text that Quarry cannot extract. Their raw content would only be noise in an index: headers and
 * encoded attachments of mail, outputs of notebooks, markup of drawings. So files of these formats are left out. They
 * are recognized by their name or their beginning. docs/documents.md shows the same list.
 */
import { extname } from 'node:path';
import type { Omission } from './omission.ts';

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
  extensions: 'ipynb nb mlx',
  hint: 'Export it as Markdown, HTML or PDF.',
};
const WORD_PROCESSING: FormatGroup = {
  what: 'a document of a word processor',
  extensions: 'docm dotm dotx fodt hwp hwpx odm odt ott pages sxw wpd wps',
  hint: 'Save a copy as DOCX or PDF.',
};
const SPREADSHEET: FormatGroup = {
  what: 'a spreadsheet',
  extensions: 'fods numbers ods ots sxc xlsm xlsx xltm xltx',
  hint: 'Save its tables as CSV.',
};
const SLIDES: FormatGroup = {
  what: 'slides',
  extensions: 'fodp odp otp potm potx ppsm ppsx pptm pptx sxi',
  hint: 'Save a copy as PDF.',
};
const BOOK: FormatGroup = {
  what: 'an electronic book',
  extensions: 'azw azw3 chm djvu epub fb2 lit mobi',
  hint: 'Convert it to HTML or PDF.',
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
const FEED: FormatGroup = {
  what: 'a feed or an outline',
  extensions: 'atom enex opml rss',
  hint: 'Export it as HTML, Markdown or text.',
};
const CAPTURE: FormatGroup = {
  what: 'a recording of the web',
  extensions: 'har warc webarchive',
  hint: 'Save its pages as HTML or PDF.',
};
const MAP: FormatGroup = {
  what: 'a map or a track',
  extensions: 'gml gpx kml kmz tcx topojson',
  hint: 'Export what is written in it as CSV.',
};
const TRANSLATION: FormatGroup = {
  what: 'a file of translations',
  extensions: 'tmx xlf xliff',
  hint: 'Export it as CSV.',
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
  FEED,
  CAPTURE,
  MAP,
  TRANSLATION,
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
  if (start.startsWith('{')) return isNotebook(start) ? NOTEBOOK : undefined;
  if (start.startsWith('<?xml') || (start.startsWith('<') && XML_NAMES.has(extension)))
    return byRootElement.get(rootOf(start) ?? '');
  return undefined;
}

const isNotebook = (start: string): boolean =>
  /"(?:cells|worksheets)"\s*:\s*\[/.test(start) &&
  /"cell_type"\s*:\s*"(?:code|markdown|raw|heading)"/.test(start);

/**
 * Only files with these extensions are checked for XML formats. In a file with another extension, such as .md, a
 * drawing may be only the beginning of a text.
 */
const XML_NAMES = new Set(['', '.xml']);

/** Maps the name of the root element of an XML file, in lower case, to the format. */
const byRootElement = new Map<string, FormatGroup>([
  ['bpmn:definitions', DRAWING],
  ['bpmn2:definitions', DRAWING],
  ['collada', DRAWING],
  ['en-export', FEED],
  ['feed', FEED],
  ['fictionbook', BOOK],
  ['gpx', MAP],
  ['graphml', DRAWING],
  ['kml', MAP],
  ['mxfile', DRAWING],
  ['mxgraphmodel', DRAWING],
  ['office:document', WORD_PROCESSING],
  ['opml', FEED],
  ['pkg:package', WORD_PROCESSING],
  ['rdf:rdf', FEED],
  ['rss', FEED],
  ['svg', DRAWING],
  ['tmx', TRANSLATION],
  ['trainingcenterdatabase', MAP],
  ['w:worddocument', WORD_PROCESSING],
  ['workbook', SPREADSHEET],
  ['xliff', TRANSLATION],
]);

const PROLOGUE_CHARACTERS = 4096;

/** Returns the name of the root element, which comes after declarations and comments. */
function rootOf(start: string): string | undefined {
  const elements = start
    .slice(0, PROLOGUE_CHARACTERS)
    .replaceAll(/<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<![A-Za-z][^>[]*(?:\[[^\]]*\])?[^>[]*>/g, '');
  return /^\s*<([\w:.-]+)/.exec(elements)?.[1]?.toLowerCase();
}
