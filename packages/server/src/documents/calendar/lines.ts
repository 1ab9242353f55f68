/**
 * Reads the lines of iCalendar (RFC 5545), vCard (RFC 6350, RFC 2426) and their forerunners vCalendar 1.0 and vCard 2.1.
 * A line has a name, parameters and a value, and may be folded. A text of any form is read: lines that are not of this
 * form are left out, and sizes are limited. A library is not used, because those that exist refuse a whole calendar for
 * one bad date, evaluate recurrences, or keep everything in memory.
 */
import { isUtf8 } from 'node:buffer';
import { decodeMailValue, fromQuotedPrintable } from '../mail/decode.ts';
import { decodeText } from '../plain.ts';

const MAX_VALUE = 200_000;

export interface IcsProperty {
  /** This is in upper case, without the group of a vCard. */
  readonly name: string;
  /** Names are in upper case. A parameter that is given several times has all its values, with commas between them. */
  readonly parameters: ReadonlyMap<string, string>;
  /** The value is as it stands in the file; `unescaped` takes the escapes out. */
  readonly value: string;
}

/**
 * Returns the text of a file of such lines, or null when it is not text. Programs may fold a line between two bytes of
 * one character (RFC 5545, section 3.1).
 */
export function decodeFolded(bytes: Uint8Array): string | null {
  if (isUtf8(bytes)) return decodeText(bytes);
  const folded = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const whole = folded.replaceAll(/([\x80-\xff])\r?\n[ \t](?=[\x80-\xbf])/g, '$1');
  return decodeText(Buffer.from(whole, 'latin1'));
}

/** Yields the properties of a text; at most `maxLines` lines of it are read. */
export function* propertiesIn(text: string, maxLines: number): Generator<IcsProperty> {
  for (const line of unfolded(text, maxLines)) {
    const property = propertyOf(line);
    if (property) yield isQuotedPrintable(line) ? unquoted(property) : property;
  }
}

/** A line that begins with a blank continues the line before it. */
function* unfolded(text: string, maxLines: number): Generator<string> {
  let pieces: string[] = [];
  let length = 0;
  let lines = 0;
  let isQuoted = false;
  for (const { 0: piece } of text.matchAll(/[^\r\n]+/g)) {
    if (++lines > maxLines) break;
    const goesOn = isQuoted && pieces.at(-1)?.endsWith('=');
    // The line that goes on after a `=` may begin with a blank of the text.
    const isFolded = !goesOn && /^[ \t]/.test(piece);
    if (!isFolded && !goesOn) {
      if (pieces.length > 0) yield pieces.join('');
      pieces = [];
      length = 0;
      isQuoted = isQuotedPrintable(piece);
    }
    if (goesOn) pieces.push((pieces.pop() ?? '').slice(0, -1));
    if (length < MAX_VALUE) pieces.push(piece.slice(isFolded ? 1 : 0, MAX_VALUE));
    length += piece.length;
  }
  if (pieces.length > 0) yield pieces.join('');
}

/** The forerunners write some values as quoted-printable, with a `=` at the end of a line that goes on. */
const isQuotedPrintable = (line: string): boolean =>
  /^[^:]{0,500};(?:ENCODING=)?QUOTED-PRINTABLE[;:]/i.test(line);

function unquoted(property: IcsProperty): IcsProperty {
  const bytes = fromQuotedPrintable(Buffer.from(property.value));
  return { ...property, value: decodeMailValue(bytes, property.parameters.get('CHARSET')) };
}

const NAME = /^(?:[A-Za-z0-9-]{1,100}\.)?([A-Za-z0-9-]{1,100})(?=[;:])/;
/** The value of a parameter may stand in quotes, and only then have these marks in it. */
const PARAMETER = /;([A-Za-z0-9-]{1,100})(?:=((?:"[^"]*"|[^";:,]*)(?:,(?:"[^"]*"|[^";:,]*))*))?/y;

function propertyOf(line: string): IcsProperty | null {
  const [named, name] = NAME.exec(line) ?? [];
  if (named === undefined || name === undefined) return null;
  const parameters = new Map<string, string>();
  let at = named.length;
  for (;;) {
    PARAMETER.lastIndex = at;
    const found = PARAMETER.exec(line);
    if (!found) break;
    addParameter(parameters, (found[1] ?? '').toUpperCase(), found[2]?.replaceAll('"', ''));
    at = PARAMETER.lastIndex;
  }
  return line[at] === ':'
    ? { name: name.toUpperCase(), parameters, value: line.slice(at + 1) }
    : null;
}

/** A vCard 2.1 writes the type of a number alone: `TEL;HOME:`. */
function addParameter(parameters: Map<string, string>, name: string, value: string | undefined) {
  const [key, said] = value === undefined ? ['TYPE', name] : [name, value];
  const before = parameters.get(key);
  parameters.set(key, before === undefined ? said : `${before},${said}`);
}

/** Returns a value without escapes. */
export const unescaped = (value: string): string =>
  value
    .replaceAll(/\\([\\;,:nN])/g, (_, mark: string) => (mark.toLowerCase() === 'n' ? '\n' : mark))
    .trim();

/** Divides a value at a mark that is not escaped. The parts are without escapes, and may be empty. */
export const partsOfValue = (value: string, mark: ';' | ','): string[] =>
  (value.match(mark === ';' ? /(?:\\.|[^\\;])+|;/gs : /(?:\\.|[^\\,])+|,/gs) ?? []).reduce<
    string[]
  >(
    (parts, piece) => {
      if (piece === mark) parts.push('');
      else parts[parts.length - 1] = unescaped(piece);
      return parts;
    },
    [''],
  );
