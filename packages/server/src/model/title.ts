/**
 * Decides whether a name is a title, or only the beginning of the text. A document has a title of its own. For a
 * message, a note or a row, a source takes the beginning of the text as the name. Such a name is not a title, and it is
 * not indexed beside the text. Otherwise the first words of every message would count twice.
 *
 * A change that changes a result here needs a new TITLE_VERSION.
 */
import { terms, words } from './terms.ts';

/** The version is a part of the recipe: after a change of the version, everything is indexed again. */
export const TITLE_VERSION = 'title-2';

/**
 * The words of the name must lie within the beginning of the text, which is this many characters longer than the name,
 * because white space and markup may lie between the words.
 */
const MARGIN = 200;

/**
 * Returns false if the text begins with the words of the name. It also returns false for a document whose text begins
 * with its title as a heading. That title is still indexed, as the heading of the pieces.
 */
export function hasTitle({ name, text }: { readonly name: string; readonly text: string }) {
  const own = words(name);
  const beginning = text.trimStart().slice(0, name.length + MARGIN);
  const first = words(beginning);
  const isFirst = own.every(
    // A name may end within a word.
    (word, i) => first[i] === word || (i === own.length - 1 && first[i]?.startsWith(word)),
  );
  return !isFirst || own.length === 0;
}

interface NamedPiece {
  readonly name: string;
  readonly heading: string | null;
  readonly text: string;
}

/** Returns what is indexed in front of the text; `isTitled` is the result of `hasTitle`. */
export const titleOf = ({ name, heading }: Omit<NamedPiece, 'text'>, isTitled: boolean): string =>
  `${isTitled ? name : ''}\n${heading ?? ''}`;

/**
 * Returns the terms that the index of words stores for a piece. `piece.name` is the name of the whole document.
 * `isTitled` is the result of `hasTitle` for the whole document; when it is left out, `hasTitle` is asked about the
 * piece.
 */
export const indexTerms = (piece: NamedPiece, isTitled = hasTitle(piece)): string[] =>
  terms(`${titleOf(piece, isTitled)}\n${piece.text}`);
