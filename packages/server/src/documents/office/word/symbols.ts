/**
 * Maps the characters of fonts that have pictures in the place of letters to Unicode. Word writes such a character as
 * its code in the font plus F000 (ECMA-376 part 1, 17.3.3.30).
 */

const PRIVATE_USE = 0xf000;

/** These are the characters of the font Symbol from `A` to `Z` and from `a` to `z`. */
const GREEK = 'ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ';
const SMALL_GREEK = 'αβχδεφγηιϕκλμνοπθρστυϖωξψζ';

const SYMBOL: Readonly<Record<number, string>> = {
  163: '≤',
  165: '∞',
  171: '↔',
  172: '←',
  173: '↑',
  174: '→',
  175: '↓',
  176: '°',
  177: '±',
  179: '≥',
  180: '×',
  182: '∂',
  183: '•',
  184: '÷',
  185: '≠',
  186: '≡',
  187: '≈',
  206: '∈',
  213: '∏',
  214: '√',
  222: '⇒',
  229: '∑',
  242: '∫',
};

const WINGDINGS: Readonly<Record<number, string>> = {
  74: '☺',
  76: '☹',
  110: '■',
  111: '□',
  113: '❑',
  118: '❖',
  167: '▪',
  168: '☐',
  216: '➢',
  223: '←',
  224: '→',
  225: '↑',
  226: '↓',
  232: '➔',
  251: '✗',
  252: '✓',
  253: '☒',
  254: '☑',
};

/** Returns the character with the code, which is hexadecimal, or an empty text for a picture without a meaning. */
export function symbol(code: string, font: string): string {
  if (!/^[0-9a-f]{1,4}$/i.test(code)) return '';
  const value = Number.parseInt(code, 16);
  const own = value >= PRIVATE_USE ? value - PRIVATE_USE : value;
  if (/^wingdings$/i.test(font)) return WINGDINGS[own] ?? '';
  if (/^symbol$/i.test(font)) return SYMBOL[own] ?? greek(own);
  // The other codes of this range, and the halves of a pair, stand for nothing that a reader could see.
  return value < 0x20 || value >= 0xd800 ? '' : String.fromCharCode(value);
}

function greek(code: number): string {
  if (code >= 65 && code <= 90) return GREEK[code - 65]!;
  if (code >= 97 && code <= 122) return SMALL_GREEK[code - 97]!;
  return code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : '';
}
