/**
 * Reads a file that a service sends as a text in Base64 (RFC 4648, sections 4 and 5) within a JSON object, piece by
 * piece, so that a large file needs no more memory than a small one.
 */
import { RequestFailure } from '../../net/request.ts';
import type { Take } from './file.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPENING = new Set(Buffer.from('{['));
const CLOSING = new Set(Buffer.from('}]'));
/** The name of a field is kept up to this length. */
const MAX_NAME = 100;

export interface Base64Decoder {
  /** Takes the next piece of the answer, and gives what is decoded to the file. */
  readonly take: Take;
  /** Throws a RequestFailure when the answer was not complete, or did not have the field. */
  end(): void;
}

/** This is the place in the answer up to which it was read. */
interface DecodedUpTo {
  /** The number of the objects and lists around the place. */
  depth: number;
  isInText: boolean;
  /** The last text directly in the object that is not the value of the field, so it may be the name of one. */
  text: string;
  /** The value of the field begins here, or has begun. */
  isValue: boolean;
  /** The value of the field has ended. */
  isFound: boolean;
  /** An escape sequence that has begun, without its backslash. */
  escape: string | null;
  /** These characters of Base64 are not decoded yet. */
  rest: string;
}

/** The field is one of the object itself, and not of an object in it. */
export function base64Field(field: string, write: Take): Base64Decoder {
  const place: DecodedUpTo = {
    depth: 0,
    isInText: false,
    text: '',
    isValue: false,
    isFound: false,
    escape: null,
    rest: '',
  };
  return {
    async take(piece) {
      for (let at = 0; at < piece.length; ) {
        if (place.isInText) at = readText(place, piece, at);
        else readStructure(place, piece[at++] as number, field);
      }
      const bytes = decoded(place);
      if (bytes.length > 0) await write(bytes);
    },
    end() {
      if (place.depth !== 0 || place.isInText)
        throw new RequestFailure('not_json', 'a body that is not JSON');
      if (!place.isFound) throw new RequestFailure('form', `an unknown form (${field})`);
    },
  };
}

function readStructure(place: DecodedUpTo, byte: number, field: string): void {
  if (byte === QUOTE) {
    place.isInText = true;
    if (!place.isValue) place.text = '';
  } else if (byte === COLON) place.isValue = place.depth === 1 && place.text === field;
  else if (byte === COMMA) place.isValue = false;
  else if (CLOSING.has(byte)) place.depth--;
  else if (OPENING.has(byte)) {
    place.depth++;
    place.isValue = false;
  }
}

/** Reads some of a text. Returns the position after it. */
function readText(place: DecodedUpTo, piece: Uint8Array, at: number): number {
  const byte = piece[at] as number;
  if (place.escape !== null) {
    note(place, unescaped(place, byte));
    return at + 1;
  }
  if (byte === BACKSLASH) {
    place.escape = '';
    return at + 1;
  }
  if (byte === QUOTE) {
    place.isInText = false;
    place.isFound ||= place.isValue;
    return at + 1;
  }
  const end = endOfPlain(piece, at);
  note(place, Buffer.from(piece.subarray(at, end)).toString('latin1'));
  return end;
}

function note(place: DecodedUpTo, characters: string): void {
  // Padding says nothing, and a line break in Base64 (RFC 2045) is not a part of it.
  if (place.isValue) place.rest += characters.replace(/[^\w+/-]+/g, '');
  else if (place.text.length < MAX_NAME && place.depth === 1) place.text += characters;
}

/** Returns the position of the next quotation mark or backslash, or that of the end. */
function endOfPlain(piece: Uint8Array, from: number): number {
  const ends = [piece.indexOf(QUOTE, from), piece.indexOf(BACKSLASH, from)];
  return Math.min(...ends.map((at) => (at < 0 ? piece.length : at)));
}

/** Returns the character of an escape sequence (RFC 8259, section 7), or '' while the sequence goes on. */
function unescaped(place: DecodedUpTo, byte: number): string {
  const sequence = `${place.escape}${String.fromCharCode(byte)}`;
  const isUnicode = sequence.startsWith('u');
  place.escape = isUnicode && sequence.length < 5 ? sequence : null;
  if (place.escape !== null) return '';
  return isUnicode
    ? String.fromCharCode(Number.parseInt(sequence.slice(1), 16))
    : (CONTROLS[sequence] ?? sequence);
}

const CONTROLS: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** Four characters make up three bytes. Only at the end of the value there may be fewer. */
function decoded(place: DecodedUpTo): Uint8Array {
  const { rest, isFound } = place;
  const length = isFound ? rest.length : rest.length - (rest.length % 4);
  place.rest = rest.slice(length);
  return Buffer.from(rest.slice(0, length), 'base64url');
}
