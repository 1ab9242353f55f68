/** Writes the entries of calendars (RFC 5545) for people: events, tasks and notes. */
import rrule from 'rrule';
import { plainToMarkdown } from '../mail/plain-body.ts';
import { type IcsComponent, propertiesOf, propertyNamed, textOf } from './components.ts';
import { type IcsProperty, unescaped } from './lines.ts';
import { type CalendarTime, spanInWords, timeAfter, timeInWords, timeOf } from './time.ts';

export const ENTRY_KINDS: Readonly<Record<string, 'event' | 'task' | 'note'>> = {
  VEVENT: 'event',
  VTODO: 'task',
  VJOURNAL: 'note',
};
export const MAX_PEOPLE = 500;
/** Only this many times and exceptions of one entry are written. */
export const MAX_TIMES = 200;
const MAX_RULE = 500;

export const isEntry = ({ name }: IcsComponent): boolean => Object.hasOwn(ENTRY_KINDS, name);

export const titleOf = (entry: IcsComponent): string =>
  textOf(entry, 'SUMMARY') || `${ENTRY_KINDS[entry.name] ?? 'event'} without a title`;

/** The times of an entry are null when it has none. A task has the time when it is due as its end. */
export function timesOf(entry: IcsComponent) {
  const start = timeOf(propertyNamed(entry, 'DTSTART'));
  const end = timeOf(propertyNamed(entry, 'DTEND') ?? propertyNamed(entry, 'DUE'));
  return { start, end: end ?? (start && timeAfter(start, textOf(entry, 'DURATION'))) };
}

/** Returns the facts as a list, then the description, without the title. */
export function textOfEntry(entry: IcsComponent): string {
  const facts = [...factsOf(entry), ...recurrenceOf(entry)];
  return [facts.join('\n'), ...notesOf(entry)].filter((one) => one !== '').join('\n\n');
}

/** Returns how an entry repeats. Times are written, and never computed. */
function recurrenceOf(entry: IcsComponent): string[] {
  const rule = propertyNamed(entry, 'RRULE')?.value;
  const except = propertiesOf(entry, 'EXDATE').flatMap(timesIn).map(timeInWords);
  const also = propertiesOf(entry, 'RDATE').flatMap(timesIn).map(timeInWords);
  return [
    ...(rule === undefined ? [] : [`- Repeats: ${ruleInWords(rule)}`]),
    ...(except.length === 0 ? [] : [`- Except: ${except.slice(0, MAX_TIMES).join('; ')}`]),
    ...(also.length === 0 ? [] : [`- Also: ${also.slice(0, MAX_TIMES).join('; ')}`]),
  ];
}

/** Returns the description and the comments of an entry. */
export const notesOf = (entry: IcsComponent): string[] =>
  [
    textOf(entry, 'DESCRIPTION'),
    ...propertiesOf(entry, 'COMMENT').map(({ value }) => unescaped(value)),
  ]
    .map(plainToMarkdown)
    .filter((one) => one !== '');

/** Returns the time, the place, the state and the people of an entry as items of a list. */
export function factsOf(entry: IcsComponent): string[] {
  const { start, end } = timesOf(entry);
  const isTask = entry.name === 'VTODO';
  const completed = timeOf(propertyNamed(entry, 'COMPLETED'));
  const organizer = propertyNamed(entry, 'ORGANIZER');
  const people = propertiesOf(entry, 'ATTENDEE').slice(0, MAX_PEOPLE);
  return listOfFacts([
    ['When', start ? spanInWords(start, isTask ? null : end) : ''],
    ['Due', isTask && end ? timeInWords(end) : ''],
    ['Completed', completed ? timeInWords(completed) : ''],
    ['Where', textOf(entry, 'LOCATION')],
    ['Status', textOf(entry, 'STATUS').toLowerCase()],
    ['Organizer', organizer ? personOf(organizer) : ''],
    ['Attendees', people.map(attendeeOf).join(', ')],
  ]);
}

/** Returns an item of a list for each fact that has a value. */
export const listOfFacts = (facts: readonly (readonly [string, string])[]): string[] =>
  facts.flatMap(([name, value]) =>
    value === '' ? [] : `- ${name}: ${value.replaceAll(/\s*\n\s*/g, ', ')}`,
  );

const timesIn = ({ name, parameters, value }: IcsProperty): CalendarTime[] =>
  value
    .split(',', MAX_TIMES)
    .flatMap((one) => timeOf({ name, parameters, value: one.split('/')[0] ?? '' }) ?? []);

/** The library leaves these parts of a rule out of its words. */
const WITHOUT_WORDS = /\bBY(?:SETPOS|MINUTE|SECOND)=/i;

/** The library only reads and describes the rule here; it computes no times. */
function ruleInWords(rule: string): string {
  if (rule.length > MAX_RULE) return 'by a long rule';
  if (WITHOUT_WORDS.test(rule)) return rule;
  try {
    const read = new rrule.RRule(rrule.RRule.parseString(rule));
    return read.isFullyConvertibleToText() ? read.toText() : rule;
  } catch {
    // A rule that the library cannot read is shown as it stands.
    return rule;
  }
}

/** Returns the name of a person, or else the address. */
export const personOf = ({ parameters, value }: IcsProperty): string =>
  parameters.get('CN')?.trim() || value.replace(/^mailto:/i, '').trim();

function attendeeOf(property: IcsProperty): string {
  const state = property.parameters.get('PARTSTAT')?.toLowerCase();
  const isTold = state !== undefined && state !== 'needs-action';
  return `${personOf(property)}${isTold ? ` (${state})` : ''}`;
}
