/**
 * This is the filter of the standard search, in the form of https://qdrant.tech/documentation/concepts/filtering/
 *
 * A filter is a clause, and clauses may be nested ten levels deep. Each level has a schema of its own, so that the
 * published JSON Schema accepts exactly the filters that a search accepts. The type of a key decides which conditions
 * it may have. Inside `nested`, keys start at the element of the list.
 */
import { z } from 'zod';
import type { Scalar } from '../model/filter.ts';
import { onFirstUse } from '../util.ts';

export interface StandardFilter {
  readonly must?: OneOrMany | undefined;
  readonly should?: OneOrMany | undefined;
  readonly must_not?: OneOrMany | undefined;
  readonly min_should?: { conditions: readonly Clause[]; min_count: number } | undefined;
}
export type OneOrMany = Clause | readonly Clause[];
export type Clause = StandardCondition | StandardFilter;

export type Match =
  | { value: Scalar }
  | { any: readonly Scalar[] }
  | { except: readonly Scalar[] }
  | { text: string };
type Bound = string | number | undefined;
export interface Bounds {
  readonly gt?: Bound;
  readonly gte?: Bound;
  readonly lt?: Bound;
  readonly lte?: Bound;
}
type StandardCondition =
  | { key: string; match: Match }
  | { key: string; range: Bounds }
  | { is_null: { key: string } }
  | { is_empty: { key: string } }
  | { has_id: readonly string[] }
  | { nested: { key: string; filter: StandardFilter } };

const DEEPEST = 10;
/** A list in a filter has at most this many values or clauses. */
const MAX_ITEMS = 1000;

const TEXT = ['entity_id', 'original_entity_id', 'name', 'source_name', 'entity_type'] as const;
const IDS = ['sync_id', 'sync_job_id'] as const;
const CRUMB = ['entity_id', 'name', 'entity_type'] as const;
const OF_CRUMBS = CRUMB.map((field) => `breadcrumbs.${field}` as const);

/** The registry holds what JSON Schema should say and Zod cannot, and the names of the definitions. */
const published = z.registry<{ id?: string; minProperties?: number }>();

const textKey = z.enum([...TEXT, ...IDS, ...OF_CRUMBS]);
const crumbKey = z.enum(CRUMB);
const numberKey = z.literal('chunk_index');
const flagKey = z.literal('access.is_public');
const instantKey = z.enum(['created_at', 'updated_at']);
// `abort` ends the check of a union's option at a wrong key: otherwise Zod takes every key for a misspelt one of these.
const path = (pattern: RegExp) => z.string().max(300).regex(pattern, { abort: true });
const ownKey = path(/^metadata(\.[^.]+){1,20}$/);
/** At most 20 parts are allowed, as below `metadata`: each part needs two tables of a join, and SQLite accepts 64. */
const elementKey = path(/^[^.]+(\.[^.]+){0,19}$/);

/** The form is ISO 8601: a date, or a date and a time, in UTC unless the text names another offset. */
const DATE = z.core.regexes.date.source.slice(1, -1);
const TIME =
  '(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d+)?)?(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)?';
const instant = z
  .string()
  .regex(new RegExp(`^${DATE}(?:T${TIME})?$`), 'is not an ISO 8601 date')
  .register(published, { id: 'instant' });
const anyValue = z.union([z.string(), z.number(), z.boolean()]);
const text = z.strictObject({ text: z.string().min(1) });

const matches = (value: z.ZodType<Scalar>) => {
  const values = z.array(value).min(1).max(MAX_ITEMS);
  return [
    z.strictObject({ value }),
    z.strictObject({ any: values }),
    z.strictObject({ except: values }),
  ] as const;
};
function range(bound: z.ZodType<string | number>) {
  const one = bound.optional();
  return z
    .strictObject({ gt: one, gte: one, lt: one, lte: one })
    .refine((bounds) => Object.keys(bounds).length > 0, 'give at least one of gt, gte, lt and lte')
    .register(published, { minProperties: 1 });
}
const condition = (key: z.ZodType<string>, says: { match: z.ZodType } | { range: z.ZodType }) =>
  z.strictObject({ key, ...says });

const textMatch = z.union([...matches(z.string()), text]);
const ownMatch = z.union([...matches(anyValue), text]);
const numberRange = range(z.number());
const instantRange = range(instant);
const ownRange = z.union([numberRange, instantRange]);

type ConditionContext = 'chunk' | 'breadcrumb' | 'element';

const CONDITIONS: Record<ConditionContext, z.ZodType> = {
  chunk: conditions('chunk', [
    condition(textKey, { match: textMatch }),
    condition(numberKey, { match: z.union(matches(z.number())) }),
    condition(numberKey, { range: numberRange }),
    condition(flagKey, { match: z.union(matches(z.boolean())) }),
    condition(instantKey, { match: z.union(matches(instant)) }),
    condition(instantKey, { range: instantRange }),
    condition(ownKey, { match: ownMatch }),
    condition(ownKey, { range: ownRange }),
    ...absent(z.union([textKey, numberKey, flagKey, instantKey, ownKey])),
    z.strictObject({ has_id: z.array(z.string().min(1)).min(1).max(MAX_ITEMS) }),
  ]),
  breadcrumb: conditions('breadcrumb', [
    condition(crumbKey, { match: textMatch }),
    ...absent(crumbKey),
  ]),
  element: conditions('element', [
    condition(elementKey, { match: ownMatch }),
    condition(elementKey, { range: ownRange }),
    ...absent(elementKey),
  ]),
};

