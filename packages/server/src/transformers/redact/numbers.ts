/**
 * Finds card numbers and IBANs, whose digits may be grouped. Both contain a checksum (Luhn, mod 97), so few other numbers
 * are taken for them.
 */
import type { TextSpan } from './spans.ts';

/** One such character may stand between two digits of a number. */
const DIGIT_SEPARATOR = /[\s.·/\-‐-―]/;
/** A card number has this many digits. */
const CARD = { min: 13, max: 19 };
/** The numbers of the large card networks begin like this. */
const ISSUER = /^(?:4|5[0-8]|2[2-7]|3[0-9]|6[0-9]|81)/;

const isDigit = (text: string, index: number): boolean => {
  const code = text.charCodeAt(index);
  return code >= 48 && code <= 57;
};
const isSeparator = (text: string, index: number): boolean =>
  index >= 0 && index < text.length && DIGIT_SEPARATOR.test(text[index]!);

/**
 * One number has the same separator everywhere; only a line break may take its place once. Otherwise two columns of decimals
 * would look like one number.
 */
export function* cards(text: string): Generator<TextSpan> {
  for (let index = 0; index < text.length; index++) {
    if (!isDigit(text, index)) continue;
    const end = cardAt(text, index);
    if (end > 0) yield { start: index, end, label: '[card number]' };
    index = Math.max(index, end - 1);
    while (isDigit(text, index + 1)) index++;
  }
}

/** Returns the end of the longest card number that begins at `start`, or 0. */
function cardAt(text: string, start: number): number {
  const groups: string[] = [];
  let group = '';
  let separator = '';
  let lineBreaks = 0;
  let end = 0;
  // The digits behind a decimal point are a part of a number.
  const isFraction = text[start - 1] === '.' && isDigit(text, start - 2);
  for (let at = start, count = 1; count <= CARD.max; at++, count++) {
    group += text[at];
    if (count === 2 && !ISSUER.test(groups.join('') + group)) return 0;
    if (isDigit(text, at + 1)) continue;
    groups.push(group);
    group = '';
    if (count >= CARD.min && isGrouped(groups, isFraction) && isLuhn(groups.join(''))) end = at + 1;
    if (!isSeparator(text, at + 1) || !isDigit(text, at + 2)) break;
    const next = formOf(text[at + 1]!);
    if (next === '\n') lineBreaks++;
    else if (separator !== '' && separator !== next) break;
    else separator = next;
    if (lineBreaks > 1) break;
    at++;
  }
  return end;
}

/** All spaces count as one separator, and all dashes. */
const formOf = (separator: string): string =>
  separator === '\n' ? separator : separator.replace(/\s/, ' ').replace(/[‐-―]/, '-');

const isGrouped = ([digits, ...more]: readonly string[], isFraction: boolean): boolean =>
  more.length === 0 ? !isFraction : isUsual([digits!.length, ...more.map(({ length }) => length)]);

/** Cards print their numbers in fours, American Express 4-6-5 and Diners Club 4-6-4. */
function isUsual(lengths: readonly number[]): boolean {
  const [first, second, third] = lengths;
  const isInFours = lengths.slice(0, -1).every((length) => length === 4) && lengths.at(-1)! <= 4;
  const isInThree = lengths.length === 3 && first === 4 && second === 6 && third! <= 5;
  return isInFours || isInThree;
}

export function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    const doubled = i % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

const IBAN = /(?<![\p{L}\p{N}])[A-Z]{2}[ -]?\d{2}/giu;
const REST_OF_IBAN = /^(?:[ \u00a0\n-]?[A-Z0-9])+/i;
/** The length of an IBAN depends on its country (ISO 13616). */
const IBAN_LENGTHS = new Map(
  `AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18
  DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23
  IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27
  MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19
  SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30`
    .split(/\s+/)
    .map((one) => [one.slice(0, 2), Number(one.slice(2))]),
);

export function* ibans(text: string): Generator<TextSpan> {
  for (const { 0: head, index } of text.matchAll(IBAN)) {
    const length = IBAN_LENGTHS.get(head.slice(0, 2).toUpperCase());
    if (length === undefined) continue;
    const rest = text.slice(index + head.length, index + 2 * length);
    const found = head + (REST_OF_IBAN.exec(rest)?.[0] ?? '');
    const { characters, end } = charactersOf(found, length);
    if (characters.length === length && isIban(characters))
      yield { start: index, end: index + end, label: '[IBAN]' };
  }
}

/** Returns the first letters and digits of the text, at most `max`, and the offset behind the last of them. */
function charactersOf(text: string, max: number): { characters: string; end: number } {
  let characters = '';
  let end = 0;
  for (; end < text.length && characters.length < max; end++)
    if (/[A-Z0-9]/i.test(text[end]!)) characters += text[end];
  return { characters, end };
}

export function isIban(text: string): boolean {
  const turned = (text.slice(4) + text.slice(0, 4)).toUpperCase();
  let rest = 0;
  for (const character of turned) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value < 10 ? 10 : 100) + value) % 97;
  }
  return rest === 1;
}
