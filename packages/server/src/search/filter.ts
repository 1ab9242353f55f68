/** Compiles the filter of the standard search into the form that the engines know. */
import type { Condition, Filter, Range, Scalar } from '../model/filter.ts';
import type { Bounds, Clause, Match, OneOrMany, StandardFilter } from './filter-schema.ts';

/** A key names a field of a chunk, or of an element of a list. */
type KeyContext = 'chunk' | 'element';

export const compileFilter = (filter: StandardFilter): Filter => compileAt('chunk', filter);

const MANY_PARTS = 10;
const MAX_DEEP_KEYS = 50;
const MAX_PARTS = 4000;

/**
 * Returns a message when too many keys have many parts: a database joins a table for each part of a key, and
 * PostgreSQL takes 15 ms to plan a key of twenty parts. SQLite takes 32,766 parameters, and a part of a key needs up to
 * seven of them.
 */
export function tooDeep(filter: StandardFilter): string | undefined {
  const lengths = [...pathsOf(compileFilter(filter))].map((path) => path.length);
  if (lengths.filter((length) => length > MANY_PARTS).length > MAX_DEEP_KEYS)
    return `at most ${MAX_DEEP_KEYS} keys of the filter may have more than ${MANY_PARTS} parts`;
  if (lengths.reduce((sum, length) => sum + length, 0) > MAX_PARTS)
    return `the keys of the filter may have at most ${MAX_PARTS} parts together`;
  return undefined;
}

function* pathsOf(filter: Filter): Generator<readonly string[]> {
  if ('path' in filter) yield filter.path;
  const inner =
    'all' in filter
      ? filter.all
      : 'any' in filter
        ? filter.any
        : 'not' in filter
          ? [filter.not]
          : [];
  for (const one of 'some' in filter ? [filter.some] : inner) yield* pathsOf(one);
}

function compileAt(keyContext: KeyContext, filter: StandardFilter): Filter {
  const compile = (clause: Clause) => compileClause(keyContext, clause);
  const all: Filter[] = list(filter.must).map(compile);
  const should = list(filter.should).map(compile);
  if (should.length > 0) all.push({ any: should, atLeast: 1 });
  for (const clause of list(filter.must_not)) all.push({ not: compile(clause) });
  const { conditions = [], min_count = 0 } = filter.min_should ?? {};
  if (min_count > 0) all.push({ any: conditions.map(compile), atLeast: min_count });
  return all.length === 1 ? all[0]! : { all };
}

/** A lone clause stands for a list with one clause. */
const list = (clauses: OneOrMany | undefined): readonly Clause[] => {
  if (clauses === undefined) return [];
  return isList(clauses) ? clauses : [clauses];
};
const isList = (clauses: OneOrMany): clauses is readonly Clause[] => Array.isArray(clauses);

function compileClause(keyContext: KeyContext, clause: Clause): Filter {
  if ('match' in clause) return compileMatch(keyContext, pathOf(clause.key), clause.match);
  if ('range' in clause) return { path: pathOf(clause.key), range: compileRange(clause.range) };
  if ('is_null' in clause) return { path: pathOf(clause.is_null.key), is: 'null' };
  if ('is_empty' in clause) return { path: pathOf(clause.is_empty.key), is: 'empty' };
  if ('has_id' in clause) return { ids: clause.has_id };
  if ('nested' in clause)
    return { some: compileAt('element', clause.nested.filter), path: pathOf(clause.nested.key) };
  return compileAt(keyContext, clause);
}

const pathOf = (key: string) => key.split('.');

function compileMatch(keyContext: KeyContext, path: readonly string[], match: Match): Condition {
  const scalar = (value: Scalar) =>
    keyContext === 'chunk' && isInstant(path) && typeof value === 'string' ? utc(value) : value;
  if ('value' in match) return { path, in: [scalar(match.value)] };
  if ('any' in match) return { path, in: match.any.map(scalar) };
  if ('except' in match) return { path, notIn: match.except.map(scalar) };
  return { path, text: match.text };
}

/**
 * Returns true for the times of a record, which are compared in the form that `utc` gives them. A field of the source may
 * have the same name, but it is below `metadata` or in an element, and is compared as it is written.
 */
const isInstant = (path: readonly string[]) =>
  path.length === 1 && (path[0] === 'created_at' || path[0] === 'updated_at');

function compileRange(bounds: Bounds): Range {
  const given = Object.entries(bounds).filter(([, bound]) => bound !== undefined);
  return Object.fromEntries(
    given.map(([name, bound]) => [name, typeof bound === 'string' ? utc(bound) : bound]),
  );
}

/**
 * With its offset, an instant may lie before the year 1 or after the year 9999. Its text then has a form that does not
 * compare with other texts, so the nearer of these two limits takes its place.
 */
const [FIRST, LAST] = [
  Date.parse('0001-01-01T00:00:00.000Z'),
  Date.parse('9999-12-31T23:59:59.999Z'),
];

/** Returns the one form of ISO 8601 in which instants are compared. An instant without an offset is in UTC. */
export function utc(text: string): string {
  const hasTime = text.includes('T');
  const hasZone = /(Z|[+-]\d{2}:\d{2})$/.test(text);
  const at = Date.parse(hasTime && !hasZone ? `${text}Z` : text);
  return new Date(Math.min(LAST, Math.max(FIRST, at))).toISOString();
}
