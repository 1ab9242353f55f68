/** Reads the properties of a page (https://developers.notion.com/reference/page-property-values). */
import { z } from 'zod';
import { inOneLine } from '../../util.ts';
import type { Http } from '../kit/http.ts';
import { DateValue, FileValue, type FoundRecord, type NotionPage, Person, Rich } from './answer.ts';
import { valuesAt } from './api.ts';
import type { Directory } from './directory.ts';
import { plain, spanOf } from './rich-text.ts';
import { wholeList } from './whole-list.ts';

/** A page has at most this many values of a property, and says nothing of the others. */
const MAX_VALUES = 25;
const LISTS = new Set(['title', 'rich_text', 'people', 'relation']);

const NotionProperty = z.looseObject({ id: z.string().catch(''), type: z.string() });
type NotionProperty = z.output<typeof NotionProperty>;

const Named = z.object({ name: z.string() });
const Items = z.array(z.unknown()).catch([]);

type Value = string | number | boolean | null | string[];
interface ReadProperty {
  /** Searches filter by this value. */
  readonly value: Value;
  readonly text: string;
  /** This is the end of a span of time. */
  readonly end?: string;
}

export function titleOf(found: FoundRecord): string {
  if (found.object === 'data_source') return plain(found.title) || 'Untitled';
  const { properties } = found;
  for (const property of Object.values(properties)) {
    const { data } = NotionProperty.safeParse(property);
    if (data?.type === 'title') return plain(Rich.parse(data.title)) || 'Untitled';
  }
  return 'Untitled';
}

interface PageProperties {
  readonly fields: Readonly<Record<string, Value>>;
  /** The text has a line for each property with a value. The title is not one of them. */
  readonly text: string;
}

export async function readProperties(
  http: Http,
  directory: Directory,
  page: NotionPage,
): Promise<PageProperties> {
  const fields: [string, Value][] = [];
  const lines: string[] = [];
  for (const [name, given] of Object.entries(page.properties)) {
    const { data: property } = NotionProperty.safeParse(given);
    if (!property || property.type === 'title' || property.type === 'button') continue;
    const { value, text, end } = await read(await whole(http, page, property), directory);
    fields.push([name, value]);
    if (end) fields.push([`${name} (end)`, end]);
    const line = inOneLine(text);
    if (line !== '') lines.push(`- ${name.replaceAll(/\s+/g, ' ')}: ${line}`);
  }
  return { fields: Object.fromEntries(fields), text: lines.join('\n') };
}

/** Returns the property with all of its values. */
async function whole(
  http: Http,
  { id }: NotionPage,
  property: NotionProperty,
): Promise<NotionProperty> {
  const { type } = property;
  const values = property[type];
  if (!LISTS.has(type) || !Array.isArray(values) || property.id === '') return property;
  if (values.length < MAX_VALUES && property.has_more !== true) return property;
  const all = await wholeList(
    () => valuesAt(http, id, property.id),
    (one) => JSON.stringify(one),
  );
  return { ...property, [type]: all.map((one) => one[one.type]) };
}

async function read(property: NotionProperty, directory: Directory): Promise<ReadProperty> {
  const given = property[property.type];
  switch (property.type) {
    case 'title':
    case 'rich_text':
      return ofText(plain(Rich.parse(given)));
    case 'date':
      return ofDate(given);
    case 'multi_select':
      return ofList(Items.parse(given).map(nameIn));
    case 'files':
      return ofList(Items.parse(given).map((file) => FileValue.safeParse(file).data?.name ?? ''));
    case 'people':
      return ofList(await Promise.all(Items.parse(given).map((one) => personIn(one, directory))));
    case 'created_by':
    case 'last_edited_by':
      return ofText(await personIn(given, directory));
    case 'relation':
      return ofList(
        await Promise.all(Items.parse(given).map((one, i) => relatedIn(one, i, directory))),
      );
    case 'formula':
    case 'rollup':
      return readInner(given, directory);
    default:
      return readSimple(property.type, given);
  }
}

/** The value of a formula or a rollup has a type of its own. */
async function readInner(given: unknown, directory: Directory): Promise<ReadProperty> {
  const { data: inner } = NotionProperty.safeParse(given);
  if (!inner) return NONE;
  if (inner.type !== 'array') return read(inner, directory);
  const parts: ReadProperty[] = [];
  for (const item of Items.parse(inner.array)) {
    const { data } = NotionProperty.safeParse(item);
    if (data) parts.push(await read(data, directory));
  }
  return ofList(parts.map(({ text }) => text));
}

function readSimple(type: string, given: unknown): ReadProperty {
  switch (type) {
    case 'select':
    case 'status':
      return ofText(nameIn(given));
    case 'verification':
      return ofText(z.object({ state: z.string() }).safeParse(given).data?.state ?? '');
    case 'place':
      return ofText(Place.safeParse(given).data?.join(', ') ?? '');
    case 'unique_id':
      return ofText(UniqueId.safeParse(given).data ?? '');
    default:
      // These values are numbers, texts, times and truth values, also those of types that are not known.
      return ofPlain(given);
  }
}

const Place = z
  .object({ name: z.string().nullish(), address: z.string().nullish() })
  .transform(({ name, address }) => [name, address].flatMap((one) => one || []));
const UniqueId = z
  .object({ prefix: z.string().nullish(), number: z.number() })
  .transform(({ prefix, number }) => (prefix ? `${prefix}-${number}` : String(number)));

const NONE: ReadProperty = { value: null, text: '' };
const ofText = (text: string): ReadProperty => (text === '' ? NONE : { value: text, text });
function ofList(list: readonly string[]): ReadProperty {
  const value = list.filter((one) => one !== '');
  return { value, text: value.join(', ') };
}
function ofPlain(given: unknown): ReadProperty {
  if (typeof given === 'boolean') return { value: given, text: given ? 'yes' : 'no' };
  if (typeof given === 'number' && Number.isFinite(given))
    return { value: given, text: String(given) };
  return typeof given === 'string' ? ofText(given) : NONE;
}
function ofDate(given: unknown): ReadProperty {
  const { data } = DateValue.safeParse(given);
  if (!data || data.start === '') return NONE;
  return { value: data.start, text: spanOf(data), ...(data.end !== '' && { end: data.end }) };
}

const nameIn = (given: unknown): string => Named.safeParse(given).data?.name ?? '';
async function personIn(given: unknown, directory: Directory): Promise<string> {
  const { data } = Person.safeParse(given);
  return data ? directory.label(data) : '';
}
/**
 * Returns the title of the related page. Returns its id when it is not shared with the integration, or comes after so
 * many others that their titles would cost too many requests.
 */
async function relatedIn(given: unknown, at: number, directory: Directory): Promise<string> {
  const { data } = z.object({ id: z.string() }).safeParse(given);
  if (!data) return '';
  const title = at < MAX_VALUES ? await directory.title({ kind: 'page', id: data.id }) : null;
  return title ?? data.id;
}
