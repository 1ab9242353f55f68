/**
 * The table of the kinds of files that need a parser. docs/documents.md shows it. Its columns (`row.ts`) say by which names a kind
 * is known and what is read of it; `converters.ts` has the code, which runs in a limited process.
 */
import { isCompoundFile } from '../compound/signature.ts';
import { mailFormOf } from '../mail/recognize.ts';
import { isNotebook, isReadableXml, isSvg } from '../recognize.ts';
import type { KindRow } from './row.ts';

const row = (facts: KindRow): KindRow => facts;

const isCompound = (beginning: string): boolean => isCompoundFile(Buffer.from(beginning, 'latin1'));

export const KINDS = {
  html: row({
    what: 'HTML',
    extensions: 'htm html xhtml',
    recognizes: (beginning, extension) =>
      extension === '' && /^\s{0,1024}<(?:!doctype html|html)[\s>]/i.test(beginning),
    reads:
      'headings, paragraphs, lists, tables, quotes, code; no scripts, navigation or hidden parts',
    by: 'htmlparser2',
    largestMb: 20,
    version: 3,
  }),
  pdf: row({
    what: 'PDF',
    extensions: 'pdf',
    // Some programs write a few lines before the mark (ISO 32000-1, implementation note 13).
    recognizes: (beginning) => /^\s{0,1019}%PDF-/.test(beginning),
    reads: 'the text of its pages, with their numbers, headings and plain tables',
    by: 'PDFium',
    largestMb: 100,
    version: 3,
  }),
  docx: row({
    what: 'documents of Word',
    extensions: 'docx docm dotx dotm',
    reads:
      'headings, paragraphs, numbered lists, tables, formulas, notes, comments, text boxes, alternative texts; no headers, footers, deleted or hidden text',
    by: 'zlib, saxes',
    largestMb: 100,
    version: 4,
  }),
  pptx: row({
    what: 'presentations of PowerPoint',
    extensions: 'pptx pptm ppsx ppsm potx potm',
    reads:
      'each slide with its title, lists, tables, formulas, diagrams, alternative texts, notes and comments; hidden slides too',
    by: 'zlib, saxes',
    largestMb: 100,
    version: 2,
  }),
  xlsx: row({
    what: 'workbooks of Excel',
    extensions: 'xlsx xlsm xltx xltm',
    reads:
      'each sheet as a table below its title, with the results of formulas, ISO dates, comments and the text of shapes; hidden sheets too',
    by: 'fflate, saxes',
    largestMb: 100,
    version: 3,
  }),
  odt: row({
    what: 'text documents of OpenDocument',
    extensions: 'odt ott fodt',
    reads:
      'headings, paragraphs, numbered lists, tables, notes, comments, frames, alternative texts; no headers, footers, deleted or hidden text',
    by: 'fflate, saxes',
    largestMb: 100,
    version: 2,
  }),
  odp: row({
    what: 'presentations of OpenDocument',
    extensions: 'odp otp fodp',
    reads:
      'each slide with its title, lists, tables, alternative texts, notes and comments; hidden slides too',
    by: 'fflate, saxes',
    largestMb: 100,
    version: 2,
  }),
  ods: row({
    what: 'spreadsheets of OpenDocument',
    extensions: 'ods ots fods',
    reads:
      'each sheet as a table below its title, with the results of formulas, ISO dates, comments and the text of shapes; hidden sheets too',
    by: 'fflate, saxes',
    largestMb: 100,
    version: 3,
  }),
  epub: row({
    what: 'EPUB',
    extensions: 'epub',
    reads: 'its chapters in the order of reading, as HTML pages; no books with DRM',
    by: 'zlib, saxes, htmlparser2',
    largestMb: 100,
    version: 3,
  }),
  eml: row({
    what: 'messages and saved web pages',
    extensions: 'eml emlx mht mhtml',
    recognizes: (beginning) => /^(?:message|page)$/.test(mailFormOf(beginning) ?? ''),
    reads:
      'subject, sender, recipients, date, text; attachments and forwarded messages as documents of their own',
    by: 'htmlparser2',
    largestMb: 100,
    version: 3,
    readsName: true,
  }),
  mbox: row({
    what: 'mailboxes',
    extensions: 'mbox mbx',
    recognizes: (beginning) => mailFormOf(beginning) === 'mailbox',
    reads: 'the list of its messages; each message as a document of its own; no deleted messages',
    by: 'htmlparser2',
    largestMb: 100,
    version: 3,
  }),
  ics: row({
    what: 'calendars',
    extensions: 'ical icalendar ics ifb vcs',
    recognizes: (beginning) => /^\s*BEGIN:VCALENDAR\b/i.test(beginning),
    reads: 'events, tasks and notes: times, places, people, descriptions, how they repeat',
    by: 'rrule',
    largestMb: 60,
    version: 3,
  }),
  vcf: row({
    what: 'contacts',
    extensions: 'vcard vcf',
    recognizes: (beginning) => /^\s*BEGIN:VCARD\b/i.test(beginning),
    reads: 'names, organizations, numbers, addresses, notes; no pictures',
    by: 'Quarry itself',
    largestMb: 60,
    version: 3,
  }),
  rtf: row({
    what: 'RTF',
    extensions: 'rtf',
    recognizes: (beginning) => /^\s*\{\\rtf/.test(beginning),
    reads:
      'headings, paragraphs, lists, tables, footnotes, text boxes, WordArt; no pictures, headers or comments',
    by: 'Quarry itself',
    largestMb: 100,
    version: 3,
  }),
  zip: row({
    what: 'zip archives',
    extensions: 'zip',
    // Documents of other formats are zip archives too.
    recognizes: (beginning, extension) =>
      extension === '' &&
      beginning.startsWith('PK\x03\x04') &&
      !/\[Content_Types\]\.xml|mimetypeapplication\//.test(beginning),
    reads: 'each file in it as a record of its own, and the list of their paths',
    by: 'zlib',
    largestMb: 100,
    version: 3,
    readsName: true,
  }),
  tar: row({
    what: 'tar archives',
    extensions: 'tar',
    reads: 'each file in it as a record of its own, and the list of their paths',
    by: 'Quarry itself',
    largestMb: 100,
    version: 4,
    readsName: true,
  }),
  gzip: row({
    what: 'files packed with gzip',
    extensions: 'gz tgz',
    recognizes: (beginning, extension) => extension === '' && beginning.startsWith('\x1f\x8b\b'),
    reads: 'the packed file, or the files of a packed tar archive',
    by: 'zlib',
    largestMb: 100,
    version: 4,
    readsName: true,
  }),
  ipynb: row({
    what: 'notebooks of Jupyter',
    extensions: 'ipynb',
    recognizes: (beginning) => isNotebook(beginning.trimStart()),
    reads: 'text, code, and the first 2,000 characters of each text or table that the code printed',
    by: 'Quarry itself',
    largestMb: 50,
    version: 3,
    readsName: true,
  }),
  subtitles: row({
    what: 'subtitles',
    extensions: 'srt vtt sbv',
    reads: 'the spoken words, with the names of speakers and the times',
    by: 'Quarry itself, htmlparser2',
    largestMb: 20,
    version: 3,
  }),
  svg: row({
    what: 'drawings in SVG',
    extensions: 'svg svgz',
    recognizes: isSvg,
    reads: 'titles, descriptions and the words of the drawing',
    by: 'htmlparser2, zlib',
    largestMb: 20,
    version: 3,
  }),
  xml: row({
    what: 'XML: feeds, outlines, translations, places, notes of Evernote, books and other texts, and data',
    extensions: 'rss atom opml xlf xliff tmx gpx kml fb2 enex',
    recognizes: isReadableXml,
    reads:
      'entries, lists, chapters and records without the markup; files of programs, such as pom.xml, stay as they are',
    by: 'htmlparser2',
    largestMb: 50,
    version: 3,
    readsName: true,
  }),
  xls: row({
    what: 'workbooks of old forms of Excel',
    extensions: 'xls xlsb xlt',
    reads: 'each sheet as a table below its title, with dates in ISO 8601',
    by: '@e965/xlsx',
    largestMb: 100,
    version: 4,
  }),
  doc: row({
    what: 'binary documents of Word',
    extensions: 'doc',
    // Graphs are called .dot, too.
    recognizes: (beginning, extension) => extension === '.dot' && isCompound(beginning),
    reads:
      'headings, paragraphs, numbered lists, tables, footnotes, text boxes; no headers or comments',
    by: 'Quarry itself',
    largestMb: 100,
    version: 4,
  }),
  msg: row({
    what: 'messages of Outlook',
    extensions: 'msg oft',
    reads:
      'subject, sender, recipients, date, text; attachments and messages in it as documents of their own',
    by: 'htmlparser2',
    largestMb: 100,
    version: 3,
  }),
  ppt: row({
    what: 'binary presentations of PowerPoint',
    extensions: 'pps ppt',
    // Templates of translations are called .pot, too.
    recognizes: (beginning, extension) => extension === '.pot' && isCompound(beginning),
    reads:
      'the text and the tables of the slides in their order, with their numbers, and the notes of the speaker',
    by: 'Quarry itself',
    largestMb: 100,
    version: 2,
  }),
  image: row({
    what: 'pictures',
    extensions: 'bmp gif jpe jpeg jpg pbm pgm png pnm ppm tif tiff webp',
    reads: 'the text in the picture; of TIFF, on each of its pages',
    by: 'image-size, and Tesseract where it is installed',
    largestMb: 50,
    version: 2,
    needs: 'To read the text in pictures, install text recognition (docs/documents.md).',
  }),
  recording: row({
    what: 'sound and video',
    extensions: 'aac avi flac m4a m4v mkv mov mp3 mp4 mpeg mpg mpga oga ogg opus wav webm wma',
    reads: 'what is spoken, with the time of each passage',
    by: 'the model that QUARRY_TRANSCRIBER names',
    largestMb: 2000,
    version: 1,
    needs: 'To read what is spoken, set QUARRY_TRANSCRIBER (docs/documents.md).',
  }),
} as const;

export type DocumentKind = keyof typeof KINDS;
/** A recording is transcribed by a model, which the process of documents cannot reach. */
export type ParsedKind = Exclude<DocumentKind, 'recording'>;
