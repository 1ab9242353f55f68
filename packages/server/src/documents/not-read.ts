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
  what: 'e-mail',
  extensions: 'eml emlx mbox mbx msg oft ost pst',
  hint: 'Save the messages as text, HTML or PDF.',
};
const NOTEBOOK: FormatGroup = {
  what: 'a notebook',
  extensions: 'nb mlx',
  hint: 'Export it as Markdown, HTML or PDF.',
};
const WORD_PROCESSING: FormatGroup = {
  what: 'a document of a word processor',
  extensions: 'doc docm dotm dotx fodt hwp hwpx odm odt ott pages rtf sxw wpd wps',
  hint: 'Save a copy as DOCX or PDF.',
};
const SPREADSHEET: FormatGroup = {
  what: 'a spreadsheet',
  extensions: 'fods numbers ods ots sxc xls xlsb xlsm xlsx xlt xltm xltx',
  hint: 'Save its tables as CSV.',
};
const SLIDES: FormatGroup = {
  what: 'slides',
  extensions: 'fodp odp otp pot potm potx pps ppsm ppsx ppt pptm pptx sxi',
  hint: 'Save a copy as PDF.',
};
const BOOK: FormatGroup = {
  what: 'an electronic book',
  extensions: 'azw azw3 chm djvu epub lit mobi',
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
const CALENDAR: FormatGroup = {
  what: 'a calendar or contacts',
  extensions: 'ical icalendar ics ifb vcard vcf vcs',
  hint: 'Export it as CSV.',
};
const CAPTURE: FormatGroup = {
  what: 'a recording of the web',
  extensions: 'har mht mhtml warc webarchive',
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
  CALENDAR,
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
  if (start.startsWith('{\\rtf')) return WORD_PROCESSING;
  if (start.startsWith('%!PS')) return PRINT;
  if (/^BEGIN:V(?:CARD|CALENDAR)\b/i.test(start)) return CALENDAR;
  if (ARMOURED.test(start) || UUENCODED.test(start)) return ENCODED;
  const root = rootOf(start, extension);
  return root === null ? groupOfMessage(start) : byRootElement.get(root);
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

/** Only mail programs write these headers, so a note that a person has written like a mail is not left out. */
const MAIL_HEADERS = [
  'content-transfer-encoding',
  'delivered-to',
  'dkim-signature',
  'message-id',
  'mime-version',
  'received',
  'return-path',
];
const MAX_HEADER_LINES = 100;
/** `git format-patch` writes mail too, but its content is program text, which is kept. */
const PATCH = /^From [0-9a-f]{40} Mon Sep 17 00:00:00 2001/;
const MBOX = /^From \S+ .*\d{4}$/;

function groupOfMessage(start: string): FormatGroup | undefined {
  if (PATCH.test(start)) return undefined;
  const names = new Set<string>();
  const lines = start.split(/\r?\n/, MAX_HEADER_LINES);
  if (MBOX.test(lines[0] ?? '')) lines.shift();
  for (const line of lines) {
    if (line === '') break;
    const name = /^([!-9;-~]+):/.exec(line)?.[1];
    if (name !== undefined) names.add(name.toLowerCase());
    else if (!/^[ \t]/.test(line)) return undefined;
  }
  if (names.has('snapshot-content-location')) return CAPTURE;
  return MAIL_HEADERS.filter((name) => names.has(name)).length >= 2 ? MAIL : undefined;
}
