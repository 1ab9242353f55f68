/**
 * Compiles a filter to a condition in SQL on a chunk (alias c), its entity (e) and its connection (s). Every value
 * and every key of a path is a bound parameter. No part of the condition is ever null, so `not` gives the right answer.
 *
 * A field is a node: an expression for a value, with its JSON type. A path is a chain of tables behind `from`, one
 * or two for each step; each row of these tables is one of the values that the path leads to.
 */
import { sql } from 'kysely';
import type { DatabaseKind } from '../../db/connect.ts';
import type { Condition, FIELDS, Filter, Range, Scalar } from '../../model/filter.ts';
import { byInstant, isInstantField } from '../../model/filter-matches.ts';
import { instantOf } from '../../model/instant.ts';
import { isStorable } from '../../model/storable.ts';
import { dialectOf, type Sql } from './dialect.ts';
import { type JsonDialect, jsonDialectOf, type Node } from './json-sql.ts';

/** The paths of a condition start here: at the chunk (undefined), or at an element of a list. */
type PathRoot = { readonly element: Node; readonly rename: boolean } | undefined;

/** The values of a field are the rows of `from` that satisfy `where`. */
interface FieldValues {
  readonly from: readonly Sql[];
  readonly where: readonly Sql[];
  readonly node: Node;
}

const yes = sql`(1 = 1)`;
const no = sql`(1 = 0)`;

export function filterSql(kind: DatabaseKind, filter: Filter): Sql {
  const json = jsonDialectOf(kind);
  const lists = dialectOf(kind);

  const compile = (part: Filter, place: PathRoot): Sql => {
    if ('all' in part)
      return joinedBy(
        'and',
        part.all.map((inner) => compile(inner, place)),
      );
    if ('any' in part)
      return atLeast(
        part.any.map((inner) => compile(inner, place)),
        part.atLeast,
      );
    if ('not' in part) return sql`(not ${compile(part.not, place)})`;
    if ('some' in part) return some(part, place);
    if ('ids' in part) {
      const ids = lists.texts(part.ids.filter(isStorable));
      return sql`(e.entity_id in ${ids} or ${CHUNK_ID} in ${ids})`;
    }
    const instant = !place && part.path.length === 1 && isInstantField(part.path[0]);
    return condition(json, valuesAt(json, place, part.path), instant ? byInstant(part) : part);
  };

  const some = (part: Extract<Filter, { some: unknown }>, place: PathRoot): Sql => {
    const list = valuesAt(json, place, part.path);
    const element = json.elements(list.node);
    const rename = !place && part.path.length === 1 && part.path[0] === 'breadcrumbs';
    return exists(
      { ...list, from: [...list.from, element.from] },
      compile(part.some, { element: element.node, rename }),
    );
  };

  return compile(filter, undefined);
}

const CHUNK_ID = sql`(e.entity_id || '__chunk_' || c.position)`;

function condition(json: JsonDialect, values: FieldValues, wanted: Condition): Sql {
  const { node } = values;
  if ('is' in wanted) {
    const filled = sql`not (${json.is(node, 'null')} or ${json.isEmptyList(node)})`;
    if (wanted.is === 'empty') return sql`(not ${exists(values, filled)})`;
    const element = json.elements(node);
    const inList = exists({ from: [element.from], where: [], node }, json.is(element.node, 'null'));
    const isNull = sql`(${json.is(node, 'null')} or ${inList})`;
    return sql`(not ${exists(values, yes)} or ${exists(values, isNull)})`;
  }
  const element = json.elements(node);
  const inList = exists(
    { from: [element.from], where: [], node },
    scalarHolds(json, element.node, wanted),
  );
  return exists(
    values,
    sql`(${scalarHolds(json, node, wanted)} or (${json.is(node, 'array')} and ${inList}))`,
  );
}

function scalarHolds(
  json: JsonDialect,
  node: Node,
  wanted: Exclude<Condition, { is: unknown }>,
): Sql {
  if ('in' in wanted) return isAmong(json, node, wanted.in);
  if ('notIn' in wanted)
    return sql`(${json.isScalar(node)} and not ${isAmong(json, node, wanted.notIn)})`;
  if ('text' in wanted) return isStorable(wanted.text) ? json.contains(node, wanted.text) : no;
  const bounds = OPERATORS.flatMap(([name, operator]) => {
    const bound = wanted.range[name];
    if (bound === undefined) return [];
    if (typeof bound === 'number') return [json.compareNumber(node, operator, bound)];
    const at = instantOf(bound);
    return [at === undefined ? no : json.compareInstant(node, operator, at)];
  });
  return joinedBy('and', [json.isScalar(node), ...bounds]);
}

const OPERATORS: readonly [keyof Range, Sql][] = [
  ['gt', sql`>`],
  ['gte', sql`>=`],
  ['lt', sql`<`],
  ['lte', sql`<=`],
];

