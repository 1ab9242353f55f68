/** A converter turns the bytes of one kind of document into Markdown. These are the forms of what it gets and returns. */
import type { SourceError } from '../errors.ts';
import type { ParsedKind } from './kinds/table.ts';
import type { OptionalKinds } from './kinds.ts';
import type { Ocr } from './ocr/ocr.ts';
import type { Omission } from './omission.ts';

export interface Converted {
  /** This is Markdown: headings, lists, tables, code. Text that is not markup must be escaped (`markdown-writer.ts`). */
  readonly text: string;
  /** If true, this is instead the text of a file that needs no converter, as it stands in the file. */
  readonly isPlain?: boolean;
  /** These are the offsets in `text` at which its pages, slides, sheets or times begin, in ascending order. */
  readonly pages?: readonly number[];
  /**
   * These name what begins at each offset of `pages`, as `slide 3`, `sheet Budget` or `time 00:12:04`. Without them,
   * `pages` are pages.
   */
  readonly places?: readonly string[];
  readonly about?: About;
}

/**
 * A document says this about itself. `language` is a language tag (BCP 47), such as `de`; the times are in ISO 8601.
 * Fields without a value are left out.
 */
export type About = {
  readonly title?: string;
  readonly author?: string;
  readonly language?: string;
  readonly created_at?: string;
  readonly modified_at?: string;
};

export interface InnerDocument {
  /** This is the path inside of the container, with `/` between its parts, such as `docs/plan.docx`. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** This is shown instead of the last part of the path, such as the subject of a mail. */
  readonly name?: string;
}

/** A converter gets this with the bytes. */
export interface Container {
  /** This is the name of the file, which may be wrong or empty. */
  readonly name: string;
  /** These kinds are read in this installation, so that what is inside of the document can be of them, too. */
  readonly optional: OptionalKinds;
  /**
   * Converts a document that is inside of this one, such as an attachment of a mail; it becomes a record of its own.
   * A document that cannot be read is noted, and throws nothing. Throws a SourceError 'skip' when the limit on the
   * number, the size or the nesting of all documents in the file is exceeded.
   */
  add(inner: InnerDocument): Promise<void>;
  /**
   * Notes a document or a part, such as `pages 201-300`, that is inside of this one and is not taken: a SourceError for one that cannot be
   * read, such as an encrypted one, or else an omission. After MAX_LEFT_OUT documents, no more are noted.
   */
  leaveOut(path: string, why: Omission | SourceError): void;
  /**
   * Converts the only file that is packed in this one, such as the text in `log.gz`: the result is the content of this
   * document itself. `name` is the name of the packed file. Throws a SourceError 'skip' like a converter, and when the
   * limit on the size or the nesting is exceeded.
   */
  readAs(name: string, bytes: Uint8Array): Promise<Converted | Omission>;
  /**
   * Converts these bytes, which are the document itself, as a document of another kind than its name says. `name` is
   * that of the document if it is left out.
   */
  convertAs(kind: ParsedKind, bytes: Uint8Array, name?: string): Promise<Converted | Omission>;
  /** Recognizes the text in pictures. It is missing where text recognition is not installed. */
  readonly ocr?: Ocr;
}

/**
 * Returns the content, or an omission for a document without text that can be read. Throws a SourceError 'skip' for a
 * broken or protected document, which says what to do in `hint`, and a SourceError 'config' when this installation cannot
 * read it; any other error counts as a broken document.
 */
export type Convert = (bytes: Uint8Array, container: Container) => Promise<Converted | Omission>;
