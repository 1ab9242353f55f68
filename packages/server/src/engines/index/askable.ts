/** Tells whether an index can hold the term: letters and digits in lower case, as `model/terms.ts` makes them. */
export const isTerm = (term: string) => /^(?:[a-z0-9]|[^\0-\x7f])+$/.test(term);

/** Returns each term once, without those that no index can hold. */
export const distinctTerms = (terms: readonly string[]): string[] =>
  [...new Set(terms)].filter(isTerm);
