/**
 * These regular expressions find e-mail addresses, phone numbers and secrets by their form. The time of each is
 * proportional to the length of the text, because repetitions are bounded and a match does not begin in the middle of a
 * word.
 */
import { KEY_BEGINS, KEY_ENDS, PROVIDER_KEY } from '../../model/secret-forms.ts';
import type { TextSpan } from './spans.ts';

const EMAIL =
  /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,128}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/gu;

const PHONES = [
  // This matches +49 (0)30 901820 and 0041 44 668 18 00.
  /(?<![\p{L}\p{N}+])(?:\+|00)[1-9](?:[ \u00a0().\-–/]{0,3}\d){6,14}(?!\d)/gu,
  // This matches (030) 901820 and (415) 555-0132.
  /(?<![\p{L}\p{N}])\(\d{2,5}\)[ \u00a0-]?\d(?:[ \u00a0.\-/]?\d){4,9}(?!\d)/gu,
  // This matches 415-555-0132 and 415.555.0132.
  /(?<![\p{L}\p{N}.,-])\d{3}[-. ]\d{3}[-. ]\d{4}(?![\p{N}.,-]?\d)/gu,
  // This matches 030/901820 and 0171 1234567.
  /(?<![\p{L}\p{N}.,-])0[1-9]\d{1,4}[ \u00a0/-]\d{2,4}(?:[ \u00a0-]?\d{1,4}){1,3}(?!\d)/gu,
];

/** A private key has at most this many characters between its first line and its last line or the end of the text. */
const LONGEST_KEY = 20_000;

const SECRETS = [
  PROVIDER_KEY,
  // These also match shorter keys, and texts that only look like a key.
  /(?<![A-Za-z0-9])(?:gh[opsur]_|github_pat_|glpat-|npm_|xox[abeoprs]-|hf_|dop_v1_|shp(?:at|ca|pa|ss)_)[A-Za-z0-9_-]{16,255}/g,
  /(?<![A-Za-z0-9])(?:sk|pk|rk)[-_](?:[a-z]{2,12}[-_]){0,3}[A-Za-z0-9_-]{16,255}/g,
  /(?<![A-Za-z0-9])whsec_[A-Za-z0-9+/=]{16,255}/g,
  /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,4096}\.eyJ[A-Za-z0-9_-]{2,8192}\.[A-Za-z0-9_-]{0,2048}/g,
];

/** This finds the value behind a name that ends like that of a secret (`password: …`, `DB_PASSWORD=…`). */
const NAMED_SECRET =
  /(?:passwor[dt]|passwd|secret|api[_-]?key|access[_-]?key|[_-]token)["']?[ \t]{0,4}[:=][ \t]{0,4}["']?([^\s"'<>]{6,512})/giu;
/** This finds the user and the password of an address (`://user:password@`). */
const IN_ADDRESS = /(?<=:\/\/)[^\s/:@]{1,256}:[^\s/@]{1,512}(?=@)/g;

export function* emails(text: string): Generator<TextSpan> {
  yield* all(text, EMAIL, '[e-mail address]');
}

export function* phones(text: string): Generator<TextSpan> {
  for (const pattern of PHONES) yield* all(text, pattern, '[phone number]');
}

export function* secrets(text: string): Generator<TextSpan> {
  const label = '[secret]';
  for (const pattern of SECRETS) yield* all(text, pattern, label);
  for (const span of privateKeys(text)) yield { ...span, label };
  yield* all(text, IN_ADDRESS, label);
  for (const { 0: found, 1: value = '', index } of text.matchAll(NAMED_SECRET)) {
    const end = index + found.length;
    yield { start: end - value.length, end, label };
  }
}

/**
 * The search for an end goes on from the last end, so that many beginnings without an end do not take quadratic time.
 */
function* privateKeys(text: string): Generator<{ start: number; end: number }> {
  const ends = text.matchAll(KEY_ENDS);
  let next = ends.next().value;
  let after = 0;
  for (const { 0: line, index: start } of text.matchAll(KEY_BEGINS)) {
    if (start < after) continue;
    const body = start + line.length;
    while (next && next.index < body) next = ends.next().value;
    const last = next?.index ?? text.length;
    if (last - body > LONGEST_KEY) continue;
    after = last + (next?.[0].length ?? 0);
    yield { start, end: after };
  }
}

function* all(text: string, pattern: RegExp, label: string): Generator<TextSpan> {
  for (const { 0: found, index } of text.matchAll(pattern))
    yield { start: index, end: index + found.length, label };
}
