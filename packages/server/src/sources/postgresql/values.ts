/**
 * Turns PostgreSQL's text notation into JSON, by type. 'infinity', years of more than four digits and years BC stay as
 * PostgreSQL writes them.
 */
import {
  date,
  json,
  jsonAsText,
  machineReadable,
  number,
  other,
  timestamp,
  type ValueKind,
  words,
} from '../sql/kinds.ts';

/**
 * PostgreSQL writes booleans as t and f, but as words when they are elements of an array, because those are cast to
 * text.
 */
const boolean: ValueKind = {
  toJson: (text) => text === 't' || text === 'true',
  toText: jsonAsText,
  is: 'flag',
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

/** This kind is for the number of elements in an array whose contents are not read. */
export const count: ValueKind = {
  ...number,
  toText: (text) => (text === '1' ? '1 value' : `${text} values`),
};
