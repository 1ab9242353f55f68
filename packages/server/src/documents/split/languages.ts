/** Says how the definitions of a language are recognized without a grammar. */

/**
 * - words: a definition begins with a keyword, such as `def` or `func`;
 * - types: it may also begin with a signature that has types, as in C and Java;
 * - script: it may also begin with a signature without types, or with the assignment of a function, as in JavaScript.
 */
export type Family = 'words' | 'types' | 'script';

/** A language is listed only if titles improved its searches (docs/decisions/0037-code-by-definitions.md). */
const EXTENSIONS: Record<Family, string> = {
  words: 'ex exs go kt kts php pl pm py pyi rb rs',
  types: 'c cc cpp cs h hpp java',
  script: 'bash cjs cts js jsx lua mjs mts sh ts tsx',
};

const families = new Map<string, Family>(
  Object.entries(EXTENSIONS).flatMap(([family, list]) =>
    list.split(' ').map((extension) => [extension, family as Family] as const),
  ),
);

/** Returns null for a file whose definitions are not looked for. */
export const familyOf = (name: string): Family | null =>
  families.get(/\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '') ?? null;
