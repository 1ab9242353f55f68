/** Writes the number of an item in the format that a document asks for. */

export type NumeralFormat = 'decimal' | 'letters' | 'LETTERS' | 'roman' | 'ROMAN';

/** Roman numbers from 4000 on, and letters that would need a long run, are written as decimal numbers. */
const MOST_ROMAN = 3999;
const MOST_LETTERS = 26 * 20;

const ROMAN: readonly (readonly [number, string])[] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];

export function numeral(number: number, format: NumeralFormat): string {
  switch (format) {
    case 'letters':
      return letters(number);
    case 'LETTERS':
      return letters(number).toUpperCase();
    case 'roman':
      return roman(number);
    case 'ROMAN':
      return roman(number).toUpperCase();
    default:
      return String(number);
  }
}

/** Word counts a to z, then aa to zz, then aaa to zzz. */
function letters(number: number): string {
  if (number < 1 || number > MOST_LETTERS) return String(number);
  const letter = String.fromCharCode(97 + ((number - 1) % 26));
  return letter.repeat(Math.ceil(number / 26));
}

function roman(number: number): string {
  if (number < 1 || number > MOST_ROMAN) return String(number);
  let rest = number;
  let written = '';
  for (const [value, sign] of ROMAN) for (; rest >= value; rest -= value) written += sign;
  return written;
}
