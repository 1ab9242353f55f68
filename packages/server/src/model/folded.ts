/** Returns the text in lower case and without accents, as searches for names compare it. */
export const folded = (text: string): string =>
  text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
