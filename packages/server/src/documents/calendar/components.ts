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

/** Yields the components of the first two levels when they end, so that one is in memory at a time. */
export function* componentsIn(
  text: string,
  maxLines = Number.POSITIVE_INFINITY,
): Generator<IcsComponent> {
  const open: { name: string; properties: IcsProperty[] }[] = [];
  for (const property of propertiesIn(text, maxLines)) {
    const { name, value } = property;
    if (name === 'BEGIN') {
      if (open.length < MAX_DEPTH) open.push({ name: value.trim().toUpperCase(), properties: [] });
    } else if (name === 'END') {
      if (open.at(-1)?.name !== value.trim().toUpperCase()) continue;
      const level = open.length;
      const closed = open.pop();
      if (closed && level <= 2) yield { ...closed, level };
    } else if (open.length <= 2) addTo(open.at(-1)?.properties, property);
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
