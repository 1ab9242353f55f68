/**
 * From PostgreSQL's text notation to JSON, by type.
 *
 * A number stays a number only where JSON's is exact; what JSON has no form for stays text. Timestamps
 * become ISO 8601 in UTC (the session's time zone is UTC; one without a zone is taken as UTC) with all
 * their digits; 'infinity' and years of more than four digits or BC stay as PostgreSQL writes them.
 */
import { SourceError } from '../../errors.ts';
import { isNestedDeeper, MAX_NESTING } from '../../model/entity-limits.ts';
import { storableJson } from '../../model/storable.ts';

/** How values of a type are read, and whether people search for what they say. */
export interface Kind {
  readonly toJson: (text: string) => unknown;
  readonly searchable: boolean;
  readonly moment: boolean;
}

/** An element of an array is cast to text, which writes booleans out. */
const boolean = kind((text) => text === 't' || text === 'true');
const number = kind(exactNumber);
const plain = kind(identity);
const words = kind(identity, { searchable: true });
const timestamp = kind(isoTimestamp, { moment: true });
const date = kind(identity, { moment: true });
const json = kind(parsedJson, { searchable: true });

const KINDS: Readonly<Record<string, Kind>> = {
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
  bpchar: kind((text) => text.trimEnd(), { searchable: true }),
};

/** `isEnum`: values of it are words, whatever the type's name. */
export const kindOf = (typeName: string, isEnum: boolean): Kind =>
  isEnum ? words : ((Object.hasOwn(KINDS, typeName) ? KINDS[typeName] : undefined) ?? plain);

/** Of the JSON array (of arrays) of texts that `to_json(x::text[])` gives. */
export const arrayOf = (element: Kind): Kind => {
  const convert = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(convert);
    return typeof value === 'string' ? element.toJson(value) : null;
  };
  return kind((text) => convert(JSON.parse(text)), { searchable: element.searchable });
};

/** How many bytes or elements there are, of what is not taken in. */
export const count: Kind = number;

function kind(
  toJson: Kind['toJson'],
  options: { searchable?: boolean; moment?: boolean } = {},
): Kind {
  return { toJson, searchable: options.searchable ?? false, moment: options.moment ?? false };
}

function identity(text: string): string {
  return text;
}

/** What a number must have that is not exact: more digits than are safe, or a great exponent. */
const MAYBE_INEXACT = /[\d.]{16}|\d[eE][+-]?\d{3}/;

/**
 * Of type json, unlike jsonb, may hold what no text can. Throws a SourceError 'skip' for what is nested so
 * deep that no stack is enough to look at it.
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

/** 15 significant digits survive a double. A longer integer may still be one exactly. */
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
