/** Reads the headers of messages (RFC 5322), as Gmail gives them. */

import { MAX_ADDRESSES } from '../mail/record.ts';
import { oneLine } from '../mail/structure.ts';
import { decodeMail } from '../mail/text.ts';
import type { MessagePart } from './answer.ts';

type Headers = MessagePart['headers'];

const MAX_ADDRESS = 520;
/** A longer header is cut, because its sender chose its length. */
const MAX_HEADER = 20_000;

/** Returns the first header of this name, without the encoding of its words. */
export function headerOf(headers: Headers, name: string): string | undefined {
  const found = headers.find((header) => header.name.toLowerCase() === name);
  return found && decodeWords(found.value.slice(0, MAX_HEADER));
}

/** Returns the value of a header before its parameters, in lower case. */
export const mainValueOf = (header: string | undefined): string =>
  (header ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

/** Returns a parameter of a header such as Content-Type (RFC 2045, section 5.1). */
export function parameterOf(header: string | undefined, name: string): string | undefined {
  for (const [, found, quoted, plain] of (header ?? '').matchAll(PARAMETER))
    if (found?.toLowerCase() === name) return quoted?.replace(/\\(.)/g, '$1') ?? plain;
  return undefined;
}
const PARAMETER = /;\s*([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/g;

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
    .replace(/=\?[^?\s]+\?[bq]\?[^?\s]*\?=/gi, decodedWord);

function decodedWord(word: string): string {
  const [, charset = '', encoding = '', encoded = ''] = word.split('?');
  const bytes =
    encoding.toLowerCase() === 'b'
      ? Buffer.from(encoded, 'base64')
      : Buffer.from(fromQ(encoded), 'latin1');
  // A language may follow the charset (RFC 2231, section 5).
  return decodeMail(bytes, charset.split('*', 1)[0]);
}

const fromQ = (encoded: string): string =>
  encoded
    .replaceAll('_', ' ')
    .replace(/=([0-9a-f]{2})/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
