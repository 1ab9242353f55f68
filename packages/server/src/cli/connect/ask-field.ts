/** Asks a person for one field of a source, with what the catalog says about it. */
import type { SourceField } from '../../sources/schema.ts';
import { fieldValue, secretOfFile } from './fields.ts';
import { type ListedChoice, pick } from './pick.ts';
import type { Terminal } from './terminal.ts';

const HINTS: Readonly<Partial<Record<string, string>>> = {
  array: ', separated by commas',
  boolean: ', yes or no',
  object: ', as JSON',
};

/** Returns undefined when the person leaves an optional field out. */
export async function askField(terminal: Terminal, field: SourceField): Promise<unknown> {
  introduce(terminal, field);
  for (;;) {
    const text = await textOf(terminal, field);
    if (text === '' && !field.required) return undefined;
    if (text === '') {
      terminal.say('A value is needed.');
      continue;
    }
    try {
      if (field.file) return await secretOfFile(text);
      return field.secret ? text : fieldValue(field, text);
    } catch (error) {
      terminal.say((error as Error).message);
    }
  }
}

function textOf(terminal: Terminal, field: SourceField): Promise<string> {
  if (field.file) return terminal.ask('Path of the file');
  if (field.secret) return terminal.askSecret(field.title);
  const preset = field.default === undefined ? '' : ` [${shownDefault(field.default)}]`;
  return terminal.ask(`${field.title}${HINTS[field.type] ?? ''}${preset}`);
}

/** Shows a default in the form in which a person would type it. */
function shownDefault(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const isPlainList = Array.isArray(value) && value.every((one) => typeof one === 'string');
  return isPlainList ? value.join(', ') : JSON.stringify(value);
}

/** Returns undefined when the person chooses nothing. Throws what `find` throws. */
export async function askFromList(
  terminal: Terminal,
  field: SourceField,
  find: (query: string) => Promise<readonly ListedChoice[]>,
): Promise<unknown> {
  introduce(terminal, field);
  const takesSeveral = field.type === 'array';
  const chosen = await pick(terminal, { find, takesSeveral, isRequired: field.required });
  if (chosen.length === 0) return undefined;
  return takesSeveral ? chosen : chosen[0];
}

function introduce(terminal: Terminal, { title, description, required }: SourceField): void {
  terminal.say('', `${title}${required ? '' : ' (optional)'}`, description);
}
