/**
 * A kind describes how the values of a column are converted from the text in which the server writes them.
 *
 * A number becomes a number of JSON only when that is exact, and otherwise stays text, as do values for which JSON has
 * no form. Timestamps become ISO 8601 in UTC with all their digits (the time zone of the session is UTC, and a
 * timestamp without a zone counts as UTC).
 */
import { SourceError } from '../../errors.ts';
import { isNestedDeeper, MAX_NESTING } from '../../model/entity-limits.ts';
import { storableJson } from '../../model/storable.ts';

export interface ValueKind {
  readonly toJson: (text: string) => unknown;
  /**
   * Returns the value for the text of a row, or '' when people cannot read it. `json` is the result of toJson and not
   * null.
   */
  readonly toText: (text: string, json: unknown) => string;
  readonly is: 'words' | 'number' | 'flag' | 'moment' | 'other';
}

const identity = (text: string): string => text;
const sameText: ValueKind['toText'] = identity;
export const jsonAsText: ValueKind['toText'] = (_text, json) => String(json);

export const number: ValueKind = { toJson: exactNumber, toText: sameText, is: 'number' };
export const words: ValueKind = { toJson: identity, toText: sameText, is: 'words' };
export const other: ValueKind = { toJson: identity, toText: sameText, is: 'other' };
/** Values of this kind, such as vectors, are long and useless for people, so they are not in the text of a row. */
export const machineReadable: ValueKind = { toJson: identity, toText: () => '', is: 'other' };
export const date: ValueKind = { toJson: identity, toText: sameText, is: 'moment' };
export const timestamp: ValueKind = { toJson: isoTimestamp, toText: jsonAsText, is: 'moment' };
export const json: ValueKind = {
  toJson: parsedJson,
  toText: (_text, value) => (typeof value === 'string' ? value : JSON.stringify(value)),
  is: 'other',
};
/** This kind is for the length in bytes of content that is not read. */
export const size: ValueKind = { ...number, toText: (text) => sizeInWords(Number(text)) };

function sizeInWords(bytes: number): string {
  if (bytes < 1000) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  return bytes < 999_950 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Every number that JSON cannot hold exactly matches this expression: it has too many digits or a large exponent. */
const MAYBE_INEXACT = /[\d.]{16}|\d[eE][+-]?\d{3}/;

/**
 * Parses JSON. Throws a SourceError 'skip' when the value is nested so deep that recursive code would overflow the
 * stack.
 */
function parsedJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (isNestedDeeper(value, MAX_NESTING))
    throw new SourceError('skip', `a value is nested more than ${MAX_NESTING} deep`, {
      hint: 'Make it flatter, or leave it out.',
    });
  return storableJson(MAYBE_INEXACT.test(text) ? JSON.parse(text, exactIn) : value);
}

function exactIn(_key: string, value: unknown, { source }: { source?: string } = {}): unknown {
  return typeof value === 'number' && source !== undefined ? exactNumber(source) : value;
}

const SAFE_DIGITS = 15;

/** A double keeps 15 significant digits. A longer integer may still be exact as a double. */
function exactNumber(text: string): number | string {
  const value = Number(text);
  if (!Number.isFinite(value)) return text;
  if (String(value) === text) return value;
  const digits = text
    .replace(/e.*$/i, '')
    .replace(/[-+.]/g, '')
    .replace(/^0+/, '')
    .replace(/0+$/, '');
  const lost = value === 0 && digits !== '';
  return digits.length <= SAFE_DIGITS && !lost ? value : text;
}

function isoTimestamp(text: string): string {
  const [, day, time] =
    /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2}(?:\.\d+)?)(?:\+00)?$/.exec(text) ?? [];
  return day === undefined ? text : `${day}T${time}Z`;
}
