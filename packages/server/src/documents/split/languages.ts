/** Says how the definitions of a language are recognized without a grammar. */
import { extensionOf } from './extension.ts';

/**
 * - words: a definition begins with a keyword, such as `def` or `func`;
 * - types: it may also begin with a signature that has types, as in C and Java;
 * - script: it may also begin with a signature without types, or with the assignment of a function, as in JavaScript.
 */
export type Family = 'words' | 'types' | 'script';

export interface ProgramLanguage {
  readonly family: Family;
  /** Comments may stand between these signs: /* and *\/. */
  readonly hasBlockComments: boolean;
  /** Strings of several lines stand between three quotes. */
  readonly hasTripleQuotes: boolean;
  /** Comments of several lines begin with `=` and a word at the beginning of a line, as the POD of Perl. */
  readonly hasParagraphs: boolean;
}

/** A language is listed only if titles improved its searches (docs/decisions/0037-code-by-definitions.md). */
const EXTENSIONS: Record<Family, string> = {
  words: 'ex exs go kt kts php pl pm py pyi rb rs',
  types: 'c cc cpp cs h hpp java',
  script: 'bash cjs cts js jsx lua mjs mts sh ts tsx',
};
const listed = (extensions: string): ReadonlySet<string> => new Set(extensions.split(' '));
const WITHOUT_BLOCK_COMMENTS = listed('bash ex exs lua pl pm py pyi rb sh');
const WITH_TRIPLE_QUOTES = listed('ex exs kt kts py pyi');
const WITH_PARAGRAPHS = listed('pl pm rb');

const languages = new Map<string, ProgramLanguage>(
  Object.entries(EXTENSIONS).flatMap(([family, list]) =>
    list.split(' ').map((extension) => {
      const language = {
        family: family as Family,
        hasBlockComments: !WITHOUT_BLOCK_COMMENTS.has(extension),
        hasTripleQuotes: WITH_TRIPLE_QUOTES.has(extension),
        hasParagraphs: WITH_PARAGRAPHS.has(extension),
      };
      return [extension, language] as const;
    }),
  ),
);

/** Returns null for a file whose definitions are not looked for. */
export const programLanguageOf = (name: string): ProgramLanguage | null =>
  languages.get(extensionOf(name)) ?? null;
