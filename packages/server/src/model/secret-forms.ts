/**
 * Recognizes secrets by their form: keys of well-known providers, and private keys. Texts that may or may not be
 * secrets, such as the word after `password:`, are not recognized here.
 *
 * The time of the regular expressions is proportional to the length of the text, because repetitions are limited and a
 * match does not begin in the middle of a word.
 */

const KEYS = [
  // Amazon, Google and Microsoft issue these keys.
  '(?:AKIA|ASIA)[0-9A-Z]{16}',
  'AIza[A-Za-z0-9_-]{35}',
  'GOCSPX-[A-Za-z0-9_-]{28}',
  'ya29\\.[A-Za-z0-9_-]{20,512}',
  'AccountKey=[A-Za-z0-9+/]{86}==',
  // GitHub, GitLab and registries of packages issue these keys.
  'gh[opsur]_[A-Za-z0-9]{30,512}',
  'github_pat_[A-Za-z0-9_]{36,512}',
  'gl(?:pat|dt|rt|ptt|soat)-[A-Za-z0-9_-]{20,512}',
  'npm_[A-Za-z0-9]{36}',
  'pypi-AgE[A-Za-z0-9_-]{50,512}',
  'dckr_pat_[A-Za-z0-9_-]{20,512}',
  // Providers of models issue these keys.
  'sk-(?:proj|svcacct|admin|ant|or)-[A-Za-z0-9_-]{20,512}',
  'sk-[A-Za-z0-9]{32,512}',
  'hf_[A-Za-z0-9]{30,512}',
  'gsk_[A-Za-z0-9]{40,512}',
  'xai-[A-Za-z0-9]{60,512}',
  'r8_[A-Za-z0-9]{37}',
  'pplx-[A-Za-z0-9]{40,512}',
  // Services for payment, mail and messages issue these keys.
  '(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,512}',
  'sq0(?:atp|csp)-[A-Za-z0-9_-]{22,512}',
  'SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}',
  'key-[0-9a-f]{32}',
  'SK[0-9a-f]{32}',
  'xox[abeoprs]-[A-Za-z0-9-]{16,512}',
  'xapp-\\d-[A-Za-z0-9-]{20,512}',
  'hooks\\.slack\\.com/services/T[A-Z0-9]{8,16}/B[A-Z0-9]{8,16}/[A-Za-z0-9]{20,64}',
  '\\d{8,10}:AA[A-Za-z0-9_-]{33}',
  'whsec_[A-Za-z0-9+/]{24,512}={0,2}',
  // Other services issue these keys.
  'do[opr]_v1_[0-9a-f]{64}',
  'shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}',
  'dapi[0-9a-f]{32}',
  'glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}',
  'lin_api_[A-Za-z0-9]{32,512}',
  'ntn_[A-Za-z0-9]{40,512}',
  'ATATT3x[A-Za-z0-9_=-]{40,512}',
  'hvs\\.[A-Za-z0-9_-]{24,512}',
  'sbp_[0-9a-f]{40}',
  'figd_[A-Za-z0-9_-]{40,512}',
  'NRAK-[A-Z0-9]{27}',
  'PMAK-[0-9a-f]{24}-[0-9a-f]{34}',
  'AGE-SECRET-KEY-1[0-9A-Z]{58}',
  'quarry_[A-Za-z0-9_-]{43}',
];

/** When a form has a fixed length, a longer word is not a key. */
const withEnd = (form: string): string => (/\{\d+\}$/.test(form) ? `${form}(?![A-Za-z0-9])` : form);

/** This matches a key of a well-known provider. */
export const PROVIDER_KEY = new RegExp(`(?<![A-Za-z0-9])(?:${KEYS.map(withEnd).join('|')})`, 'g');

/** These match the first and the last line of a private key in the formats PEM, OpenPGP and SSH2. */
export const KEY_BEGINS = /-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g;
export const KEY_ENDS = /-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g;

/**
 * This matches what may stand between the first line and the key: line breaks (also escaped ones), quotation marks and
 * headers. The value of a header has no escaped line break, so that a text can be divided into headers in one way only.
 */
const BEFORE_KEY = String.raw`(?:\\[nr]|[\s"'>|+,#*]|[\w-]{2,30}: (?:[^\n\\]|\\"){0,120}(?:\n|\\[nr])){0,60}`;
/** This matches a first line only if a key follows, because examples in manuals have dots in the place of the key. */
const KEY_WITH_BODY = new RegExp(`${KEY_BEGINS.source}${BEFORE_KEY}[A-Za-z0-9+/]{16}`);

/** Returns true when a text contains a key of a well-known provider or a private key. */
export const holdsKey = (text: string): boolean =>
  text.search(PROVIDER_KEY) >= 0 || KEY_WITH_BODY.test(text);

/** A file of keys consists of such blocks and of lines that ATTRIBUTES matches. */
const BLOCK = /-{4,5} ?BEGIN [^\n-]{1,60}-{4,5}[\s\S]*?(?:-{4,5} ?END [^\n-]{1,60}-{4,5}|$)/g;
const ATTRIBUTES =
  /^(?:#.*|(?:Bag|Key) Attributes.*|[ \t]+[\w .]{1,60}:.*|(?:subject|issuer) ?=.*)$/gm;
const OTHER_FORMS = /^(?:PuTTY-User-Key-File-\d|(?:#.*\n){0,9}AGE-SECRET-KEY-1)/;

const COOKIES = /^# (?:Netscape )?HTTP Cookie File\b/;

/**
 * Returns the kind of secret that a file is, or null when it is not a secret. `beginning` is the beginning of the file.
 * A file counts as a private key only if it contains nothing but keys, certificates and comments, so a text that quotes
 * a key does not count.
 */
export function secretOf(beginning: string): 'a private key' | 'cookies of a browser' | null {
  const text = beginning.trimStart();
  if (COOKIES.test(text)) return 'cookies of a browser';
  if (OTHER_FORMS.test(text)) return 'a private key';
  if (text.search(KEY_BEGINS) < 0) return null;
  const rest = text.replaceAll(BLOCK, '').replaceAll(ATTRIBUTES, '');
  return /\S/.test(rest) ? null : 'a private key';
}
