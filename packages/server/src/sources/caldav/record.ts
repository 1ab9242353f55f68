/** Makes one record of an entry: of its main component, and of those that differ from it at single times. */
import { z } from 'zod';
import {
  type IcsComponent,
  propertiesOf,
  propertyNamed,
  textOf,
} from '../../documents/calendar/components.ts';
import {
  ENTRY_KINDS,
  factsOf,
  isEntry,
  MAX_PEOPLE,
  MAX_TIMES,
  notesOf,
  personOf,
  textOfEntry,
  timesOf,
  titleOf,
} from '../../documents/calendar/entry.ts';
import { partsOfValue } from '../../documents/calendar/lines.ts';
import { dateOf, isoOf, timeInWords, timeOf } from '../../documents/calendar/time.ts';
import type { Entity } from '../../model/entity.ts';
import type { Calendar } from './calendars.ts';

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
  const entries = components.filter(isEntry);
  const main = entries.find((one) => !propertyNamed(one, 'RECURRENCE-ID')) ?? entries[0];
  if (!main) return null;
  const others = entries.filter((one) => one !== main);
  const { start, end } = timesOf(main);
  const rule = propertyNamed(main, 'RRULE');
  const organizer = propertyNamed(main, 'ORGANIZER');
  const kind = ENTRY_KINDS[main.name] ?? 'event';
  return {
    id,
    type,
    name: titleOf(main),
    text: [textOfEntry(main), ...others.slice(0, MAX_TIMES).map(exceptionOf)]
      .filter((one) => one !== '')
      .join('\n\n'),
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
      categories: propertiesOf(main, 'CATEGORIES').flatMap(({ value }) =>
        partsOfValue(value, ',').filter((one) => one !== ''),
      ),
    } satisfies z.infer<typeof CalDavEntry>,
  };
}

/** Returns the text of a component that stands in for one time of the entry. */
function exceptionOf(component: IcsComponent): string {
  const at = timeOf(propertyNamed(component, 'RECURRENCE-ID'));
  return [
    `## Instead of ${at ? timeInWords(at) : 'one time'}`,
    textOf(component, 'SUMMARY'),
    factsOf(component).join('\n'),
    ...notesOf(component),
  ]
    .filter((one) => one !== '')
    .join('\n\n');
}

const webAddress = (text: string): string | undefined =>
  /^https?:\/\//i.test(text) ? text : undefined;
