/** Finds the components of calendars (RFC 5545) and lists of contacts (RFC 6350), and reads their properties. */
import { type IcsProperty, propertiesIn, unescaped } from './lines.ts';

/** These are the limits of one entry of a calendar. */
const MAX_LINES = 100_000;
const MAX_COMPONENTS = 2000;
const MAX_DEPTH = 4;
const MAX_PROPERTIES = 20_000;

export interface IcsComponent {
  /** This is in upper case, such as `VEVENT`. */
  readonly name: string;
  /** A calendar is on level 1, and its entries are on level 2. */
  readonly level: number;
  readonly properties: readonly IcsProperty[];
}

/** Returns the components in the calendar. Those inside of them, such as alarms and the rules of zones, are left out. */
export function readCalendar(text: string): IcsComponent[] {
  const components: IcsComponent[] = [];
  for (const component of componentsIn(text, MAX_LINES))
    if (component.level === 2 && components.length < MAX_COMPONENTS) components.push(component);
  return components;
}

/** These stand in a calendar, and never in one another. */
const ENTRIES = /^V(?:EVENT|TODO|JOURNAL|FREEBUSY|TIMEZONE)$/;

interface OpenComponent {
  readonly name: string;
  readonly properties: IcsProperty[];
}

/**
 * Yields the components of the first two levels when they end, so that one is in memory at a time. A component whose end
 * is missing ends where its parent ends, where the next one of its kind begins, or with the text.
 */
export function* componentsIn(
  text: string,
  maxLines = Number.POSITIVE_INFINITY,
): Generator<IcsComponent> {
  const open: OpenComponent[] = [];
  for (const property of propertiesIn(text, maxLines)) {
    const named = property.value.trim().toUpperCase();
    if (property.name === 'BEGIN') {
      yield* withoutEnd(open, levelOfNext(named, open));
      if (open.length < MAX_DEPTH) open.push({ name: named, properties: [] });
    } else if (property.name === 'END') {
      const level = open.findLastIndex(({ name }) => name === named) + 1;
      if (level === 0) continue;
      yield* withoutEnd(open, level + 1);
      const closed = open.pop();
      if (closed && level <= 2) yield { ...closed, level };
    } else if (open.length <= 2) addTo(open.at(-1)?.properties, property);
  }
  yield* withoutEnd(open, 1);
}

/** Returns the level of a component that begins here. All that are open on this level and below have no end. */
function levelOfNext(name: string, open: readonly OpenComponent[]): number {
  // The value of this property is a card (vCard 2.1).
  if (open.at(-1)?.properties.at(-1)?.name === 'AGENT') return open.length + 1;
  const same = open.findIndex((one) => one.name === name);
  if (same !== -1) return same + 1;
  return ENTRIES.test(name) && open.length > 1 ? 2 : open.length + 1;
}

/** Closes the components from this level on, and yields those of the first two levels that have a content. */
function* withoutEnd(open: OpenComponent[], from: number): Generator<IcsComponent> {
  for (const [index, closed] of [...open.splice(from - 1).entries()].toReversed()) {
    const level = from + index;
    if (level <= 2 && closed.properties.length > 0) yield { ...closed, level };
  }
}

function addTo(properties: IcsProperty[] | undefined, property: IcsProperty): void {
  if (properties && properties.length < MAX_PROPERTIES) properties.push(property);
}

export const propertiesOf = ({ properties }: IcsComponent, name: string): IcsProperty[] =>
  properties.filter((one) => one.name === name);

export const propertyNamed = (component: IcsComponent, name: string): IcsProperty | undefined =>
  component.properties.find((one) => one.name === name);

/** Returns the text of a property without escapes, or '' when the component has no such property. */
export const textOf = (component: IcsComponent, name: string): string =>
  unescaped(propertyNamed(component, name)?.value ?? '');
