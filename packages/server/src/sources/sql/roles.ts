/**
 * Recognizes the meaning of columns by their names; underscores, and upper and lower case, do not matter. Some columns name
 * a row: names and titles are preferred to columns that only identify it, such as a number or a code. Others hold the
 * time at which the row was created or changed.
 */
import type { ValueKind } from './kinds.ts';

/** The best columns come first. When a column of a row has no value, the next column is used. */
export interface Roles extends Naming {
  readonly created: readonly string[];
  readonly updated: readonly string[];
}

/** Each list of columns makes one possible name of a row: their values, joined by a space. */
export interface Naming {
  readonly names: readonly (readonly string[])[];
  /** Identifiers are used when a row has no better name. */
  readonly identifiers: readonly (readonly string[])[];
}

interface NamedColumn {
  readonly name: string;
  readonly kind: ValueKind;
}

const NAMES = ['name', 'title', 'subject', 'displayname', 'fullname', 'label', 'headline'];
/** These words follow the name of the table, as in `product_name`. */
const OWN_NAMES = ['name', 'title', 'label'];
const FIRST_NAMES = ['firstname', 'givenname', 'forename'];
const LAST_NAMES = ['lastname', 'familyname', 'surname'];
const OWN_IDENTIFIERS = ['number', 'no', 'nr', 'code', 'key'];
const IDENTIFIERS = [
  'number',
  'reference',
  'code',
  'sku',
  'slug',
  'username',
  'login',
  'email',
  'filename',
];

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

export const rolesOf = (table: string, columns: readonly NamedColumn[]): Roles => ({
  ...namingOf(table, columns),
  created: columnsNamed(CREATED, MOMENTS, columns),
  updated: columnsNamed(UPDATED, MOMENTS, columns),
});

export function namingOf(table: string, columns: readonly NamedColumn[]): Naming {
  const own = (endings: readonly string[]) =>
    singulars(plain(table)).flatMap((one) => endings.map((ending) => `${one}${ending}`));
  const alone = (names: readonly string[], kinds: ReadonlySet<ValueKind['is']>) =>
    columnsNamed(names, kinds, columns).map((name) => [name]);
  const [first] = columnsNamed(FIRST_NAMES, WORDS, columns);
  const [last] = columnsNamed(LAST_NAMES, WORDS, columns);
  const persons = first !== undefined && last !== undefined ? [[first, last]] : [];
  return {
    names: [...alone([...NAMES, ...own(OWN_NAMES)], WORDS), ...persons],
    identifiers: alone([...own(OWN_IDENTIFIERS), ...IDENTIFIERS], COUNTED),
  };
}

const columnsNamed = (
  names: readonly string[],
  kinds: ReadonlySet<ValueKind['is']>,
  columns: readonly NamedColumn[],
): string[] =>
  names.flatMap((wanted) =>
    columns.flatMap(({ name, kind }) =>
      plain(name) === wanted && kinds.has(kind.is) ? [name] : [],
    ),
  );

const MOMENTS: ReadonlySet<ValueKind['is']> = new Set(['moment']);
const WORDS: ReadonlySet<ValueKind['is']> = new Set(['words']);
const COUNTED: ReadonlySet<ValueKind['is']> = new Set(['words', 'number']);

const plain = (name: string): string => name.toLowerCase().replaceAll('_', '');

/** Returns the possible English singulars of the name of a table, and the name itself. */
const singulars = (table: string): string[] => [
  ...new Set([
    table.replace(/ies$/, 'y'),
    table.replace(/s$/, ''),
    table.replace(/es$/, ''),
    table,
  ]),
];
