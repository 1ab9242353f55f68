/**
 * Turns PostgreSQL's text notation into JSON, by type.
 *
 * A number becomes a number of JSON only when that is exact, and otherwise stays text, as do values for which JSON has
 * no form. Timestamps become ISO 8601 in UTC with all their digits (the time zone of the session is UTC, and a timestamp
 * without a zone counts as UTC). 'infinity', years of more than four digits and years BC stay as PostgreSQL writes them.
 */
import { SourceError } from '../../errors.ts';
import { isNestedDeeper, MAX_NESTING } from '../../model/entity-limits.ts';
import { storableJson } from '../../model/storable.ts';

/** A kind describes how the values of a type are converted. */
export interface ValueKind {
  readonly toJson: (text: string) => unknown;
  /**
   * Returns the value for the text of a row, or '' when people cannot read it. `json` is the result of toJson and not
   * null.
   */
  readonly toText: (text: string, json: unknown) => string;
  readonly is: 'words' | 'number' | 'flag' | 'moment' | 'other';
}

const sameText: ValueKind['toText'] = (text) => text;
const jsonAsText: ValueKind['toText'] = (_text, json) => String(json);

const number: ValueKind = { toJson: exactNumber, toText: sameText, is: 'number' };
const words: ValueKind = { toJson: identity, toText: sameText, is: 'words' };
const other: ValueKind = { toJson: identity, toText: sameText, is: 'other' };
/** Values of this kind, such as vectors, are long and useless for people, so they are not in the text of a row. */
const machineReadable: ValueKind = { toJson: identity, toText: () => '', is: 'other' };
const date: ValueKind = { toJson: identity, toText: sameText, is: 'moment' };
const timestamp: ValueKind = { toJson: isoTimestamp, toText: jsonAsText, is: 'moment' };
/**
 * PostgreSQL writes booleans as t and f, but as words when they are elements of an array, because those are cast to
 * text.
 */
const boolean: ValueKind = {
  toJson: (text) => text === 't' || text === 'true',
  toText: jsonAsText,
  is: 'flag',
};
const json: ValueKind = {
  toJson: parsedJson,
  toText: (_text, value) => (typeof value === 'string' ? value : JSON.stringify(value)),
  is: 'other',
};

const KINDS: Readonly<Record<string, ValueKind>> = {
  bool: boolean,
  int2: number,
  int4: number,
  int8: number,
  oid: number,
  numeric: number,
  float4: number,
  float8: number,
  date,
  timestamp,
  timestamptz: timestamp,
  json,
  jsonb: json,
  text: words,
  varchar: words,
  name: words,
  citext: words,
  xml: words,
  // Spaces at the end are padding.
  bpchar: { ...words, toJson: (text) => text.trimEnd() },
  tsvector: machineReadable,
  tsquery: machineReadable,
  // These are types of pgvector and of PostGIS.
  vector: machineReadable,
  halfvec: machineReadable,
  sparsevec: machineReadable,
  geometry: machineReadable,
  geography: machineReadable,
  raster: machineReadable,
};

/** The values of an enum are words, even when its type has the name of a known type. */
export const kindOf = (typeName: string, isEnum: boolean): ValueKind =>
  isEnum ? words : ((Object.hasOwn(KINDS, typeName) ? KINDS[typeName] : undefined) ?? other);

/** Reads the JSON array (of arrays) of texts that `to_json(x::text[])` gives. */
export const arrayOf = (element: ValueKind): ValueKind => {
  const convert = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(convert);
    return typeof value === 'string' ? element.toJson(value) : null;
  };
  return {
    toJson: (text) => convert(JSON.parse(text)),
    toText: (_text, value) => (element === machineReadable ? '' : listed(value)),
    is: 'other',
  };
};

/** A list of lists is written as JSON, because commas alone do not show where an inner list ends. */
function listed(value: unknown): string {
  const elements = Array.isArray(value) ? value.filter((one) => one !== null) : [];
  return elements.some((one) => typeof one === 'object')
    ? JSON.stringify(value)
    : elements.join(', ');
}

/** This kind is for the length in bytes of content that is not read. */
export const size: ValueKind = { ...number, toText: (text) => sizeInWords(Number(text)) };
/** This kind is for the number of elements in an array whose contents are not read. */
export const count: ValueKind = {
  ...number,
  toText: (text) => (text === '1' ? '1 value' : `${text} values`),
};

function sizeInWords(bytes: number): string {
  if (bytes < 1000) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  return bytes < 999_950 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function identity(text: string): string {
  return text;
}

/** Every number that JSON cannot hold exactly matches this expression: it has too many digits or a large exponent. */
const MAYBE_INEXACT = /[\d.]{16}|\d[eE][+-]?\d{3}/;

/**
 * Parses a value of json or jsonb. Throws a SourceError 'skip' when the value is nested so deep that recursive code
 * would overflow the stack.
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
