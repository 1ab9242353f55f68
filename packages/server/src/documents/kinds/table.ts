/**
 * The table of the kinds of files that need a parser. docs/documents.md shows it. Its columns say by which names a kind
 * is known and what is read of it; `converters.ts` has the code, which runs in a limited process.
 */

export interface KindRow {
  /** This names the kind for people. */
  readonly what: string;
  /** These are the extensions without dots. */
  readonly extensions: string;
  /**
   * Returns true when a file that is not of a kind by its name is of this kind. `beginning` has the first bytes of the
   * file, as a text in which the ASCII characters are right; `extension` has its dot, or is empty.
   */
  readonly recognizes?: (beginning: string, extension: string) => boolean;
  /** This is what is read, for people. */
  readonly reads: string;
  /** These are the libraries that read it. */
  readonly by: string;
  /** Larger files are left out. */
  readonly largestMb: number;
  /**
   * The version of the converter is stored with each record. After a change of the version, the next full sync converts
   * the files of this kind again, and no others.
   */
  readonly version: number;
  /**
   * The kind is optional: it is read only where the operator has set up what it needs. This tells people what that is.
   * `largestMb` is then the most that an installation can allow.
   */
  readonly needs?: string;
}

const row = (facts: KindRow): KindRow => facts;

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
    version: 1,
  }),
  pdf: row({
    what: 'PDF',
    extensions: 'pdf',
    // Some programs write a few lines before the mark (ISO 32000-1, implementation note 13).
    recognizes: (beginning) => /^\s{0,1019}%PDF-/.test(beginning),
    reads: 'the text of its pages, with their numbers',
    by: 'PDFium',
    largestMb: 100,
    version: 1,
  }),
  docx: row({
    what: 'documents of Word',
    extensions: 'docx docm dotx dotm',
    reads: 'headings, paragraphs, lists, tables, footnotes',
    by: 'fflate, mammoth',
    largestMb: 100,
    version: 1,
  }),
  image: row({
    what: 'pictures',
    extensions: 'bmp gif jpe jpeg jpg pbm pgm png pnm ppm tif tiff webp',
    reads: 'the text in the picture; of TIFF, on each of its pages',
    by: 'image-size, and Tesseract where it is installed',
    largestMb: 50,
    version: 1,
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
