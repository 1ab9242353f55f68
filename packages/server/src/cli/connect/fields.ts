/** Turns texts that a person or a flag gives for fields of a source into values, and reads secrets from files. */
import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { buffer } from 'node:stream/consumers';
import type { SourceField } from '../../sources/schema.ts';

/** The largest JSON keys have a few kilobytes. */
const MAX_SECRET_BYTES = 64 * 1024;

export type GivenValues = Record<string, unknown>;

/** Throws an Error with a sentence when the text does not have the type of the field. */
export function fieldValue({ name, type }: SourceField, text: string): unknown {
  switch (type) {
    case 'number': {
      const number = Number(text);
      if (text.trim() === '' || !Number.isFinite(number)) throw misfit(name, text, 'a number');
      return number;
    }
    case 'boolean':
      if (/^(y|yes|true)$/i.test(text)) return true;
      if (/^(n|no|false)$/i.test(text)) return false;
      throw misfit(name, text, 'yes or no');
    case 'array':
      return text.trim().startsWith('[') ? jsonOf(name, text) : listOf(text);
    case 'object':
      return jsonOf(name, text);
    default:
      return text;
  }
}

/** Splits a list at its commas, and leaves out what is empty. */
export const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

function jsonOf(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${name} is not JSON (${(error as Error).message})`, { cause: error });
  }
}

const misfit = (name: string, text: string, wanted: string) =>
  new Error(`${name} takes ${wanted}, and '${text.slice(0, 40)}' is something else`);

/**
 * Reads a secret from a file, or from standard input for `-`. A line end at its end is left out, because editors and
 * `echo` add one. Throws an Error with a sentence that does not repeat the content.
 */
export async function secretOfFile(path: string): Promise<string> {
  const text = path === '-' ? await standardInput() : await fileText(path);
  if (text.trim() === '') throw new Error(`${path} is empty`);
  return text.replace(/\r?\n$/, '');
}

async function fileText(path: string): Promise<string> {
  const real = path.startsWith('~/') ? `${homedir()}${path.slice(1)}` : path;
  try {
    const { size } = await stat(real);
    if (size > MAX_SECRET_BYTES) throw new Error(`it has over ${MAX_SECRET_BYTES / 1024} KiB`);
    return await readFile(real, 'utf8');
  } catch (error) {
    throw new Error(`${path} cannot be read (${(error as Error).message})`, { cause: error });
  }
}

async function standardInput(): Promise<string> {
  const bytes = await buffer(process.stdin);
  if (bytes.length > MAX_SECRET_BYTES)
    throw new Error(`standard input has over ${MAX_SECRET_BYTES / 1024} KiB`);
  return bytes.toString();
}

/** Splits `field=value`. Throws an Error with a sentence for another form. */
export function assignmentOf(flag: string, text: string): [name: string, value: string] {
  const at = text.indexOf('=');
  if (at < 1) throw new Error(`${flag} takes <field>=<value>`);
  return [text.slice(0, at), text.slice(at + 1)];
}
