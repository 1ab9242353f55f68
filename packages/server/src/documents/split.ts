/**
 * Splits the text of a document into pieces that are small enough for an embedding and large enough to be understood.
 * It splits along the structure of the text, and between sentences where the structure is too coarse.
 *
 * The pieces in order contain every character of the text exactly once, except white space. Only header rows of tables
 * and opening lines of code blocks are repeated. A change of this code that changes its results needs a new
 * SPLIT_VERSION.
 */
import type { Piece } from '../model/chunk.ts';
import { type AtomBuilder, type Atoms, createAtoms } from './split/atoms.ts';
import { code } from './split/code.ts';
import { createDefinitionPaths } from './split/definition-paths.ts';
import { definitionsIn } from './split/definitions.ts';
import { type Format, formatOf } from './split/format.ts';
import { createPaths, type Heading } from './split/headings.ts';
import { programLanguageOf } from './split/languages.ts';
import { markdown } from './split/markdown.ts';
import { pack } from './split/pack.ts';
import { csv, json } from './split/records.ts';
import { yaml } from './split/yaml.ts';

/** The version is part of the recipe: when it changes, all documents are split again. */
export const SPLIT_VERSION = 'split-7';

export interface Splittable {
  readonly name: string;
  readonly text: string;
  /** If true, the text is Markdown whatever the name says. */
  readonly isMarkdown?: boolean | undefined;
  /** The pages, slides, sheets or times begin at these offsets, in ascending order. */
  readonly pages?: readonly number[] | undefined;
  /** These name what begins at each offset of `pages`. Without them, `pages` are pages. */
  readonly places?: readonly string[] | undefined;
}

/** Returns at least one piece; the piece of an empty document has an empty text. No piece is on two pages. */
export function split(document: Splittable): Piece[] {
  return piecesOf(document, read(document));
}

/** How a text may be cut, and what stands above its pieces. */
export interface Structure {
  /** A part is a page, or the whole text of a document without pages. It begins at the offset `start`. */
  readonly parts: readonly { readonly start: number; readonly atoms: Atoms }[];
  /** Returns the heading of the piece between two offsets. The pieces must be asked for in ascending order. */
  readonly path: (start: number, end: number) => string | null;
}

/** Cuts the text where the prices of its atoms are lowest. */
export function piecesOf(
  { text, pages = [], places }: Omit<Splittable, 'name'>,
  { parts, path }: Structure,
): Piece[] {
  const pieces: Piece[] = [];
  let page = 0;
  const lineAt = lineCounter(text);
  for (const { start: from, atoms } of parts) {
    const starts = pack(atoms);
    starts.forEach((first, i) => {
      const end = from + atoms.offsets[starts[i + 1] ?? atoms.count]!;
      const { start, solid } = skipBlankLines(text, from + atoms.offsets[first]!, end);
      const body = text.slice(start, end).trimEnd();
      if (body === '') return;
      while (page < pages.length && pages[page]! <= solid) page++;
      const header = atoms.headers[first];
      pieces.push({
        text: header ? `${header.text}\n${body}` : body,
        heading: path(start, end),
        ...placeOf(pages.length === 0 ? null : Math.max(1, page), places),
        line: lineAt(solid),
      });
    });
  }
  return pieces.length > 0
    ? pieces
    : [{ text: '', heading: null, page: null, place: null, line: 1 }];
}

/** Returns the parts of the text between the beginnings of its pages. */
function partsOf(text: string, pages: readonly number[]): { start: number; end: number }[] {
  const starts = [0, ...pages.filter((page) => page > 0 && page < text.length)];
  return starts.map((start, i) => ({ start, end: starts[i + 1] ?? text.length }));
}

const moved = (heading: Heading, by: number): Heading => ({
  ...heading,
  start: heading.start + by,
  end: heading.end + by,
});

/** `number` is the number of the page, slide, sheet or time, counted from 1. */
function placeOf(
  number: number | null,
  places: readonly string[] | undefined,
): Pick<Piece, 'page' | 'place'> {
  if (number === null) return { page: null, place: null };
  return places
    ? { page: null, place: places[number - 1] ?? null }
    : { page: number, place: `page ${number}` };
}

/** Returns a function that gives the line of an offset. The offsets must be asked for in order. */
function lineCounter(text: string): (offset: number) => number {
  let line = 1;
  let end = text.indexOf('\n');
  return (offset) => {
    for (; end !== -1 && end < offset; end = text.indexOf('\n', end + 1)) line++;
    return line;
  };
}

/**
 * Returns the text for the embedding. The name of the document is used only when the piece is empty, so that a rename
 * of a document needs no new embeddings.
 */
export const embeddedText = (name: string, piece: Pick<Piece, 'text' | 'heading'>): string =>
  piece.text === ''
    ? name
    : piece.heading === null
      ? piece.text
      : `${piece.heading}\n${piece.text}`;

function read({ name, text, isMarkdown, pages = [] }: Splittable): Structure {
  const format = isMarkdown ? 'markdown' : formatOf(name);
  const headings: Heading[] = [];
  const parts = partsOf(text, pages).map(({ start, end }) => {
    const part = text.slice(start, end);
    const atoms = createAtoms(part);
    if (format === 'markdown')
      for (const heading of markdown(part, atoms)) headings.push(moved(heading, start));
    else READERS[format](part, atoms);
    return { start, atoms: atoms.build() };
  });
  const path = format === 'code' ? pathsOfCode(name, text) : createPaths(text, headings);
  return { parts, path };
}

const READERS: Readonly<
  Record<Exclude<Format, 'markdown'>, (text: string, atoms: AtomBuilder) => void>
> = {
  code: (text, atoms) => code(text, text.length, atoms),
  csv,
  json,
  yaml,
};

function pathsOfCode(name: string, text: string): Structure['path'] {
  const language = programLanguageOf(name);
  return createDefinitionPaths(language === null ? [] : definitionsIn(text, language));
}

/**
 * Skips blank lines, but not the indentation of the first line with text. `solid` is the offset of the first visible
 * character.
 */
function skipBlankLines(text: string, from: number, end: number): { start: number; solid: number } {
  let start = from;
  let solid = from;
  for (; solid < end && /\s/.test(text[solid]!); solid++)
    if (text[solid] === '\n') start = solid + 1;
  return { start, solid };
}
