/** Conditions that a person puts on records, as filters of the search and of the agentic search. */

export interface Condition {
  /** The key of a filter, such as `name` or `metadata.status`. */
  readonly field: string;
  readonly operator: ConditionOperator;
  readonly value: string;
}

export const OPERATORS = {
  is: 'is',
  is_not: 'is not',
  contains: 'contains',
  from: 'is at least',
  to: 'is at most',
  since: 'is on or after',
  before: 'is before',
} as const;
export type ConditionOperator = keyof typeof OPERATORS;

type Scalar = string | number | boolean;

/** These keys are the same for all sources. */
export const SYSTEM_FIELDS: Readonly<Record<string, string>> = {
  name: 'Name',
  created_at: 'Created',
  updated_at: 'Changed',
  'breadcrumbs.name': 'Within',
};
const OWN = 'metadata.';
const TIMES = ['created_at', 'updated_at'];

/** Returns the name that people read, from which `fieldOf` makes the key again. */
export function fieldName(field: string): string {
  const own = field.startsWith(OWN) ? field.slice(OWN.length) : field;
  return SYSTEM_FIELDS[field] ?? (fieldOf(own) === field ? own : field);
}

/** Returns the key of a field that somebody has named. */
export function fieldOf(name: string): string {
  const known = Object.entries(SYSTEM_FIELDS).find(
    ([key, label]) => key === name || label.toLowerCase() === name.toLowerCase(),
  );
  return known?.[0] ?? (name.startsWith(OWN) ? name : `${OWN}${name}`);
}

/** Returns the operators that make sense for a field. */
export function operatorsOf(field: string): readonly ConditionOperator[] {
  if (TIMES.includes(field)) return ['since', 'before'];
  if (field in SYSTEM_FIELDS) return ['is', 'is_not', 'contains'];
  return ['is', 'is_not', 'contains', 'from', 'to', 'since', 'before'];
}

const NUMBER = /^-?\d+(\.\d+)?$/;
const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** Says what is wrong with the value of a condition. */
export function faultOfValue({ operator, value }: Condition): string | undefined {
  if (value.trim() === '') return 'Write a value.';
  if ((operator === 'from' || operator === 'to') && !NUMBER.test(value.trim()))
    return 'Write a number, such as 12.5.';
  if ((operator === 'since' || operator === 'before') && !isDate(value.trim()))
    return 'Write a date, such as 2026-03-31.';
  return undefined;
}

const isDate = (text: string): boolean => DATE.test(text) && !Number.isNaN(Date.parse(text));

/** A field of a source may hold 5 as a number or as a text, and a filter tells them apart. */
function formsOf({ field, value }: Condition): Scalar[] {
  const forms: Scalar[] = [value];
  if (!field.startsWith(OWN)) return forms;
  if (NUMBER.test(value)) forms.push(Number(value));
  if (value === 'true' || value === 'false') forms.push(value === 'true');
  return forms;
}

/** Returns the clause of the search's filter. */
export function clauseOf(condition: Condition) {
  const { field: key, operator, value } = condition;
  switch (operator) {
    case 'is':
      return { key, match: { any: formsOf(condition) } };
    case 'is_not':
      return { key, match: { except: formsOf(condition) } };
    case 'contains':
      return { key, match: { text: value } };
    case 'from':
      return { key, range: { gte: Number(value) } };
    case 'to':
      return { key, range: { lte: Number(value) } };
    case 'since':
      return { key, range: { gte: value } };
    case 'before':
      return { key, range: { lt: value } };
  }
}

/** Returns the condition of the agentic search. */
export function groupConditionOf(condition: Condition) {
  const { field, operator, value } = condition;
  switch (operator) {
    case 'is':
      return { field, operator: 'in', value: formsOf(condition) };
    case 'is_not':
      return { field, operator: 'not_in', value: formsOf(condition) };
    case 'contains':
      return { field, operator: 'contains', value };
    case 'from':
      return { field, operator: 'greater_than_or_equal', value: Number(value) };
    case 'to':
      return { field, operator: 'less_than_or_equal', value: Number(value) };
    case 'since':
      return { field, operator: 'greater_than_or_equal', value };
    case 'before':
      return { field, operator: 'less_than', value };
  }
}

/** Reads the conditions of an address, which anybody may have written. Returns null when they have another form. */
export function readConditions(given: unknown): readonly Condition[] | null {
  if (given === undefined) return [];
  return Array.isArray(given) && given.every(isCondition) ? given : null;
}

function isCondition(given: unknown): given is Condition {
  if (typeof given !== 'object' || given === null) return false;
  const { field, operator, value } = given as Readonly<Record<string, unknown>>;
  const isKnown = typeof operator === 'string' && Object.hasOwn(OPERATORS, operator);
  if (typeof field !== 'string' || typeof value !== 'string' || !isKnown) return false;
  return faultOfValue(given as Condition) === undefined;
}