function conditions(place: ConditionContext, known: readonly z.ZodType[]) {
  const schema = z.union(known, { error: (issue) => explain(issue, 1) });
  return schema.register(published, { id: `${place}_condition` });
}

function absent(key: z.ZodType<string>) {
  const field = z.strictObject({ key });
  return [z.strictObject({ is_null: field }), z.strictObject({ is_empty: field })];
}

const PUBLISHED_AT = 'GET /v1/collections/internal/filter-schema describes the filter';

/** Names the innermost fault, where Zod would say "invalid input" about the whole clause. */
function explain(issue: z.core.$ZodRawIssue, levels: number): string {
  const { input } = issue;
  if (typeof input !== 'object' || input === null) return 'is neither a condition nor a filter';
  const isFilter = 'must' in input || 'should' in input || 'must_not' in input;
  if (isFilter || 'min_should' in input || 'nested' in input) {
    if (levels === 1) return `is nested more than ${DEEPEST} deep`;
    if (isFilter || 'min_should' in input) return innermost(issue, -1);
  }
  const ofValues = faultOfValues(optionsOf(issue), input);
  if (ofValues) return ofValues;
  const field = 'is_null' in input ? input.is_null : 'is_empty' in input ? input.is_empty : input;
  const { key } = (field ?? {}) as { key?: unknown };
  return typeof key === 'string'
    ? `'${key}' is not a filter key, or it does not allow this condition: ${PUBLISHED_AT}`
    : `this form of condition is unknown: ${PUBLISHED_AT}`;
}

/**
 * Says what is wrong with a value of the input, if the input has the form of one option of the union and its key is
 * known.
 */
function faultOfValues(options: Issues[], input: unknown): string | undefined {
  for (const [issue, ...others] of options) {
    if (!issue || others.length > 0) continue;
    if (issue.code === 'unrecognized_keys' || issue.path.at(-1) === 'key') continue;
    const value = valueAt(input, issue.path);
    if (value === undefined) continue;
    return placed(issue.path, faultOfValues(optionsOf(issue), value) ?? issue.message);
  }
  return undefined;
}

const valueAt = (input: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce((value, key) => (value as Readonly<Record<PropertyKey, unknown>>)[key], input);

/** `option` is the number of an option of a union; -1 stands for the last one. */
function innermost(issue: z.core.$ZodRawIssue, option: number): string {
  const [first] = optionsOf(issue).at(option) ?? [];
  return first ? placed(first.path, first.message) : 'is invalid';
}

type Issues = readonly z.core.$ZodIssue[];

const optionsOf = (issue: object): Issues[] =>
  'errors' in issue ? (issue.errors as Issues[]) : [];

const placed = (path: readonly PropertyKey[], message: string) =>
  [path.map(String).join('.'), message].filter(Boolean).join(': ');

/** Makes the schema of a filter that may nest `levels` deep, itself included. */
function filterSchema(place: ConditionContext, levels: number): z.ZodType<StandardFilter> {
  const inner = (at: ConditionContext) => (levels > 1 ? [level(at, levels - 1)] : []);
  const nested = (key: z.ZodType<string>, at: ConditionContext) =>
    inner(at).map((filter) => z.strictObject({ nested: z.strictObject({ key, filter }) }));
  const clause = z.union(
    [
      CONDITIONS[place],
      ...(place === 'chunk' ? nested(z.literal('breadcrumbs'), 'breadcrumb') : []),
      ...(place === 'chunk' ? nested(ownKey, 'element') : []),
      ...(place === 'element' ? nested(elementKey, 'element') : []),
      ...inner(place),
    ] as z.ZodType<Clause>[],
    { error: (issue) => explain(issue, levels) },
  );
  clause.register(published, { id: `${place}_clause_${levels}` });
  const list = z.array(clause).max(MAX_ITEMS);
  const clauses = z.union([list, clause], {
    error: (issue) => innermost(issue, Array.isArray(issue.input) ? 0 : -1),
  });
  // The outermost filter may be empty, and is the document itself.
  const isOutermost = levels === DEEPEST;
  const fewest = isOutermost ? 0 : 1;
  const id = `${place}_filter_${levels}`;
  return z
    .strictObject({
      must: clauses.optional(),
      should: clauses.optional(),
      must_not: clauses.optional(),
      min_should: z.strictObject({ conditions: list, min_count: z.int().min(0) }).optional(),
    })
    .refine((filter) => Object.keys(filter).length >= fewest, {
      error: 'an inner filter has no clause',
      // Without this, Zod takes a misspelt condition for a filter with unknown fields.
      abort: true,
    })
    .register(published, isOutermost ? {} : { id, minProperties: fewest });
}

const made = new Map<string, z.ZodType<StandardFilter>>();

function level(place: ConditionContext, depth: number): z.ZodType<StandardFilter> {
  const name = `${place} ${depth}`;
  const schema = made.get(name) ?? filterSchema(place, depth);
  made.set(name, schema);
  return schema;
}

export const StandardFilter = level('chunk', DEEPEST);

/** GET /v1/collections/internal/filter-schema answers with this document. */
export const filterJsonSchema = onFirstUse(
  (): Readonly<Record<string, unknown>> =>
    z.toJSONSchema(StandardFilter, { metadata: published, io: 'input' }),
);
