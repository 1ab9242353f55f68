/**
 * This file defines the meaning of a filter by evaluating it on a plain object. The search engines must give the same
 * results.
 */
import { type Condition, FIELDS, type Filter, type Range, type Scalar } from './filter.ts';
import { instantOf } from './instant.ts';

/** These are the fields of a chunk under the names that filters use. Times are texts in ISO 8601. */
export type Matchable = Readonly<Record<keyof typeof FIELDS, unknown>>;

export const filterMatches = (document: Matchable, filter: Filter): boolean =>
  matches(document, document, filter);

/** Paths begin at `base`, which is the document, or an element of the list that a `some` names. */
function matches(document: Matchable, base: unknown, filter: Filter): boolean {
  if ('all' in filter) return filter.all.every((part) => matches(document, base, part));
  if ('any' in filter)
    return filter.any.filter((part) => matches(document, base, part)).length >= filter.atLeast;
  if ('not' in filter) return !matches(document, base, filter.not);
  if ('some' in filter)
    return valuesAt(base, filter.path)
      .flatMap((value) => (Array.isArray(value) ? value : []))
      .some((element) => matches(document, element, filter.some));
  if ('ids' in filter)
    return [document.entity_id, document.original_entity_id].some((id) =>
      filter.ids.includes(id as string),
    );
  const isInstant = base === document && isInstantField(filter.path[0]) && filter.path.length === 1;
  return satisfies(valuesAt(base, filter.path), isInstant ? byInstant(filter) : filter, isInstant);
}

/**
 * Returns all values at the path. Where a part of the path leads to a list, the path goes on in each of its elements.
 * Returns an empty list when the field is missing.
 */
function valuesAt(base: unknown, path: readonly string[]): unknown[] {
  let values = [base];
  for (const key of path)
    values = values
      .flatMap((value) => (Array.isArray(value) ? value : [value]))
      .filter((value): value is object => isObject(value) && Object.hasOwn(value, key))
      .map((value) => (value as Record<string, unknown>)[key]);
  return values;
}

/** When `isInstant` is true, the values are times of the entity, and the condition is in milliseconds. */
function satisfies(values: readonly unknown[], condition: Condition, isInstant: boolean): boolean {
  if ('is' in condition) {
    if (condition.is === 'empty') return values.every(isEmpty);
    return values.length === 0 || values.some((value) => value === null || hasNull(value));
  }
  return values
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter(isScalar)
    .map((value) => (isInstant ? Date.parse(value as string) : value))
    .some((value) => scalarSatisfies(value, condition));
}

function scalarSatisfies(value: Scalar, condition: Exclude<Condition, { is: unknown }>): boolean {
  if ('in' in condition) return condition.in.includes(value);
  if ('notIn' in condition) return !condition.notIn.includes(value);
  if ('text' in condition) return typeof value === 'string' && value.includes(condition.text);
  return BOUNDS.every(([name, within]) => {
    const bound = condition.range[name];
    if (bound === undefined) return true;
    if (typeof bound === 'number') return typeof value === 'number' && within(value - bound);
    const [at, then] = typeof value === 'string' ? [instantOf(value), instantOf(bound)] : [];
    return at !== undefined && then !== undefined && within(at - then);
  });
}

const BOUNDS: readonly [keyof Range, (difference: number) => boolean][] = [
  ['gt', (difference) => difference > 0],
  ['gte', (difference) => difference >= 0],
  ['lt', (difference) => difference < 0],
  ['lte', (difference) => difference <= 0],
];

/**
 * Rewrites a condition on `created_at` or `updated_at` to milliseconds, so that two texts for the same millisecond are
 * equal.
 */
export function byInstant<C extends Condition>(condition: C): Condition {
  const { path } = condition;
  if ('in' in condition) return { path, in: condition.in.flatMap(milliseconds) };
  if ('notIn' in condition) return { path, notIn: condition.notIn.flatMap(milliseconds) };
  if (!('range' in condition)) return condition;
  const range: Partial<Record<keyof Range, number>> = {};
  for (const [name] of BOUNDS) {
    const bound = condition.range[name];
    if (bound === undefined) continue;
    const [at] = milliseconds(bound);
    if (at === undefined) return { path, in: [] };
    range[name] = at;
  }
  return { path, range };
}

const milliseconds = (value: Scalar): number[] => {
  const at = typeof value === 'string' ? instantOf(value) : undefined;
  return at === undefined ? [] : [at];
};

export const isInstantField = (field: string | undefined) =>
  FIELDS[field as keyof typeof FIELDS] === 'instant';

const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
const isObject = (value: unknown) =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
const hasNull = (value: unknown) => Array.isArray(value) && value.includes(null);
const isEmpty = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0);
