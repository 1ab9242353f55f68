/**
 * Splits the text of a document into pieces that are small enough for an embedding and large enough to be understood.
 * It splits along the structure of the text, and between sentences where the structure is too coarse.
 *
 * The pieces in order contain every character of the text exactly once, except white space. Only header rows of tables
 * and opening lines of code blocks are repeated. A change of this code that changes its results needs a new
 * SPLIT_VERSION.
 */
import type { Piece } from '../model/chunk.ts';
import { type Atoms, createAtoms } from './split/atoms.ts';
import { code } from './split/code.ts';
import { createDefinitionPaths } from './split/definition-paths.ts';
import { definitionsIn } from './split/definitions.ts';
import { formatOf } from './split/format.ts';
import { createPaths } from './split/headings.ts';
import { familyOf } from './split/languages.ts';
import { markdown } from './split/markdown.ts';
import { pack } from './split/pack.ts';
import { csv, json } from './split/records.ts';

/** The version is part of the recipe: when it changes, all documents are split again. */
export const SPLIT_VERSION = 'split-5';

export interface Splittable {
  readonly name: string;
  readonly text: string;
  /** The pages begin at these offsets. */
  readonly pages?: readonly number[] | undefined;
}

/** Returns at least one piece; the piece of an empty document has an empty text. */
export function split(document: Splittable): Piece[] {
  return piecesOf(document, read(document));
}

/** How a text may be cut, and what stands above its pieces. */
export interface Structure {
  readonly atoms: Atoms;
  /** Returns the heading of the piece between two offsets. The pieces must be asked for in ascending order. */
  readonly path: (start: number, end: number) => string | null;
}

/** Cuts the text where the prices of its atoms are lowest. */
export function piecesOf(
  { text, pages = [] }: Pick<Splittable, 'text' | 'pages'>,
  { atoms, path }: Structure,
): Piece[] {
  const pieces: Piece[] = [];
  let page = 0;
  const lineAt = lineCounter(text);
  const starts = pack(atoms);
  starts.forEach((first, i) => {
    const end = atoms.offsets[starts[i + 1] ?? atoms.count]!;
    const { start, solid } = skipBlankLines(text, atoms.offsets[first]!, end);
    const body = text.slice(start, end).trimEnd();
    if (body === '') return;
    while (page < pages.length && pages[page]! <= solid) page++;
    const header = atoms.headers[first];
    pieces.push({
      text: header ? `${header.text}\n${body}` : body,
      heading: path(start, end),
      page: pages.length === 0 ? null : Math.max(1, page),
      line: lineAt(solid),
    });
  });
  return pieces.length > 0 ? pieces : [{ text: '', heading: null, page: null, line: 1 }];
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

function read({ name, text }: Splittable): Structure {
  const atoms = createAtoms(text);
  let path: Structure['path'] = () => null;
  switch (formatOf(name, text)) {
    case 'code':
      code(text, text.length, atoms);
      path = pathsOfCode(name, text);
      break;
    case 'csv':
      csv(text, atoms);
      break;
    case 'json':
      json(text, atoms);
      break;
    case 'markdown':
      path = createPaths(text, markdown(text, atoms));
  }
  return { atoms: atoms.build(), path };
}

function pathsOfCode(name: string, text: string): Structure['path'] {
  const family = familyOf(name);
  return createDefinitionPaths(family === null ? [] : definitionsIn(text, family));
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
