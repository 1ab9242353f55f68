/** Lets a person choose from a list that the service can search. */
import { listOf } from './fields.ts';
import type { Terminal } from './terminal.ts';

export interface ListedChoice {
  readonly value: string;
  readonly title: string;
  readonly description?: string | null;
}

interface List {
  readonly find: (query: string) => Promise<readonly ListedChoice[]>;
  /** If true, several values may be chosen. */
  readonly takesSeveral: boolean;
  readonly isRequired: boolean;
}

/**
 * Returns the chosen values; the list is empty when the person leaves the question open. A value that is not in the list
 * is given with `=` before it. Throws what `find` throws, and Interrupted.
 */
export async function pick(
  terminal: Terminal,
  { find, takesSeveral, isRequired }: List,
): Promise<string[]> {
  let choices = await find('');
  show(terminal, choices);
  const numbers = takesSeveral ? 'Numbers separated by commas' : 'Number';
  const open = isRequired ? '' : '; nothing leaves it open';
  for (;;) {
    const answer = await terminal.ask(`${numbers}, a part of a name to search, or =value${open}`);
    if (answer === '' && !isRequired) return [];
    if (answer === '') {
      terminal.say('A value is needed.');
      continue;
    }
    const chosen = chosenOf(answer, { choices, takesSeveral });
    if (chosen && chosen.length > 0 && (takesSeveral || chosen.length === 1)) return chosen;
    const found = await find(answer);
    if (found.length === 0) terminal.say(`Nothing contains '${answer}'.`);
    choices = found.length === 0 ? choices : found;
    show(terminal, choices);
  }
}

/** Returns undefined when the answer chooses nothing, so that it is a part of a name. */
function chosenOf(
  answer: string,
  { choices, takesSeveral }: Pick<List, 'takesSeveral'> & { choices: readonly ListedChoice[] },
): string[] | undefined {
  if (answer.startsWith('=') && answer.length > 1)
    return takesSeveral ? listOf(answer.slice(1)) : [answer.slice(1)];
  const parts = listOf(answer).map((part) => choices[Number(part) - 1]?.value);
  if (parts.every((value) => value !== undefined)) return parts;
  return choices.some(({ value }) => value === answer) ? [answer] : undefined;
}

function show(terminal: Terminal, choices: readonly ListedChoice[]): void {
  const width = String(choices.length).length;
  for (const [i, { value, title, description }] of choices.entries()) {
    const about = [title === value ? null : value, description].filter((text) => text);
    const more = about.length > 0 ? ` (${about.join('; ')})` : '';
    terminal.say(`  ${String(i + 1).padStart(width)}  ${title}${more}`);
  }
}
