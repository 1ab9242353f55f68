import { type NumeralFormat, numeral } from '../numerals.ts';

const FORMATS: readonly (readonly [string, NumeralFormat])[] = [
  ['alphaLc', 'letters'],
  ['alphaUc', 'LETTERS'],
  ['romanLc', 'roman'],
  ['romanUc', 'ROMAN'],
];

/**
 * Returns the number of an item as a slide shows it. `type` is such as `arabicPeriod` or `alphaLcParenR` (ECMA-376 part
 * 1, 20.1.10.61).
 */
export function automaticNumber(number: number, type: string): string {
  const format = FORMATS.find(([begin]) => type.startsWith(begin))?.[1] ?? 'decimal';
  const shown = numeral(number, format);
  if (type.endsWith('ParenBoth')) return `(${shown})`;
  if (type.endsWith('ParenR')) return `${shown})`;
  return type.endsWith('Plain') ? shown : `${shown}.`;
}
