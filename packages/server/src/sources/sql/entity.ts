/**
 * Turns a row into an entity.
 *
 * The id is `<table>:<key>`, or `<schema>:<table>:<key>` when the table is not in the schema of the credentials; the
 * values of a composite key are joined by commas. Percent signs, colons, commas and control characters are
 * percent-encoded, so that two keys never give the same id. The type is the table of the row.
 */
import type { Entity } from '../../model/entity.ts';
import { beginningOf } from '../../util.ts';
import { MAX_NAME, type Shape } from './shape.ts';
import { type ColumnValue, textOf } from './text.ts';

export const rowId = (path: readonly string[], key: readonly string[]): string =>
  [...path.map(encode), key.map(encode).join(',')].join(':');

const encode = (text: string) => text.replace(/[%:,\p{Cc}]/gu, (char) => encodeURIComponent(char));

interface RowValues {
  /** These are the names of the rows to which the foreign keys refer, in the order of the shape's references. */
  readonly names: readonly (string | null)[];
  /** These are the values of the shown columns, as the server writes them. */
  readonly texts: readonly (string | null)[];
}

export function toEntity(
  { relation, shown, roles, references }: Shape,
  key: readonly string[],
  { names, texts }: RowValues,
): Entity {
  const { label, schema, partition, kind } = relation;
  const values = new Map(
    shown.map((column, i): [string, ColumnValue] => {
      const text = texts[i] ?? null;
      return [column.name, { column, text, json: text === null ? null : column.kind.toJson(text) }];
    }),
  );
  const named = references.flatMap((reference, i) => {
    const name = names[i];
    return name ? [{ reference, name }] : [];
  });
  const own = nameIn(roles.names, values);
  const name = own ?? `${relation.name} ${nameIn(roles.identifiers, values) ?? key.join(', ')}`;
  return {
    id: rowId(relation.path, key),
    type: label,
    name,
    text: textOf(
      own === undefined ? `**${name}**` : `**${name}** (${label})`,
      values.values(),
      named,
    ),
    breadcrumbs: [
      ...(schema === null ? [] : [{ id: schema, name: schema, type: 'schema' }]),
      { id: partition, name: relation.name, type: kind },
    ],
    createdAt: dateIn(roles.created, values),
    updatedAt: dateIn(roles.updated, values),
    fields: Object.fromEntries([...values].map(([column, { json }]) => [column, json])),
  };
}

type ColumnValues = ReadonlyMap<string, ColumnValue>;

function nameIn(
  candidates: readonly (readonly string[])[],
  values: ColumnValues,
): string | undefined {
  for (const columns of candidates) {
    const name = lineOf(columns.map((column) => values.get(column)?.text ?? '').join(' '));
    if (name !== '') return name;
  }
  return undefined;
}

/** Returns the text without line breaks, shortened to MAX_NAME characters. */
export const lineOf = (text: string): string =>
  beginningOf(text.replace(/\s+/g, ' ').trim(), MAX_NAME);

function dateIn(columns: readonly string[], values: ColumnValues): Date | undefined {
  for (const column of columns) {
    const date = new Date((values.get(column)?.json as string | null) ?? Number.NaN);
    if (!Number.isNaN(date.getTime())) return date;
  }
  return undefined;
}
