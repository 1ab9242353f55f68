/** Makes one record of an entry: of its main component, and of those that differ from it at single times. */
import rrule from 'rrule';
import { z } from 'zod';
import type { Entity } from '../../model/entity.ts';
import type { Calendar } from './calendars.ts';
import { type IcsComponent, type IcsProperty, propertiesOf, propertyNamed, textOf } from './ics.ts';
import { type CalendarTime, dateOf, isoOf, spanInWords, timeInWords, timeOf } from './time.ts';

const KINDS: Readonly<Record<string, 'event' | 'task' | 'note'>> = {
  VEVENT: 'event',
  VTODO: 'task',
  VJOURNAL: 'note',
};
const MAX_PEOPLE = 500;
const MAX_EXCEPTIONS = 200;
const MAX_RULE = 500;

export const CalDavEntry = z.object({
  kind: z
    .enum(['event', 'task', 'note'])
    .meta({ title: 'Kind', description: 'event, task or note.' }),
  calendar: z.string().meta({ title: 'Calendar', description: 'Name of the calendar.' }),
  uid: z.string().meta({ title: 'UID', description: 'Id of the entry in all calendars.' }),
  start: z
    .string()
    .nullable()
    .meta({ title: 'Start', description: 'Start of the first time, in ISO 8601.' }),
  end: z
    .string()
    .nullable()
    .meta({ title: 'End', description: 'End of the first time, or the time when a task is due.' }),
  recurs: z.boolean().meta({ title: 'Recurs', description: 'Whether it happens several times.' }),
  status: z
    .string()
    .nullable()
    .meta({ title: 'Status', description: 'Such as CONFIRMED, CANCELLED or NEEDS-ACTION.' }),
  location: z.string().nullable().meta({ title: 'Location', description: 'Place of the event.' }),
  organizer: z
    .string()
    .nullable()
    .meta({ title: 'Organizer', description: 'Name or address of the organizer.' }),
  attendees: z
    .array(z.string())
    .meta({ title: 'Attendees', description: 'Names or addresses of the attendees.' }),
  categories: z.array(z.string()).meta({ title: 'Categories', description: 'Its categories.' }),
});

interface EntryPlace {
  readonly id: string;
  readonly type: string;
  readonly calendar: Calendar;
}

/** Returns null when the calendar has no component of a known kind. */
export function entityOf(
  components: readonly IcsComponent[],
  { id, type, calendar }: EntryPlace,
): Entity | null {
  const entries = components.filter(({ name }) => name in KINDS);
  const main = entries.find((one) => !propertyNamed(one, 'RECURRENCE-ID')) ?? entries[0];
  if (!main) return null;
  const others = entries.filter((one) => one !== main);
  const { start, end } = timesOf(main);
  const rule = propertyNamed(main, 'RRULE');
  const organizer = propertyNamed(main, 'ORGANIZER');
  const kind = KINDS[main.name] ?? 'event';
  return {
    id,
    type,
    name: textOf(main, 'SUMMARY') || `${kind} without a title`,
    text: textOfEntry(main, others),
    url: webAddress(textOf(main, 'URL')),
    breadcrumbs: [{ id: calendar.path, name: calendar.name, type: 'calendar' }],
    createdAt: dateOf(timeOf(propertyNamed(main, 'CREATED') ?? propertyNamed(main, 'DTSTAMP'))),
    updatedAt: dateOf(
      timeOf(propertyNamed(main, 'LAST-MODIFIED') ?? propertyNamed(main, 'DTSTAMP')),
    ),
    fields: {
      kind,
      calendar: calendar.name,
      uid: textOf(main, 'UID'),
      start: start && isoOf(start),
      end: end && isoOf(end),
      recurs: rule !== undefined || propertyNamed(main, 'RDATE') !== undefined,
      status: textOf(main, 'STATUS') || null,
      location: textOf(main, 'LOCATION') || null,
      organizer: organizer ? personOf(organizer) : null,
      attendees: propertiesOf(main, 'ATTENDEE').slice(0, MAX_PEOPLE).map(personOf),
      categories: propertiesOf(main, 'CATEGORIES').flatMap(({ value }) => listOf(value)),
    } satisfies z.infer<typeof CalDavEntry>,
  };
}

