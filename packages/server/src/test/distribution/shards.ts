/**
 * Says to which collections a statement is limited, in the way in which a cluster of Citus finds the server of a statement:
 * by an equality of the column `collection_id` with a parameter, for each table of contents by itself (db/distributed.ts).
 * This reads no other SQL than that of Quarry: a condition counts unless it stands beside an `or`, and an insert names its
 * columns.
 */
import { DISTRIBUTED_TABLES, DISTRIBUTION_COLUMN } from '../../db/distributed.ts';

/** The group has what stands in parentheses. */
type Item = string | readonly Item[];

export interface StatementShape {
  /** These tables of contents are named, each as often as it is read or written. */
  readonly tables: readonly string[];
  /** The statement does not name the collection of these. */
  readonly unlimited: readonly string[];
  /** These parameters, counted from 1, are the ids of collections, or arrays of them. */
  readonly parameters: readonly number[];
  readonly writes: boolean;
  /** The statement changes rows of contents and calls a function whose value changes meanwhile, which Citus refuses. */
  readonly isVolatile: boolean;
}

interface Reference {
  readonly table: string;
  readonly alias: string;
}

const TOKENS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\$\d+|[a-z_][\w$]*|\d[\w.]*|::|<>|[<>!]=|\S/gi;

const VOLATILE = /\b(?:clock_timestamp|timeofday|random|gen_random_uuid|nextval|set_config)\s*\(/i;

const QUERIES = new Set(['select', 'insert', 'update', 'delete', 'with', 'values']);
const SETS = new Set(['union', 'except', 'intersect']);
/** The name of a table follows these words. */
const BEFORE_TABLE = new Set(['from', 'join', 'into', 'update', 'using']);
const AFTER_TABLES = new Set([
  ...['where', 'set', 'on', 'join', 'left', 'right', 'inner', 'outer', 'full', 'cross', 'group'],
  ...['order', 'limit', 'offset', 'for', 'returning', 'values', 'select', 'having', 'using'],
  ...['union', 'except', 'intersect', 'do', 'lateral', 'natural', 'with', 'window', 'fetch'],
]);

interface Found {
  readonly tables: string[];
  readonly unlimited: string[];
  readonly parameters: number[];
  writes: boolean;
}

export function shapeOf(sql: string): StatementShape {
  const found: Found = { tables: [], unlimited: [], parameters: [], writes: false };
  examine(groups(sql), found);
  const isChange = found.writes && !/^\s*insert\b/i.test(sql);
  return { ...found, isVolatile: isChange && VOLATILE.test(sql) };
}

function groups(sql: string): Item[] {
  const open: Item[][] = [[]];
  for (const token of sql.match(TOKENS) ?? [])
    if (token === '(') open.push([]);
    else if (token === ')') {
      const group = open.pop() ?? [];
      open.at(-1)?.push(group);
    } else open.at(-1)?.push(token.startsWith('"') ? token.slice(1, -1) : lower(token));
  return open[0] ?? [];
}

const lower = (token: string) => (token.startsWith("'") ? token : token.toLowerCase());

function isQuery([first]: readonly Item[]): boolean {
  if (first === undefined) return false;
  return typeof first === 'string' ? QUERIES.has(first) : isQuery(first);
}

function examine(items: readonly Item[], found: Found): void {
  for (const part of parts(items)) examinePart(part, found);
}

/** The parts of a union are queries of their own. */
function parts(items: readonly Item[]): Item[][] {
  const all: Item[][] = [[]];
  for (const item of items)
    if (typeof item === 'string' && SETS.has(item)) all.push([]);
    else all.at(-1)?.push(item);
  return all;
}

function examinePart(items: readonly Item[], found: Found): void {
  for (const query of queriesIn(items)) examine(query, found);
  const inserted = insertedIn(items);
  if (inserted) examineInsert(items, inserted, found);
  const read = referencesIn(items, inserted);
  const { limits, same } = conditionsIn(items, read);
  for (const { table, alias } of read) {
    found.tables.push(table);
    const limit =
      limits.get(alias) ??
      same
        .get(alias)
        ?.map((other) => limits.get(other))
        .find(Boolean);
    if (limit === undefined) found.unlimited.push(table);
    else found.parameters.push(limit);
  }
  if (items[0] === 'update' || items[0] === 'delete') found.writes ||= read.length > 0;
}

/** Returns the queries in parentheses, however deep, but not those inside of others. */
function queriesIn(items: readonly Item[]): (readonly Item[])[] {
  return items.flatMap((item) => {
    if (typeof item === 'string') return [];
    return isQuery(item) ? [item] : queriesIn(item);
  });
}

function insertedIn(items: readonly Item[]): Reference | undefined {
  const into = items.indexOf('into');
  const table = items[into + 1];
  if (into < 0 || typeof table !== 'string' || !isContents(table)) return undefined;
  return { table, alias: table };
}

const isContents = (name: string): boolean => DISTRIBUTED_TABLES.some((table) => table === name);

/** The rows of an insert come from values, from a query, or from arrays of columns. */
function examineInsert(items: readonly Item[], { table }: Reference, found: Found): void {
  found.tables.push(table);
  found.writes = true;
  const columns = items[items.indexOf('into') + 2];
  const place = listed(columns).findIndex(([name]) => name === DISTRIBUTION_COLUMN);
  const values = items.indexOf('values');
  const select = items.indexOf('select');
  const rows = values >= 0 ? items.slice(values + 1).filter(isGroup) : [selected(items, select)];
  const parameters = rows.map((row) => parameterIn(listed(row)[place]));
  if (place < 0 || parameters.length === 0 || parameters.some((one) => one === undefined))
    found.unlimited.push(table);
  else found.parameters.push(...parameters.filter((one) => one !== undefined));
}

const isGroup = (item: Item): item is readonly Item[] => typeof item !== 'string';

/** Returns what a query selects; of `select * from unnest(…)`, these are the arrays. */
function selected(items: readonly Item[], select: number): readonly Item[] {
  const from = items.indexOf('from', select);
  const list = items.slice(select + 1, from < 0 ? undefined : from);
  const arrays = items[from + 2];
  return list[0] === '*' && items[from + 1] === 'unnest' && isGroup(arrays ?? '')
    ? (arrays as readonly Item[])
    : list;
}

function listed(list: Item | undefined): Item[][] {
  const all: Item[][] = [[]];
  for (const item of typeof list === 'string' || list === undefined ? [] : list)
    if (item === ',') all.push([]);
    else all.at(-1)?.push(item);
  return all;
}

const parameterIn = (items: readonly Item[] | undefined): number | undefined =>
  numberOf(items?.[0]);

const numberOf = (item: Item | undefined): number | undefined =>
  typeof item === 'string' && item.startsWith('$') ? Number(item.slice(1)) : undefined;

function referencesIn(items: readonly Item[], inserted: Reference | undefined): Reference[] {
  const found: Reference[] = [];
  let mayFollow = false;
  for (const [i, item] of items.entries()) {
    if (typeof item !== 'string') continue;
    const before = items[i - 1];
    const isVerb = item !== 'update' || (before !== 'for' && before !== 'do');
    if (BEFORE_TABLE.has(item) && isVerb) mayFollow = true;
    else if (AFTER_TABLES.has(item)) mayFollow = false;
    else if (mayFollow && isContents(item) && isNameOfTable(before))
      if (before !== 'into' || !inserted) found.push({ table: item, alias: aliasOf(items, i) });
  }
  return found;
}

const isNameOfTable = (before: Item | undefined): boolean =>
  before === ',' || (typeof before === 'string' && BEFORE_TABLE.has(before));

function aliasOf(items: readonly Item[], at: number): string {
  const next = items[at + 1];
  const name = next === 'as' ? items[at + 2] : next;
  return typeof name === 'string' && /^[a-z_]\w*$/.test(name) && !AFTER_TABLES.has(name)
    ? name
    : String(items[at]);
}

/** `limits` maps an alias to the parameter of its collection, `same` to the aliases of the same collection. */
function conditionsIn(items: readonly Item[], read: readonly Reference[]) {
  const limits = new Map<string, number>();
  const same = new Map<string, string[]>();
  if (items.includes('or')) return { limits, same };
  const only = read.length === 1 ? read[0]?.alias : undefined;
  const flat = flattened(items);
  for (const [i, item] of flat.entries()) {
    if (item !== '=') continue;
    const [left, right] = [columnBefore(flat, i), columnAfter(flat, i)];
    const parameter = numberOf(flat[i + 1]) ?? numberOf(flat[i - 1]);
    const alias = left ?? right;
    if (left !== undefined && right !== undefined) {
      same.set(left, [...(same.get(left) ?? []), right]);
      same.set(right, [...(same.get(right) ?? []), left]);
    } else if (alias !== undefined && parameter !== undefined) {
      const named = alias === '' ? only : alias;
      if (named !== undefined) limits.set(named, parameter);
    }
  }
  return { limits, same };
}

/** Leaves out other queries, and groups of which a part need not be true. */
function flattened(items: readonly Item[]): string[] {
  return items.flatMap((item) => {
    if (typeof item === 'string') return [item];
    return isQuery(item) || item.includes('or') ? ['…'] : ['(', ...flattened(item), ')'];
  });
}

/** Returns the alias; '' stands for a column without one. */
function columnBefore(flat: readonly string[], at: number): string | undefined {
  if (flat[at - 1] !== DISTRIBUTION_COLUMN) return undefined;
  return flat[at - 2] === '.' ? flat[at - 3] : '';
}

function columnAfter(flat: readonly string[], at: number): string | undefined {
  if (flat[at + 1] === DISTRIBUTION_COLUMN) return '';
  return flat[at + 2] === '.' && flat[at + 3] === DISTRIBUTION_COLUMN ? flat[at + 1] : undefined;
}
