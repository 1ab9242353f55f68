/** Reads the query and the preferences of a request to Microsoft Graph. What is not documented for a path is an error. */
import { must } from '../../util.ts';
import type { PeerRequest } from './cloud-peer.ts';
import { type GraphRow, refuse } from './graph-refusal.ts';

/** The links to other pages keep the query of the first request. */
export interface GraphQuery {
  readonly select: readonly string[] | null;
  readonly top: number | null;
  readonly filter: string | null;
  readonly order: string | null;
  readonly isCounted: boolean;
  /** It has all parameters by their names. */
  readonly all: Readonly<Record<string, string>>;
}

export interface GraphAllowed {
  /** These are the names of parameters that the page of the operation allows. */
  readonly query?: readonly string[];
  readonly prefer?: readonly string[];
  /** `$top` may be at most this. */
  readonly mostTop?: number;
}

/** Throws an Error for a parameter that the page of the operation does not name. */
export function readQuery(
  { url }: PeerRequest,
  { query = [], mostTop = 999 }: GraphAllowed,
): GraphQuery {
  for (const name of url.searchParams.keys())
    if (!query.includes(name))
      throw new Error(`the page of ${url.pathname} does not document the parameter ${name}`);
  const value = (name: string) => url.searchParams.get(name);
  const top = value('$top') === null ? null : Number(value('$top'));
  if (top !== null && !(top >= 1 && top <= mostTop))
    refuse(
      '400 Request_BadRequest',
      `Invalid page size specified: '${top}'. Must be between 1 and ${mostTop} inclusive.`,
    );
  return {
    select: value('$select')?.split(',') ?? null,
    top,
    filter: value('$filter'),
    order: value('$orderby'),
    isCounted: value('$count') === 'true',
    all: Object.fromEntries(url.searchParams),
  };
}

/** Returns the preferences by their names. Throws an Error for one that the page of the operation does not name. */
export function readPrefer(
  { headers, url }: PeerRequest,
  { prefer = [] }: GraphAllowed,
): ReadonlyMap<string, string> {
  const text = [headers.prefer ?? []].flat().join(',');
  const found = new Map<string, string>();
  for (const one of text.split(/[,;]/).filter((part) => part.trim() !== '')) {
    const [, name = '', , value = ''] = /^\s*([\w.-]+)(="?([^"]*)"?)?\s*$/.exec(one) ?? [];
    if (!prefer.some((known) => known.toLowerCase() === name.toLowerCase()))
      throw new Error(`the page of ${url.pathname} does not document the preference '${one}'`);
    found.set(name.toLowerCase(), value);
  }
  return found;
}

/** Returns the row with the selected properties. Those of `always` are there in any case, as annotations are. */
export function selected(
  row: GraphRow,
  select: readonly string[] | null,
  always: readonly string[] = [],
): GraphRow {
  if (!select) return row;
  return Object.fromEntries(
    Object.entries(row).filter(
      ([name]) =>
        select.includes(name) ||
        always.includes(name) ||
        (name.startsWith('@') && name !== '@microsoft.graph.downloadUrl'),
    ),
  );
}

/** Returns whether a row passes a filter of comparisons that `and` joins. Throws an Error for another filter. */
export function filterOf(filter: string | null): (row: GraphRow) => boolean {
  if (filter === null) return () => true;
  const terms = filter.split(' and ').map((text) => {
    const kind = /^groupTypes\/any\((\w+):\1 eq 'Unified'\)$/.exec(text);
    if (kind) return (row: GraphRow) => row.groupTypes.includes('Unified');
    const [, name = '', sign, given = ''] =
      /^(\w+) (eq|ne|ge|gt|le|lt) ('(?:[^']|'')*'|[\w.:-]+)$/.exec(text) ?? [];
    must(sign, `the fake of Graph does not know the filter '${text}'`);
    const value = given.startsWith("'") ? given.slice(1, -1).replaceAll("''", "'") : given;
    const isDate = /^\d{4}-/.test(value);
    return (row: GraphRow) => {
      const own = row[name] === undefined ? 'null' : String(row[name]);
      const [a, b] = isDate
        ? [Date.parse(own), Date.parse(value)]
        : [own.toLowerCase(), value.toLowerCase()];
      if (sign === 'eq') return a === b;
      if (sign === 'ne') return a !== b;
      if (sign === 'ge') return a >= b;
      if (sign === 'gt') return a > b;
      return sign === 'le' ? a <= b : a < b;
    };
  });
  return (row) => terms.every((holds) => holds(row));
}
