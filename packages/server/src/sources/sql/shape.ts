/**
 * A shape describes how the rows of a table or query are selected, and what each selected value means.
 *
 * A selected row consists of its key, its mark (in a continuous sync), its size, the names of the rows to which its
 * foreign keys refer (as a JSON array), and its shown columns. Of bytes only the length is selected. The columns of a
 * row with more than MAX_ROW_BYTES are not selected, so that one very large value cannot use up the memory.
 */
import { SourceError } from '../../errors.ts';
import type { ValueKind } from './kinds.ts';
import type { Relation } from './relations.ts';
import { type Roles, rolesOf } from './roles.ts';
import { isSecret } from './secret-columns.ts';

export const MAX_ROW_BYTES = 10 * 1024 * 1024;

/** A name is shortened to this many characters. */
export const MAX_NAME = 200;

/** The values are in the text form of the server. */
export type RawRow = readonly (string | null)[];

export interface ShapedColumn {
  readonly name: string;
  /** This is the name of the type in SQL. A mark is valid only while the type of its column stays the same. */
  readonly typeName: string;
  readonly kind: ValueKind;
}

/**
 * A reference is a foreign key with SQL that returns the name of the row to which it refers. The SQL is a subquery in
 * the statement that reads the rows. So it sees the same state of the database, and cannot repeat or drop a row as a
 * join could. If the user may not read the other table, the name is null.
 */
export interface Reference {
  /** These are the columns of the foreign key, in the order of the key. */
  readonly columns: readonly string[];
  /** The foreign key refers to this table and to these columns of it, one for each of `columns`. */
  readonly table: string;
  readonly keys: readonly string[];
  /**
   * This SQL expression over the row `r` returns the name or null. It is null when the other table has no column for a
   * name, or the user may not read it.
   */
  readonly sql: string | null;
}

export interface Shape<Column extends ShapedColumn = ShapedColumn> {
  readonly relation: Relation;
  readonly columns: readonly Column[];
  /** These columns are selected. The others are left out because their names say that they hold secrets. */
  readonly shown: readonly Column[];
  /** This is the meaning of the shown columns. */
  readonly roles: Roles;
  /** These are the references that have SQL for a name. */
  readonly references: readonly (Reference & { readonly sql: string })[];
}

/** Throws a SourceError 'config' when two columns have the same name, or a column of the key is missing. */
export function checkColumns(relation: Relation, columns: readonly { name: string }[]): void {
  const names = new Set<string>();
  for (const { name } of columns) {
    if (names.has(name))
      throw new SourceError(
        'config',
        `the query ${relation.label} has two columns ${name}: name one of them otherwise, with AS`,
      );
    names.add(name);
  }
  const missing = relation.key.find((name) => !names.has(name));
  if (missing !== undefined)
    throw new SourceError(
      'config',
      `the ${relation.kind} ${relation.label} has no column ${missing}, which its key names`,
    );
}

export function shapeOf<Column extends ShapedColumn>(
  relation: Relation,
  columns: readonly Column[],
  references: readonly Reference[],
): Shape<Column> {
  // A foreign key that refers to a secret column contains the secret, so it counts as secret too.
  const namesOf = (name: string) =>
    references.flatMap(({ columns, keys }) => keys.filter((_, i) => columns[i] === name));
  const shown = columns.filter(
    ({ name, kind }) => ![name, ...namesOf(name)].some((one) => isSecret(one, kind)),
  );
  const isShown = (name: string) => shown.some((one) => one.name === name);
  return {
    relation,
    columns,
    shown,
    roles: rolesOf(relation.name, shown),
    references: references.flatMap(({ sql, ...reference }) =>
      sql !== null && reference.columns.every(isShown) ? [{ ...reference, sql }] : [],
    ),
  };
}
