/** Reads the texts of parameters and forms as values, so that schemas can check them. */
import type { JsonSchema } from './json-schema.ts';

/** Returns the text itself when the schema asks for a text, or when the text is not what the schema asks for. */
export function readValue(text: string, { type }: JsonSchema): unknown {
  const types = [type].flat();
  if (types.includes('string')) return text;
  if (types.includes('boolean') && /^(true|false)$/.test(text)) return text === 'true';
  const isNumeric = types.includes('integer') || types.includes('number');
  return isNumeric && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
