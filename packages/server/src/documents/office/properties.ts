/** Reads what a document says about itself. */
import { inOneLine } from '../../util.ts';
import type { About } from '../convert.ts';
import { cleanText } from '../plain.ts';
import { type OfficePackage, partOf } from './package.ts';
import type { XmlHandler } from './xml.ts';

const MAX_FIELD_CHARACTERS = 1000;
/** This matches a year, a month, a day or a time (ISO 8601). */
const ISO =
  /^\d{4}(?:-\d{2}(?:-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?)?)?$/;

/** Maps the names of elements of a metadata part to the fields. Of two elements for one field, the first is taken. */
export type AboutNames = Readonly<Record<string, keyof About>>;

/** The fields of core properties (ECMA-376 part 2, 8.3). */
const CORE: AboutNames = {
  title: 'title',
  creator: 'author',
  language: 'language',
  created: 'created_at',
  modified: 'modified_at',
};

export interface AboutReader extends XmlHandler {
  about(): About | undefined;
}

/** The value of the element `preferred` counts more than that of another one for the same field. */
export function createAboutReader(names: AboutNames, preferred?: string): AboutReader {
  const found: { -readonly [field in keyof About]: string } = {};
  let field: keyof About | null = null;
  let value = '';
  return {
    open(name) {
      if (field !== null || !Object.hasOwn(names, name)) return undefined;
      const own = names[name]!;
      field = own;
      value = '';
      return () => {
        const valid = validOf(own, value);
        if (valid !== '' && (name === preferred || found[own] === undefined)) found[own] = valid;
        field = null;
      };
    },
    text(data) {
      if (field !== null && value.length < MAX_FIELD_CHARACTERS) value += data;
    },
    about: () => (Object.keys(found).length > 0 ? found : undefined),
  };
}

/** Returns what the core properties of the document say, as a field of the result of a converter. */
export function coreProperties(document: OfficePackage): { readonly about?: About } {
  const reader = createAboutReader(CORE);
  document.read(partOf(document.relations(''), 'core-properties') ?? 'docProps/core.xml', reader);
  return aboutOf(reader);
}

export function aboutOf(reader: AboutReader): { readonly about?: About } {
  const about = reader.about();
  return about ? { about } : {};
}

function validOf(field: keyof About, value: string): string {
  const clean = inOneLine(cleanText(value.slice(0, MAX_FIELD_CHARACTERS)));
  switch (field) {
    case 'created_at':
    case 'modified_at':
      return ISO.test(clean) && !Number.isNaN(Date.parse(clean)) ? clean : '';
    case 'language':
      return /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,8}$/.test(clean) ? clean : '';
    default:
      return clean;
  }
}
