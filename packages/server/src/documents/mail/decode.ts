/** Decodes the parts of messages: their transfer encoding (RFC 2045) and their charset. */
import { decodeHtml } from '../html.ts';
import { decodeAnyway, decodeText } from '../plain.ts';

/**
 * Returns '' for bytes that are not text. Programs name Windows-1252 without meaning it, so UTF-8 or Windows-1252 is
 * recognized then, and when the charset is unknown.
 */
export const decodeMail = (bytes: Uint8Array, charset: string | undefined): string =>
  decodeText(bytes, meantBy(charset)) ?? '';

/** Returns the text of a value in a header, which is never binary. */
export const decodeMailValue = (bytes: Uint8Array, charset: string | undefined): string =>
  decodeAnyway(bytes, meantBy(charset));

function meantBy(charset: string | undefined): string | undefined {
  const encoding = encodingOf(charset);
  return encoding === 'windows-1252' ? undefined : encoding;
}

/** Returns '' for bytes that are not text. A page whose header names no charset may name it itself. */
export const decodeMailHtml = (bytes: Uint8Array, charset: string | undefined): string =>
  encodingOf(charset) === undefined ? (decodeHtml(bytes) ?? '') : decodeMail(bytes, charset);

/** Returns undefined for a charset that is unknown, or that only says that nobody has named one. */
function encodingOf(charset: string | undefined): string | undefined {
  const label = charset?.trim().toLowerCase() ?? '';
  if (label === '' || label === 'us-ascii' || label === 'ascii') return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Returns the bytes without base64 or quoted-printable. Bytes in another encoding are returned as they are. */
export function withoutTransferEncoding(bytes: Buffer, encoding: string): Buffer {
  if (encoding === 'base64') return Buffer.from(bytes.toString('latin1'), 'base64');
  if (encoding === 'quoted-printable') return fromQuotedPrintable(bytes);
  return bytes;
}

/**
 * Decodes RFC 2045, 6.7. The package that has this (libqp) has no types, and is longer only by its encoder and its
 * streams. An = that begins no code stays as it is.
 */
export function fromQuotedPrintable(bytes: Buffer): Buffer {
  const decoded = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    const code = byte === EQUALS ? bytes.toString('latin1', i + 1, i + 3) : '';
    if (/^[0-9a-f]{2}$/i.test(code)) {
      decoded[length++] = Number.parseInt(code, 16);
      i += 2;
    } else if (code === '\r\n') i += 2;
    else if (code.startsWith('\n')) i += 1;
    else decoded[length++] = byte;
  }
  return decoded.subarray(0, length);
}
const EQUALS = 0x3d;
