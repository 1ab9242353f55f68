/**
 * Turns PostgreSQL's text notation into JSON, by type.
 *
 * A number stays a number only when it is exact in JSON; a value for which JSON has no form stays a
 * text. Timestamps become ISO 8601 in UTC with all their digits (the time zone of the session is UTC,
 * and a timestamp without a zone counts as UTC). 'infinity', years of more than four digits and years BC
 * stay as PostgreSQL writes them.
 */
import { SourceError } from '../../errors.ts';
import { isNestedDeeper, MAX_NESTING } from '../../model/entity-limits.ts';
import { storableJson } from '../../model/storable.ts';

/** A kind says how values of a type are read. */
export interface ValueKind {
  readonly toJson: (text: string) => unknown;
  /**
   * Returns the value as the text of a row has it, or '' when people do not read it.
   * `json` comes from toJson, not null.
   */
  readonly toText: (text: string, json: unknown) => string;
  readonly is: 'words' | 'number' | 'flag' | 'moment' | 'other';
}

const asWritten: ValueKind['toText'] = (text) => text;
const asRead: ValueKind['toText'] = (_text, json) => String(json);

const number: ValueKind = { toJson: exactNumber, toText: asWritten, is: 'number' };
const words: ValueKind = { toJson: identity, toText: asWritten, is: 'words' };
const other: ValueKind = { toJson: identity, toText: asWritten, is: 'other' };
/** A value of this kind is made for machines: people find nothing by it, and it is long. */
const machine: ValueKind = { toJson: identity, toText: () => '', is: 'other' };
const date: ValueKind = { toJson: identity, toText: asWritten, is: 'moment' };
const timestamp: ValueKind = { toJson: isoTimestamp, toText: asRead, is: 'moment' };
/** An element of an array is cast to text, which writes booleans as words. */
const boolean: ValueKind = {
  toJson: (text) => text === 't' || text === 'true',
  toText: asRead,
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
  // Blanks at the end are padding.
  bpchar: { ...words, toJson: (text) => text.trimEnd() },
  tsvector: machine,
  tsquery: machine,
  // These are types of pgvector, and of PostGIS, whose text is hexadecimal.
  vector: machine,
  halfvec: machine,
  sparsevec: machine,
  geometry: machine,
  geography: machine,
  raster: machine,
};

/** Values of an enum are words, whatever the name of the type is. */
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
    toText: (_text, value) => (element === machine ? '' : listed(value)),
    is: 'other',
  };
};

/** A list of lists is written as JSON, because commas alone would not say where a list ends. */
function listed(value: unknown): string {
  const elements = Array.isArray(value) ? value.filter((one) => one !== null) : [];
  return elements.some((one) => typeof one === 'object')
    ? JSON.stringify(value)
    : elements.join(', ');
}

/** The value is the number of bytes of a content that is not taken in. */
export const size: ValueKind = { ...number, toText: (text) => sizeInWords(Number(text)) };
/** The value is the number of such contents. */
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

/** Every number that is not exact matches this: it has more digits than are safe, or a great exponent. */
const MAYBE_INEXACT = /[\d.]{16}|\d[eE][+-]?\d{3}/;

/**
 * A value of type json, unlike jsonb, may hold characters that no text can hold. Throws a SourceError 'skip' for a
 * value that is nested so deep that no stack is enough to look at it.
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
