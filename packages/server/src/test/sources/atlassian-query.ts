/** The words and times of Atlassian's query languages, JQL and CQL. */

export class QueryRefusal extends Error {}
export const refuseQuery = (message: string): never => {
  throw new QueryRefusal(message);
};

const TOKENS = /\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|>=|<=|!=|[(),=<>]|[^\s(),=<>!"']+)/gy;
const UNITS: Readonly<Record<string, number>> = { m: 1, h: 60, d: 1440, w: 10_080 };
export const COMPARES: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '=': (a, b) => a === b,
  '!=': (a, b) => a !== b,
};

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns how far local time is ahead of UTC, in milliseconds. */
export function offsetAt(at: number, timeZone: string): number {
  const parts =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  formats.set(timeZone, parts);
  const name = parts.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign = '+', hours = '0', minutes = '0'] = /([+-])(\d+):(\d+)/.exec(name) ?? [];
  return Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** Throws a QueryRefusal when the text is neither a time of minutes nor a period. `now` is in milliseconds since 1970. */
export function instantOf(
  field: string,
  text: string,
  { timeZone, now }: { readonly timeZone: string; readonly now: number },
): number {
  const [, sign, count, unit = ''] = /^([+-]?)(\d+)([mhdw])$/.exec(text) ?? [];
  if (count !== undefined)
    return now + (sign === '-' ? -1 : 1) * Number(count) * (UNITS[unit] ?? 0) * 60_000;
  const [, year, month, day, hour = '00', minute = '00'] =
    /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?: (\d{1,2}):(\d{2}))?$/.exec(text) ?? [];
  const pad = (part = '') => part.padStart(2, '0');
  const wall = Date.parse(`${year}-${pad(month)}-${pad(day)}T${pad(hour)}:${minute}Z`);
  if (Number.isNaN(wall))
    refuseQuery(
      `Date value '${text}' for field '${field}' is invalid. Valid formats include: 'yyyy/MM/dd HH:mm', 'yyyy-MM-dd HH:mm', 'yyyy/MM/dd', 'yyyy-MM-dd', or a period format e.g. '-5d', '4w 2d'.`,
    );
  return wall - offsetAt(wall - offsetAt(wall, timeZone), timeZone);
}

export function tokensOf(query: string): string[] {
  const tokens: string[] = [];
  TOKENS.lastIndex = 0;
  for (let rest = query.trim(); rest !== ''; ) {
    TOKENS.lastIndex = 0;
    const [whole = '', token = ''] = TOKENS.exec(rest) ?? [];
    if (whole === '')
      refuseQuery(`Error in the JQL Query: The character '${rest[0]}' is reserved.`);
    tokens.push(token);
    rest = rest.slice(whole.length).trimStart();
  }
  return tokens;
}
