/**
 * Finds card numbers and IBANs, however their digits are grouped. Both contain a checksum (Luhn, mod 97), so few other
 * numbers are taken for them.
 */
import type { TextSpan } from './spans.ts';

/** One such character may stand between two digits of a number. */
const DIGIT_SEPARATOR = /[\s.·/\-‐-―]/;
/** A card number has this many digits. */
const CARD = { min: 13, max: 19 };
/** The numbers of the large card networks begin like this. */
const ISSUER = /^(?:4|5[0-8]|2[2-7]|3[0-9]|6[0-9]|81)/;

/** A run of digits may be as long as the text, so it is examined in parts of at most this many digits. */
const DIGITS_AT_ONCE = 4096;

export function* cards(text: string): Generator<TextSpan> {
  let run: Digit[] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < text.length; index++) {
    const digit = text[index]!;
    if (digit < '0' || digit > '9') continue;
    const isNext = index === last + 1;
    const goesOn = isNext || (index === last + 2 && DIGIT_SEPARATOR.test(text[last + 1]!));
    if (!goesOn) {
      yield* cardsIn(run);
      run = [];
    }
    run.push({ digit, index, isFirst: !isNext });
    if (run.length === DIGITS_AT_ONCE) run = yield* cardsIn(run, CARD.max);
    last = index;
  }
  yield* cardsIn(run);
}

interface Digit {
  readonly digit: string;
  readonly index: number;
  /** If true, no digit stands directly before this digit. */
  readonly isFirst: boolean;
}
type Digits = readonly Digit[];

/** Yields the card numbers whose first digit has at least `after` digits behind it. Returns the remaining digits. */
function* cardsIn(digits: Digits, after = CARD.min - 1): Generator<TextSpan, Digit[]> {
  let first = 0;
  while (first + after < digits.length) {
    const count = digits[first]!.isFirst ? cardAt(digits, first) : 0;
    if (count === 0) first++;
    else {
      const start = digits[first]!.index;
      const end = digits[first + count - 1]!.index + 1;
      yield { start, end, label: '[card number]' };
      first += count;
    }
  }
  return digits.slice(first);
}

/** Returns the number of digits of the longest card number that begins at `first`, or 0. */
function cardAt(digits: Digits, first: number): number {
  for (let count = Math.min(CARD.max, digits.length - first); count >= CARD.min; count--) {
    const next = first + count;
    if (digits[next]?.isFirst === false) continue;
    const number = digits
      .slice(first, next)
      .map(({ digit }) => digit)
      .join('');
    if (ISSUER.test(number) && isLuhn(number)) return count;
  }
  return 0;
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
