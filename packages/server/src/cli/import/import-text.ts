/** Shows an import to people and to programs: the plan, the results, and what is left for a person to do. */

import { counted } from '#quarry-text/numbers';
import { EVENT_TYPES } from '../../events/types.ts';
import { plain } from '../live-line.ts';
import type { StepResult } from './carry-out.ts';
import type { ImportedThing, ImportStep, MadeAnswer } from './steps.ts';

const NOUNS: Readonly<Record<ImportedThing['kind'], string>> = {
  collection: 'collection',
  source_connection: 'connection',
  webhook: 'webhook',
};

const HEADINGS: readonly (readonly [ImportStep['action'], string])[] = [
  ['make', 'Will be made:'],
  ['exists', 'Is in Quarry already, and is left alone:'],
  ['by_hand', 'Is for you to make, because only you have the secret:'],
  ['impossible', 'Cannot be imported:'],
];

export function planText(steps: readonly ImportStep[]): string {
  const groups = Map.groupBy(steps, ({ action }) => action);
  return linesOf(
    HEADINGS.flatMap(([action, heading]) => {
      const some = groups.get(action) ?? [];
      return some.length === 0 ? [] : [heading, ...some.flatMap(stepLines), ''];
    }),
  );
}

const stepLines = ({ thing, notes }: ImportStep): string[] => [
  `  ${NOUNS[thing.kind]} ${titleOf(thing)}`,
  ...notes.map((note) => `    ${note}`),
];

function titleOf(thing: ImportedThing): string {
  switch (thing.kind) {
    case 'collection':
      return `${thing.readable_id} '${thing.name}'`;
    case 'source_connection':
      return `'${thing.name}' (${thing.short_name}) in ${thing.readable_collection_id}`;
    case 'webhook':
      return `${thing.url} (${eventsText(thing.event_types)})`;
  }
}

function eventsText(types: readonly string[]): string {
  if (types.length === EVENT_TYPES.length) return 'all events';
  return types.join(', ') || 'no event of Quarry';
}

/** Returns for example `2 collections and 1 webhook`, and an empty text when nothing is to be made. */
export function toMakeText(steps: readonly ImportStep[]): string {
  const made = Map.groupBy(
    steps.filter(({ action }) => action === 'make'),
    ({ thing }) => thing.kind,
  );
  const parts = [...made].map(([kind, some]) => counted(some.length, NOUNS[kind]));
  return new Intl.ListFormat('en').format(parts);
}

/** Returns a line for what was made or has failed, and an empty text for the rest, which the plan has shown. */
export function resultText(result: StepResult): string {
  const { step, outcome } = result;
  const what = `the ${NOUNS[step.thing.kind]} ${titleOf(step.thing)}`;
  if (outcome === 'failed') return linesOf([`failed: ${what}: ${result.reason}`]);
  return outcome === 'made' ? linesOf([`made ${what}`]) : '';
}

/** Returns what a person has to do after the import, and an empty text when that is nothing. */
export function leftText(results: readonly StepResult[], address: string): string {
  const left = results.map((result) => ({
    title: titleOf(result.step.thing),
    ...leftOf(result, address),
  }));
  const list = (key: keyof LeftToDo, ...heading: string[]) => {
    const lines = left.flatMap((one) =>
      one[key] === undefined ? [] : [`  ${one.title}`, `    ${one[key]}`],
    );
    return lines.length === 0 ? [] : ['', ...heading, ...lines];
  };
  return linesOf([
    ...list(
      'sign_in_page',
      'Sign in again, on the page of each connection. Its first sync starts then:',
    ),
    ...list('command', 'Connect, at a terminal. The command asks for the secret:'),
    ...list(
      'secret_page',
      'Give each receiver the secret with which Quarry signs, which differs from the one of Airweave.',
      'The page of the webhook shows it, and until then deliveries are repeated for about 17 hours:',
    ),
  ]);
}

/** Returns each result for programs, without anything secret. */
export const resultsData = (results: readonly StepResult[], address: string) =>
  results.map((result) => ({
    ...result.step.thing,
    outcome: result.outcome,
    notes: [...result.step.notes, ...(result.outcome === 'failed' ? [result.reason] : [])],
    ...leftOf(result, address),
  }));

interface LeftToDo {
  /** The page of a connection on which a person signs in. */
  readonly sign_in_page?: string;
  /** The page of a webhook that shows its secret. */
  readonly secret_page?: string;
  readonly command?: string;
}

function leftOf(result: StepResult, address: string): LeftToDo {
  if (result.step.action === 'by_hand') return { command: result.step.command };
  if (result.outcome !== 'made' && result.outcome !== 'exists') return {};
  return result.step.thing.kind === 'webhook'
    ? { secret_page: `${address}/webhooks/${result.answer.id}` }
    : signInOf(result.answer, address);
}

const signInOf = ({ id, auth, readable_collection_id }: MadeAnswer, address: string): LeftToDo =>
  auth?.authenticated === false
    ? { sign_in_page: `${address}/collections/${readable_collection_id}/connections/${id}` }
    : {};

/** Names come from another service, so they may contain characters that control a terminal. */
const linesOf = (lines: readonly string[]): string =>
  lines.map((line) => `${plain(line)}\n`).join('');
