/**
 * Cuts the text of a document into pieces that are small enough to be embedded and large enough to
 * be understood: by its structure first, by sentences where that is too coarse.
 *
 * Nothing is lost: the pieces in order hold every character of the text that is no white space,
 * once; only headers of tables, and the opening lines of code, are repeated. Any change of what
 * comes out is a new SPLIT_VERSION.
 */
import type { Piece } from '../model/chunk.ts';
import { type Atoms, createAtoms } from './split/atoms.ts';
import { code } from './split/code.ts';
import { formatOf } from './split/format.ts';
import { createPaths, type Heading } from './split/headings.ts';
import { markdown } from './split/markdown.ts';
import { pack } from './split/pack.ts';
import { csv, json } from './split/records.ts';

/** The version is part of the recipe: another one means cutting again. */
export const SPLIT_VERSION = 'split-3';

export interface Splittable {
  readonly name: string;
  readonly text: string;
  /** These are the offsets at which the pages begin. */
  readonly pages?: readonly number[] | undefined;
}

/** Gives at least one piece; that of an empty document has an empty text. */
export function split(document: Splittable): Piece[] {
  const { text, pages = [] } = document;
  const { atoms, headings } = read(document);
  const path = createPaths(text, headings);
  const pieces: Piece[] = [];
  let page = 0;
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
    });
  });
  return pieces.length > 0 ? pieces : [{ text: '', heading: null, page: null }];
}

/** Gives what is embedded. The name is not part of it, so that a rename embeds nothing. */
export const embeddedText = (name: string, piece: Piece): string =>
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
    case 'markdown':
      headings = markdown(text, atoms);
  }
  return { atoms: atoms.build(), headings };
}

/** The first line that is not blank keeps its indentation, up to the offset `solid`. */
function skipBlankLines(text: string, from: number, end: number): { start: number; solid: number } {
  let start = from;
  let solid = from;
  for (; solid < end && /\s/.test(text[solid]!); solid++)
    if (text[solid] === '\n') start = solid + 1;
  return { start, solid };
}
