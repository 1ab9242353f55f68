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
import { formatOf } from './split/format.ts';
import { createPaths, type Heading } from './split/headings.ts';
import { markdown } from './split/markdown.ts';
import { pack } from './split/pack.ts';
import { csv, json } from './split/records.ts';
import { yaml } from './split/yaml.ts';

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
  const { text, pages = [] } = document;
  const { atoms, headings } = read(document);
  const path = createPaths(text, headings);
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

function read({ name, text }: Splittable): { atoms: Atoms; headings: readonly Heading[] } {
  const atoms = createAtoms(text);
  let headings: readonly Heading[] = [];
  switch (formatOf(name, text)) {
    case 'code':
      code(text, text.length, atoms);
      break;
    case 'csv':
      csv(text, atoms);
      break;
    case 'json':
      json(text, atoms);
      break;
    case 'yaml':
      yaml(text, atoms);
      break;
    case 'markdown':
      headings = markdown(text, atoms);
  }
  return { atoms: atoms.build(), headings };
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
