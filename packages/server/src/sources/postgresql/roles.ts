/**
 * Tells what columns mean, by their names alone, in any case and with or without underscores: which columns name a
 * row (a name or a title comes before a column that merely identifies it, such as a number or a code), and which
 * columns say when it was made and changed.
 */
import type { ValueKind } from './values.ts';

/** The best columns come first: when a column has no value, the next one counts. */
export interface Roles extends Naming {
  readonly created: readonly string[];
  readonly updated: readonly string[];
}

/** The values of such columns, joined by a space, name a row. */
export interface Naming {
  readonly names: readonly (readonly string[])[];
  /** Identifiers tell rows apart, but do not say what they are. */
  readonly identifiers: readonly (readonly string[])[];
}

interface NamedColumn {
  readonly name: string;
  readonly kind: ValueKind;
}

const NAMES = ['name', 'title', 'subject', 'displayname', 'fullname', 'label', 'headline'];
/** These names stand behind the name of the table, as in `product_name`. */
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
  created: called(CREATED, MOMENTS, columns),
  updated: called(UPDATED, MOMENTS, columns),
});

export function namingOf(table: string, columns: readonly NamedColumn[]): Naming {
  const own = (endings: readonly string[]) =>
    singulars(plain(table)).flatMap((one) => endings.map((ending) => `${one}${ending}`));
  const alone = (names: readonly string[], kinds: ReadonlySet<ValueKind['is']>) =>
    called(names, kinds, columns).map((name) => [name]);
  const [first] = called(FIRST_NAMES, WORDS, columns);
  const [last] = called(LAST_NAMES, WORDS, columns);
  const persons = first !== undefined && last !== undefined ? [[first, last]] : [];
  return {
    names: [...alone([...NAMES, ...own(OWN_NAMES)], WORDS), ...persons],
    identifiers: alone([...own(OWN_IDENTIFIERS), ...IDENTIFIERS], COUNTED),
  };
}

const called = (
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

/** Returns what one row of a table may be called in English, and the name of the table itself. */
const singulars = (table: string): string[] => [
  ...new Set([
    table.replace(/ies$/, 'y'),
    table.replace(/s$/, ''),
    table.replace(/es$/, ''),
    table,
  ]),
];
