/** Changes what a person types in the form of a source into the values of the API, and back. */
import type { Schemas } from '../api/client.ts';

type SourceField = Schemas['SourceField'];
/** A form holds texts as they are typed. */
export type FieldTexts = Readonly<Record<string, string>>;

/** Returns what the form shows for stored or default values. */
export function textsOfValues(
  fields: readonly SourceField[],
  values: Record<string, unknown>,
): FieldTexts {
  return Object.fromEntries(
    fields.map((field) => [field.name, textOf(field, values[field.name] ?? field.default)]),
  );
}

function textOf({ type }: SourceField, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (type === 'array' && Array.isArray(value) && value.every((one) => typeof one === 'string'))
    return value.join('\n');
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** "Yes", "a, b" or "/home/ann/notes" for a stored value; empty when there is none. */
export function wordsOfValue(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (Array.isArray(value)) return value.map(wordsOfValue).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** An entry that cannot be read as a value of its type. */
export class Unreadable extends Error {
  readonly field: string;
  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/** Returns the values for the API, without what was left empty. Throws Unreadable. */
export function valuesOf(
  fields: readonly SourceField[],
  typed: FieldTexts,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    const text = typed[field.name] ?? '';
    if (text.trim() !== '') values[field.name] = readValue(field, text);
  }
  return values;
}

function readValue({ name, title, type }: SourceField, text: string): unknown {
  switch (type) {
    case 'number': {
      const value = Number(text);
      if (!Number.isFinite(value)) throw new Unreadable(name, `${title} is a number.`);
      return value;
    }
    case 'boolean':
      return text === 'true';
    case 'object':
      return parsed(name, text);
    case 'array':
      // Lists of texts have one entry a line; lists of objects are written as JSON.
      if (text.trimStart().startsWith('[')) return parsed(name, text);
      return text.split('\n').flatMap((line) => line.trim() || []);
    default:
      return text;
  }
}

function parsed(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Unreadable(
      name,
      'This is not JSON: a bracket, a comma or a quotation mark is missing.',
    );
  }
}