const timesOf = (component: IcsComponent) => ({
  start: timeOf(propertyNamed(component, 'DTSTART')),
  end: timeOf(propertyNamed(component, 'DTEND') ?? propertyNamed(component, 'DUE')),
});

function textOfEntry(main: IcsComponent, others: readonly IcsComponent[]): string {
  const facts = factsOf(main);
  const rule = propertyNamed(main, 'RRULE')?.value;
  if (rule !== undefined) facts.push(`- Repeats: ${ruleInWords(rule)}`);
  const except = propertiesOf(main, 'EXDATE').flatMap(timesIn).map(timeInWords);
  if (except.length > 0) facts.push(`- Except: ${cut(except).join('; ')}`);
  const also = propertiesOf(main, 'RDATE').flatMap(timesIn).map(timeInWords);
  if (also.length > 0) facts.push(`- Also: ${cut(also).join('; ')}`);
  const exceptions = cut(others).map((one) => {
    const at = timeOf(propertyNamed(one, 'RECURRENCE-ID'));
    return [`## Instead of ${at ? timeInWords(at) : 'one time'}`, ...bodyOf(one, true)].join(
      '\n\n',
    );
  });
  return [facts.join('\n'), ...bodyOf(main, false), ...exceptions].filter(Boolean).join('\n\n');
}

function bodyOf(component: IcsComponent, withFacts: boolean): string[] {
  const facts = withFacts ? [textOf(component, 'SUMMARY'), factsOf(component).join('\n')] : [];
  const notes = propertiesOf(component, 'COMMENT').map(({ value }) => value);
  return [...facts, textOf(component, 'DESCRIPTION'), ...notes].filter((one) => one !== '');
}

function factsOf(component: IcsComponent): string[] {
  const { start, end } = timesOf(component);
  const completed = timeOf(propertyNamed(component, 'COMPLETED'));
  const organizer = propertyNamed(component, 'ORGANIZER');
  const people = propertiesOf(component, 'ATTENDEE').slice(0, MAX_PEOPLE);
  const when = start ? spanInWords(start, component.name === 'VTODO' ? null : end) : '';
  const facts: [string, string][] = [
    ['When', when],
    ['Due', component.name === 'VTODO' && end ? timeInWords(end) : ''],
    ['Completed', completed ? timeInWords(completed) : ''],
    ['Where', textOf(component, 'LOCATION')],
    ['Status', textOf(component, 'STATUS').toLowerCase()],
    ['Organizer', organizer ? personOf(organizer) : ''],
    ['Attendees', people.map(attendeeOf).join(', ')],
  ];
  return facts.flatMap(([name, value]) =>
    value === '' ? [] : `- ${name}: ${value.replaceAll('\n', ', ')}`,
  );
}

const cut = <T>(items: readonly T[]): readonly T[] => items.slice(0, MAX_EXCEPTIONS);

const timesIn = ({ name, parameters, value }: IcsProperty): CalendarTime[] =>
  value
    .split(',', MAX_EXCEPTIONS)
    .flatMap((one) => timeOf({ name, parameters, value: one.split('/')[0] ?? '' }) ?? []);

/** The library only reads and describes the rule here; it computes no times. */
function ruleInWords(rule: string): string {
  if (rule.length > MAX_RULE) return 'by a long rule';
  try {
    return new rrule.RRule(rrule.RRule.parseString(rule)).toText();
  } catch {
    // A rule that the library cannot read is shown as it stands.
    return rule;
  }
}

const personOf = ({ parameters, value }: IcsProperty): string =>
  parameters.get('CN')?.trim() || value.replace(/^mailto:/i, '').trim();

function attendeeOf(property: IcsProperty): string {
  const state = property.parameters.get('PARTSTAT')?.toLowerCase();
  const isTold = state !== undefined && state !== 'needs-action';
  return `${personOf(property)}${isTold ? ` (${state})` : ''}`;
}

const listOf = (value: string): string[] =>
  value
    .split(/(?<!\\),/)
    .map((one) => one.replaceAll('\\,', ',').trim())
    .filter((one) => one !== '');

const webAddress = (text: string): string | undefined =>
  /^https?:\/\//i.test(text) ? text : undefined;
