/**
 * A row as an entity.
 *
 * Its id is `<table>:<key>`, or `<schema>:<table>:<key>` in another schema than the credentials name; the
 * values of a composite key are joined by commas. What would make two ids look alike is percent-encoded. Its text is made of the columns that hold words, in their order.
 */
import type { Entity } from '../../model/entity.ts';
import { beginningOf } from '../../util.ts';
import type { Shape, ShapedColumn } from './shape.ts';

export const ENTITY_TYPE = 'PostgresRow';

const NAMES = ['name', 'title', 'subject', 'displayname', 'fullname', 'label', 'headline'];
const CREATED = ['createdat', 'createdon', 'created', 'creationdate', 'insertedat', 'datecreated'];
const UPDATED = [
  'updatedat',
  'updatedon',
  'updated',
  'modifiedat',
  'modifiedon',
  'modified',
  'lastmodified',
  'lastmodifiedat',
  'lastupdated',
  'lastupdatedat',
  'changedat',
  'datemodified',
  'dateupdated',
];
const MAX_NAME = 200;
/** A longer text is a paragraph of its own. */
const MAX_LINE = 200;

export const rowId = (path: readonly string[], key: readonly string[]): string =>
  [...path.map(encode), key.map(encode).join(',')].join(':');

const encode = (text: string) => text.replace(/[%:,\p{Cc}]/gu, (char) => encodeURIComponent(char));

/** `texts`: of every column, as PostgreSQL writes it. */
export function toEntity(
  { relation, columns }: Shape,
  key: readonly string[],
  texts: readonly (string | null)[],
): Entity {
  const values = columns.map((column, i) => {
    const text = texts[i];
    return { column, value: text === null || text === undefined ? null : column.kind.toJson(text) };
  });
  const dateOf = (names: readonly string[]) =>
    firstOf(names, values, ({ column, value }) =>
      column.kind.moment ? toDate(value as string | null) : undefined,
    );
  return {
    id: rowId(relation.path, key),
    type: ENTITY_TYPE,
    name:
      firstOf(NAMES, values, ({ column, value }) => nameFrom(column, value)) ??
      `${relation.name} ${key.join(', ')}`,
    text: toText(values),
    breadcrumbs: [
      ...(relation.schema === null
        ? []
        : [{ id: relation.schema, name: relation.schema, type: 'schema' }]),
      { id: relation.partition, name: relation.name, type: relation.kind },
    ],
    createdAt: dateOf(CREATED),
    updatedAt: dateOf(UPDATED),
    fields: Object.fromEntries(values.map(({ column, value }) => [column.name, value])),
  };
}

interface Value {
  readonly column: ShapedColumn;
  readonly value: unknown;
}

/** Of the columns with one of these names, tried in the order of the names. */
function firstOf<T>(
  names: readonly string[],
  values: readonly Value[],
  read: (value: Value) => T | undefined,
): T | undefined {
  for (const name of names)
    for (const value of values) {
      if (value.column.name.toLowerCase().replaceAll('_', '') !== name) continue;
      const found = read(value);
      if (found !== undefined) return found;
    }
  return undefined;
}

function nameFrom(column: ShapedColumn, value: unknown): string | undefined {
  if (!column.kind.searchable || typeof value !== 'string') return undefined;
  const line = value.replace(/\s+/g, ' ').trim();
  return line === '' ? undefined : beginningOf(line, MAX_NAME);
}

function toDate(value: string | null): Date | undefined {
  const date = new Date(value ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function toText(values: readonly Value[]): string {
  const parts = values.flatMap(({ column, value }) => {
    const text = column.kind.searchable ? wordsOf(value) : '';
    if (text === '') return [];
    const isLong = text.length > MAX_LINE || text.includes('\n');
    return [{ text: `**${column.name}**:${isLong ? '\n\n' : ' '}${text}`, isLong }];
  });
  return parts
    .map(({ text, isLong }, i) => {
      if (i === 0) return text;
      return `${isLong || parts[i - 1]?.isLong ? '\n\n' : '\n'}${text}`;
    })
    .join('');
}

function wordsOf(value: unknown): string {
  if (value === null) return '';
  if (typeof value === 'string') return value.trim();
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
    ? value.join(', ')
    : JSON.stringify(value);
}
