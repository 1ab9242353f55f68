/**
 * Tells titles from names that are cut from a text. A document has a title of its own. For a message, a note or a row,
 * a source takes the beginning of the text as the name; such a name is not indexed beside the text and is not a title,
 * because otherwise the first words of every message would count twice.
 *
 * A change that changes a result here needs a new TITLE_VERSION.
 */
import { terms, words } from './terms.ts';

/** The version is a part of the recipe: after a change of the version, everything is indexed again. */
export const TITLE_VERSION = 'title-2';

/** Between the words of its name, a text may have this many more characters, such as white space and markup. */
const MARGIN = 200;

/**
 * Returns false if the text begins with the words of the name. A document that begins with its title as a heading does
 * not lose it, because its pieces have the heading.
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
 * Returns the terms that the index of words holds for a piece of the document `name`. `isTitled` is the result of
 * `hasTitle` for the whole document; without it, the text of the piece decides.
 */
export const indexTerms = (piece: NamedPiece, isTitled = hasTitle(piece)): string[] =>
  terms(`${titleOf(piece, isTitled)}\n${piece.text}`);
