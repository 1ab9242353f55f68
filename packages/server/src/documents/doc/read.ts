/**
 * Reads a binary document of Word 97 to 2003 (MS-DOC): paragraphs, headings by their styles, tables, items of lists,
 * footnotes and text boxes. Headers and footers, comments, pictures, hidden and deleted text are left out. The numbers of
 * lists are counted, because they are not stored as text. The library that exists (word-extractor) gives neither
 * headings nor tables.
 */
import type { CompoundStorage } from '../compound/file.ts';
import { createParagraphs, type ParagraphForm, RUNNING_TEXT } from '../word/paragraphs.ts';
import { readHeader } from './header.ts';
import { listsOf } from './lists.ts';
import { notesOf } from './notes.ts';
import { type TextPiece, textOf } from './pieces.ts';
import {
  hiddenOf,
  type Lookup,
  type ParagraphProperties,
  paragraphsOf,
  type WhyHidden,
} from './runs.ts';
import { stylesOf } from './styles.ts';

const CELL = 0x07;
const PAGE = 0x0c;
const PARAGRAPH = 0x0d;
const FIELD = 0x13;
const FIELD_RESULT = 0x14;
const FIELD_END = 0x15;
const SPACE = 0x20;
/** These control characters stand for text: a tab, a line break and a hyphen that does not break. */
const CHARACTERS: ReadonlyMap<number, string> = new Map([
  [0x09, ' '],
  [0x0b, '\n'],
  [0x1e, '-'],
]);
/** Fields may be inside of each other; deeper ones are shown as they are. */
const MAX_FIELDS = 1000;

/** Returns the text as Markdown. Throws a SourceError 'skip' for a document that is broken or protected. */
export function readDoc(file: CompoundStorage): string {
  const header = readHeader(file);
  const text = textOf(header);
  const paragraphs = paragraphsOf(header);
  const whyHidden = hiddenOf(header);
  const styleOf = stylesOf(header);
  const lists = listsOf(header);
  const notes = notesOf(header);
  const writer = createParagraphs();
  const { lengths } = header;

  function formOf(properties: ParagraphProperties | undefined): ParagraphForm {
    if (!properties) return RUNNING_TEXT;
    const { isInTable, outline } = properties;
    const style = styleOf(properties.style);
    const list = properties.list ?? style.list ?? 0;
    const item = lists.next(list, properties.level ?? style.level ?? 0);
    const heading = outline === null ? style.heading : outline + 1;
    return { heading, depth: item?.level ?? null, label: item?.label ?? '', isInTable };
  }

  function end(code: number, content: string, offset: number): void {
    const properties = paragraphs(offset);
    if (code === PARAGRAPH && whyHidden(offset) === 'deleted')
      writer.joined(content, properties?.isInTable ?? false);
    else if (code !== CELL) writer.paragraph(content, formOf(properties));
    else if (properties?.endsRow) writer.row();
    else writer.cell(content, formOf(properties));
  }

  function noteAt(position: number): string {
    const span = notes.get(position);
    if (!span) return '';
    const reader = createReader({
      whyHidden,
      isWithinParagraph: () => false,
      end: (_, content) => lines.push(content),
      noteAt: () => '',
    });
    const lines: string[] = [];
    for (const piece of text.between(span.start, span.end)) reader.take(piece);
    return writer.note(lines.concat(reader.rest()).join('\n'));
  }

  /** A break of pages may stand within a paragraph, which has one run of properties. */
  function isWithinParagraph(before: number, after: number): boolean {
    const properties = paragraphs(before);
    return properties !== undefined && properties === paragraphs(after);
  }

  function read(start: number, length: number): void {
    const reader = createReader({ whyHidden, isWithinParagraph, end, noteAt });
    for (const piece of text.between(start, start + length)) reader.take(piece);
    writer.paragraph(reader.rest(), RUNNING_TEXT);
  }

  read(0, lengths.text);
  const { footnotes, headers, comments, endnotes } = lengths;
  read(lengths.text + footnotes + headers + comments + endnotes, lengths.boxes);
  return writer.result();
}

interface ReaderOf {
  readonly whyHidden: Lookup<WhyHidden | null>;
  /** Says whether the characters at these offsets belong to the same paragraph. */
  readonly isWithinParagraph: (before: number, after: number) => boolean;
  /** Takes a paragraph that a mark at this offset ends. */
  readonly end: (code: number, content: string, offset: number) => void;
  readonly noteAt: (position: number) => string;
}

function createReader({ whyHidden, isWithinParagraph, end, noteAt }: ReaderOf) {
  let content = '';
  /** Each open field is true while its code, which is not shown, is read. */
  const fields: boolean[] = [];
  let codes = 0;

  function mark(code: number): void {
    if (code === FIELD && fields.length < MAX_FIELDS) {
      fields.push(true);
      codes++;
    } else if (code === FIELD_RESULT && fields.at(-1)) {
      fields[fields.length - 1] = false;
      codes--;
    } else if (code === FIELD_END && fields.pop()) codes--;
  }

  function control(code: number, offset: number, next: number): void {
    if (code === PAGE && isWithinParagraph(offset, next)) {
      if (content !== '') content += '\n';
    } else if (code === PARAGRAPH || code === CELL || code === PAGE) {
      end(code, content, offset);
      content = '';
    } else mark(code);
  }

  return {
    take({ text, start, offset, bytesPerCharacter }: TextPiece): void {
      for (let i = 0; i < text.length; i++) {
        const code = text.charCodeAt(i);
        const at = offset + i * bytesPerCharacter;
        if (codes === 0 && !whyHidden(at))
          content += noteAt(start + i) + (code < SPACE ? (CHARACTERS.get(code) ?? '') : text[i]);
        if (code < SPACE) control(code, at, at + bytesPerCharacter);
      }
    },
    rest: () => content,
  };
}
