/**
 * Makes questions about definitions out of source files. Each has one right place in one file:
 *
 * - doc: the first sentence of a definition's documentation without its name; the documentation is removed from the file;
 * - comment: a sentence of a comment within a definition, of which two words are forgotten;
 * - signature: the words of a name, of what encloses it, and of the parameters;
 * - inside: the words of a definition's name, and a few rare words of a line far below its head.
 *
 * A definition gives at most one question. The same files and seed give the same questions.
 */
import { createRandom, shuffled } from '../../packages/server/src/eval/random.ts';
import { words } from '../../packages/server/src/model/terms.ts';
import { isStopWord, stem } from '../../packages/server/src/model/word-table.ts';
import { type Comment, commentsBetween, documentationOf, sentenceOf } from './comments.ts';
import type { Definition } from './tags.ts';

export const KINDS = ['doc', 'comment', 'signature', 'inside'] as const;
export type Kind = (typeof KINDS)[number];

export interface SourceFile {
  readonly id: string;
  readonly name: string;
  readonly lines: readonly string[];
  readonly definitions: readonly Definition[];
}

export interface Question {
  readonly text: string;
  readonly kind: Kind;
  readonly document: string;
  /** The right piece has this line. */
  readonly anchor: number;
  /** These lines are what the reader wants to see: the definition, or the surroundings of the anchor in it. */
  readonly first: number;
  readonly last: number;
}

export interface Asked {
  readonly text: string;
  readonly questions: readonly Question[];
}

/** A question of these kinds is about a line at least this far below the head. */
const FAR_BELOW = 12;
const AROUND = 4;
/** A reader looks for the beginning of a definition; a longer one does not fit into a piece. */
const MOST_LINES = 40;
const RARE = 3;
const FORGOTTEN = 2;

/** Returns the text of the file, without the documentation that questions ask for, and at most one question of each kind. */
export function ask(
  file: SourceFile,
  { frequency, seed }: { readonly frequency: ReadonlyMap<string, number>; readonly seed: number },
): Asked {
  const random = createRandom(seed);
  const made: Question[] = [];
  let removed: Comment | null = null;
  const left = shuffled(file.definitions, random);
  for (const kind of KINDS) {
    for (const [i, definition] of left.entries()) {
      const found = MAKERS[kind]({ file, definition, frequency, random });
      if (!found || new Set(contentOf(found.text)).size < 3) continue;
      left.splice(i, 1);
      if (kind === 'doc') removed = documentationOf(file.lines, definition);
      made.push({ ...found, kind, document: file.id });
      break;
    }
  }
  return without(file.lines, removed, made);
}

interface Place {
  readonly file: SourceFile;
  readonly definition: Definition;
  readonly frequency: ReadonlyMap<string, number>;
  readonly random: () => number;
}
type Made = Pick<Question, 'text' | 'anchor' | 'first' | 'last'> | null;

const whole = ({ line, end }: Definition) => ({
  anchor: line,
  first: line,
  last: Math.min(end, line + MOST_LINES - 1),
});
const around = (anchor: number, { line, end }: Definition) => ({
  anchor,
  first: Math.max(line, anchor - AROUND),
  last: Math.min(end, anchor + AROUND),
});

const MAKERS: Readonly<Record<Kind, (place: Place) => Made>> = {
  doc({ file, definition }) {
    const documentation = documentationOf(file.lines, definition);
    if (!documentation) return null;
    const sentence = sentenceOf(file.lines, documentation);
    const text = sentence
      .split(/\s+/)
      .filter((word) => bare(word) !== definition.name)
      .join(' ');
    const count = words(text).length;
    return count < 6 || count > 40 ? null : { text, ...whole(definition) };
  },
  comment({ file, definition, random }) {
    const sentences = commentsBetween(file.lines, definition.line + 2, definition.end)
      .map((comment) => ({ comment, kept: words(sentenceOf(file.lines, comment)) }))
      .filter(({ kept }) => kept.length >= 7 && kept.length <= 30);
    if (sentences.length === 0) return null;
    const { comment, kept } = sentences[Math.floor(random() * sentences.length)]!;
    for (let i = 0; i < FORGOTTEN; i++) kept.splice(Math.floor(random() * kept.length), 1);
    return { text: kept.join(' '), ...around(comment.first, definition) };
  },
  signature({ definition }) {
    const parameters = words(definition.signature).filter(
      (word) => word !== 'self' && word.length > 1,
    );
    const said = [...words(definition.scope), ...words(definition.name), ...parameters.slice(0, 5)];
    return said.length < 4 ? null : { text: said.join(' '), ...whole(definition) };
  },
  inside({ file, definition, frequency, random }) {
    const first = definition.line + FAR_BELOW;
    const candidates = file.lines
      .slice(first - 1, definition.end)
      .map((line, i) => ({ line: first + i, usable: usableWords(line, frequency) }))
      .filter(({ usable }) => usable.length >= RARE);
    if (candidates.length === 0) return null;
    const { line, usable } = candidates[Math.floor(random() * candidates.length)]!;
    const said = [...words(definition.name), ...usable.slice(0, RARE)];
    return { text: said.join(' '), ...around(line, definition) };
  },
};

const bare = (word: string): string => word.replace(/^\W+|(?:\(\))?\W*$/g, '');

/** Returns the words of a line that other files have as well, the rarest first. */
function usableWords(line: string, frequency: ReadonlyMap<string, number>): string[] {
  const of = (word: string) => frequency.get(stem(word)) ?? 0;
  const usable = [...new Set(contentOf(line))].filter((word) => of(word) > 1);
  return usable.toSorted((a, b) => of(a) - of(b));
}

const contentOf = (text: string): string[] =>
  words(text).filter((word) => !isStopWord(word) && word.length > 2);

/** Removes the comment from the file, and moves the lines of the questions below it. */
function without(
  lines: readonly string[],
  removed: Comment | null,
  made: readonly Question[],
): Asked {
  if (!removed) return { text: lines.join('\n'), questions: made };
  const { first, last } = removed;
  const moved = (line: number) => (line > last ? line - (last - first + 1) : Math.min(line, first));
  return {
    text: [...lines.slice(0, first - 1), ...lines.slice(last)].join('\n'),
    questions: made.map((one) => ({
      ...one,
      anchor: moved(one.anchor),
      first: moved(one.first),
      last: moved(one.last),
    })),
  };
}
