/** Reads the values of headers of messages (RFC 5322, RFC 2045, RFC 2047, RFC 2231). */
import { decodeMailValue } from './decode.ts';
import { oneLine } from './names.ts';

/** Only this many senders or recipients of a message are read. */
export const MAX_ADDRESSES = 100;
const MAX_ADDRESS = 520;
/** A longer header is cut, because its sender chose its length. */
export const MAX_HEADER = 20_000;
const MAX_PARAMETERS = 200;

/** Returns the value of a header before its parameters, in lower case. */
export const mainValueOf = (header: string | undefined): string =>
  (header ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

/** Returns a parameter of a header such as Content-Type (RFC 2045, section 5.1). */
export const parameterOf = (header: string | undefined, name: string): string | undefined =>
  parametersOf(header).get(name);

interface ParameterSegment {
  readonly number: number;
  readonly text: string;
  readonly isEncoded: boolean;
}

/**
 * Returns the parameters of a header by their names in lower case. The first of several with one name counts. A long one
 * may stand in numbered segments, and name its charset (RFC 2231).
 */
export function parametersOf(header: string | undefined): ReadonlyMap<string, string> {
  const plain = new Map<string, string>();
  const segments = new Map<string, ParameterSegment[]>();
  for (const [name, text] of pairsIn((header ?? '').slice(0, MAX_HEADER))) {
    const [, base = '', number, star] = /^([^*]+)(?:\*(\d{1,4}))?(\*?)$/.exec(name) ?? [];
    if (base === '') continue;
    if (number === undefined && star === '') {
      if (!plain.has(base)) plain.set(base, text);
      continue;
    }
    const segment = { number: Number(number ?? 0), text, isEncoded: star !== '' };
    const others = segments.get(base);
    if (others) others.push(segment);
    else segments.set(base, [segment]);
  }
  for (const [name, found] of segments) plain.set(name, joined(found));
  return plain;
}

/**
 * A malformed parameter is skipped up to the next semicolon. A value without quotation marks ends there too, because some
 * programs write blanks in it.
 */
const PARAMETER =
  /(?:[^;"]|"(?:[^"\\]|\\.)*")*;(?:\s*([\w*-]{1,100})\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^";]*)))?/y;

function* pairsIn(header: string): Generator<readonly [string, string]> {
  PARAMETER.lastIndex = 0;
  let at = 0;
  for (let pairs = 0; pairs < MAX_PARAMETERS; pairs++) {
    PARAMETER.lastIndex = at;
    const [all, name, quoted, plain = ''] = PARAMETER.exec(header) ?? [];
    if (all === undefined) return;
    at += all.length;
    if (name !== undefined)
      yield [name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? plain.trim()];
  }
}

function joined(segments: readonly ParameterSegment[]): string {
  const inOrder = segments.toSorted((a, b) => a.number - b.number);
  const [, charset, first] = /^([^']{0,60})'[^']{0,60}'(.*)$/s.exec(inOrder[0]?.text ?? '') ?? [];
  const bytes = inOrder.map(({ text, isEncoded }, index) => {
    const said = index === 0 && first !== undefined ? first : text;
    return isEncoded ? percentDecoded(said) : Buffer.from(said);
  });
  return decodeMailValue(Buffer.concat(bytes), charset);
}

const percentDecoded = (text: string): Buffer =>
  Buffer.from(
    text.replace(/%([0-9a-f]{2})/gi, (_, code: string) => charOf(code)),
    'latin1',
  );

const charOf = (code: string): string => String.fromCharCode(Number.parseInt(code, 16));

/** Returns the addresses of a header as they stand there, without the quotation marks of names. */
export function addressesIn(header: string | undefined): string[] {
  const found: string[] = [];
  for (const [address] of (header ?? '').matchAll(ADDRESS)) {
    if (found.length === MAX_ADDRESSES) break;
    // The name of a group stands before its addresses: "Friends: ann@example.org, bob@example.org;".
    const withoutGroup = address.replace(/^\s*[^"<>@:]*:/, '').replace(/;\s*$/, '');
    const shown = oneLine(withoutGroup.replace(/"((?:[^"\\]|\\.)*)"/g, unquoted), MAX_ADDRESS);
    if (shown !== '') found.push(shown);
  }
  return found;
}
/** A comma within a quoted text, or within angle brackets, divides no addresses. */
const ADDRESS = /(?:"(?:[^"\\]|\\.)*"|<[^<>]*>|[^,"])+/g;

const unquoted = (_: string, text: string): string => text.replace(/\\(.)/g, '$1');

/** Decodes the words of RFC 2047. Blanks between two such words are not shown (section 6.2). */
export const decodeWords = (text: string): string =>
  text
    .replace(/(=\?[^?\s]+\?[bq]\?[^?\s]*\?=)\s+(?==\?[^?\s]+\?[bq]\?[^?\s]*\?=)/gi, '$1')
    .replace(/(?:=\?[^?\s]+\?[bq]\?[^?]*\?=)+/gi, decodedRun);

/** Neighbours are decoded together, because some programs divide a character between two words. */
function decodedRun(words: string): string {
  const runs: { charset: string; bytes: Buffer[] }[] = [];
  for (const [, named = '', encoding, encoded = ''] of words.matchAll(WORD)) {
    // A language may follow the charset (RFC 2231, section 5).
    const charset = named.replace(/\*.*/, '').toLowerCase();
    const bytes =
      encoding?.toLowerCase() === 'b'
        ? Buffer.from(encoded, 'base64')
        : Buffer.from(fromQ(encoded), 'latin1');
    if (runs.at(-1)?.charset === charset) runs.at(-1)?.bytes.push(bytes);
    else runs.push({ charset, bytes: [bytes] });
  }
  return runs.map(({ charset, bytes }) => decodeMailValue(Buffer.concat(bytes), charset)).join('');
}
const WORD = /=\?([^?\s]+)\?([bq])\?([^?]*)\?=/gi;

const fromQ = (encoded: string): string =>
  encoded.replaceAll('_', ' ').replace(/=([0-9a-f]{2})/gi, (_, code: string) => charOf(code));