/**
 * Texts that PostgreSQL refuses are left out: no stored text contains them, and they cannot even be parameters.
 */
const isAmong = (json: JsonDialect, node: Node, scalars: readonly Scalar[]): Sql =>
  json.among(
    node,
    scalars.filter((scalar) => typeof scalar !== 'string' || isStorable(scalar)),
  );

function valuesAt(json: JsonDialect, place: PathRoot, path: readonly string[]): FieldValues {
  const [start, keys] = place
    ? [place.element, place.rename ? renamed(path) : path]
    : startOf(json, path);
  let values: FieldValues = { from: [], where: [], node: start };
  for (const key of keys) {
    if (key === undefined || !isStorable(key)) return { ...values, where: [...values.where, no] };
    const entered = json.objects(values.node);
    const member = json.member(entered.node, key);
    values = {
      from: [...values.from, ...entered.from, ...member.from],
      where: [...values.where, member.where],
      node: member.node,
    };
  }
  return values;
}

/**
 * Returns where the path starts in the row, and the rest of the path. A key that is undefined leads to no value.
 */
function startOf(
  json: JsonDialect,
  path: readonly string[],
): [Node, readonly (string | undefined)[]] {
  const [field, ...keys] = path;
  switch (field as keyof typeof FIELDS) {
    case 'entity_id':
      return [json.text(CHUNK_ID), keys];
    case 'original_entity_id':
      return [json.text(sql`e.entity_id`), keys];
    case 'name':
      return [json.text(sql`e.name`), keys];
    case 'source_name':
      return [json.text(sql`s.short_name`), keys];
    case 'entity_type':
      return [json.text(sql`e.entity_type`), keys];
    case 'sync_id':
      return [json.text(sql`e.sync_id`), keys];
    case 'sync_job_id':
      return [json.text(sql`e.sync_job_id`), keys];
    case 'chunk_index':
      return [json.integer(sql`c.position`), keys];
    case 'created_at':
      return [json.integer(sql`e.source_created_at`), keys];
    case 'updated_at':
      return [json.integer(sql`e.source_updated_at`), keys];
    case 'breadcrumbs':
      return [json.list(sql`e.breadcrumbs`), renamed(keys)];
    case 'access':
      return startOfAccess(json, keys);
    case 'metadata':
      return [json.object(sql`e.metadata`), keys];
    default:
      throw new Error(`a filter names the field '${field}', which no chunk has`);
  }
}

/** An entity without access data has no value for `access.is_public`. */
const hasAccess = sql<boolean>`(e.viewers is not null or e.is_public)`;

function startOfAccess(
  json: JsonDialect,
  keys: readonly string[],
): [Node, readonly (string | undefined)[]] {
  const [key, ...rest] = keys;
  if (key === 'is_public') return [json.flag(sql`e.is_public`, hasAccess), rest];
  if (key === 'viewers') return [json.list(sql`e.viewers`), rest];
  return [json.object(json.emptyObject), keys];
}

/** Translates the first key of a breadcrumb to the key under which it is stored. */
const renamed = ([key, ...rest]: readonly string[]): (string | undefined)[] =>
  key === undefined ? [] : [STORED_BREADCRUMB.get(key), ...rest];
const STORED_BREADCRUMB: ReadonlyMap<string, string> = new Map([
  ['entity_id', 'id'],
  ['name', 'name'],
  ['entity_type', 'type'],
]);

const exists = ({ from, where }: FieldValues, holds: Sql): Sql =>
  from.length === 0
    ? sql`(${joinedBy('and', [...where, holds])})`
    : sql`exists (select 1 from ${sql.join(from)} where ${joinedBy('and', [...where, holds])})`;

function joinedBy(operator: 'and' | 'or', parts: readonly Sql[]): Sql {
  if (parts.length === 0) return operator === 'and' ? yes : no;
  return sql`(${balanced(parts, operator === 'and' ? sql` and ` : sql` or `)})`;
}

/** A chain of a thousand parts would be nested deeper than SQLite allows, so the parts form a balanced tree. */
function balanced(parts: readonly Sql[], operator: Sql): Sql {
  if (parts.length <= 8) return sql`${sql.join([...parts], operator)}`;
  const middle = parts.length >> 1;
  const [left, right] = [parts.slice(0, middle), parts.slice(middle)];
  return sql`(${balanced(left, operator)})${operator}(${balanced(right, operator)})`;
}

function atLeast(parts: readonly Sql[], count: number): Sql {
  if (count <= 1) return count === 1 ? joinedBy('or', parts) : yes;
  if (count > parts.length) return no;
  const ones = parts.map((part) => sql`case when ${part} then 1 else 0 end`);
  return sql`((${balanced(ones, sql` + `)}) >= ${sql.lit(count)})`;
}
