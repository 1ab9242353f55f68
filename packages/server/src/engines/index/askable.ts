/** Whether an index can hold it: letters and digits in lower case, as `model/terms.ts` makes them. */
export const isTerm = (term: string) => /^(?:[a-z0-9]|[^\0-\x7f])+$/.test(term);

/** The terms once each, without what can be in no index. */
export const distinctTerms = (terms: readonly string[]): string[] =>
  [...new Set(terms)].filter(isTerm);
