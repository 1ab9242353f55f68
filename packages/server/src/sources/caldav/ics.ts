/**
 * Reads the form of iCalendar (RFC 5545): lines that may be folded, with parameters, in components. A text of any form
 * is read: lines that are not of this form are left out, and sizes are limited. A library is not used, because those that
 * exist refuse a whole calendar for one bad date, evaluate recurrences, or have a license that this project does not
 * take.
 */

const MAX_LINES = 100_000;
const MAX_COMPONENTS = 2000;
const MAX_VALUE = 200_000;
const MAX_DEPTH = 4;

export interface IcsProperty {
  readonly name: string;
  readonly parameters: ReadonlyMap<string, string>;
  /** The value is as it stands in the file; `textOf` takes the escapes out. */
  readonly value: string;
}

export interface IcsComponent {
  readonly name: string;
  readonly properties: readonly IcsProperty[];
}

/** Returns the components in the calendar. Those inside of them, such as alarms and the rules of zones, are left out. */
export function readCalendar(text: string): IcsComponent[] {
  const components: IcsComponent[] = [];
  const open: { name: string; properties: IcsProperty[] }[] = [];
  for (const line of unfolded(text)) {
    const property = propertyOf(line);
    if (!property) continue;
    const { name, value } = property;
    if (name === 'BEGIN') {
      if (open.length < MAX_DEPTH) open.push({ name: value.trim().toUpperCase(), properties: [] });
    } else if (name === 'END') {
      if (open.at(-1)?.name !== value.trim().toUpperCase()) continue;
      const closed = open.pop();
      if (closed && open.length === 1 && components.length < MAX_COMPONENTS)
        components.push(closed);
    } else if (open.length <= 2) open.at(-1)?.properties.push(property);
  }
  return components;
}

/** A line that begins with a blank continues the line before it. */
function* unfolded(text: string): Generator<string> {
  let line = '';
  let lines = 0;
  for (const { 0: piece } of text.matchAll(/[^\r\n]+/g)) {
    if (++lines > MAX_LINES) break;
    if (piece.startsWith(' ') || piece.startsWith('\t')) {
      if (line.length < MAX_VALUE) line += piece.slice(1);
      continue;
    }
    if (line !== '') yield line;
    line = piece.slice(0, MAX_VALUE);
  }
  if (line !== '') yield line;
}

const NAME = /^([A-Za-z0-9-]{1,100})(?=[;:])/;
/** The value of a parameter may stand in quotes, and only then have these marks in it. */
const PARAMETER = /;([A-Za-z0-9-]{1,100})=((?:"[^"]*"|[^";:,]*)(?:,(?:"[^"]*"|[^";:,]*))*)/y;

function propertyOf(line: string): IcsProperty | null {
  const name = NAME.exec(line)?.[1];
  if (name === undefined) return null;
  const parameters = new Map<string, string>();
  let at = name.length;
  for (;;) {
    PARAMETER.lastIndex = at;
    const found = PARAMETER.exec(line);
    if (!found) break;
    parameters.set((found[1] ?? '').toUpperCase(), (found[2] ?? '').replaceAll('"', ''));
    at = PARAMETER.lastIndex;
  }
  return line[at] === ':'
    ? { name: name.toUpperCase(), parameters, value: line.slice(at + 1) }
    : null;
}

export const propertiesOf = ({ properties }: IcsComponent, name: string): IcsProperty[] =>
  properties.filter((one) => one.name === name);

export const propertyNamed = (component: IcsComponent, name: string): IcsProperty | undefined =>
  component.properties.find((one) => one.name === name);

/** Returns the text of a property without escapes, or '' when the component has no such property. */
export const textOf = (component: IcsComponent, name: string): string =>
  unescaped(propertyNamed(component, name)?.value ?? '');

const unescaped = (value: string): string =>
  value
    .replaceAll(/\\([\\;,nN])/g, (_, mark: string) => (mark.toLowerCase() === 'n' ? '\n' : mark))
    .trim();
