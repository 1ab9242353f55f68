/** A record is shown as the API lists it, or as a line of text. */
import { z } from 'zod';
import { cut } from '../budget.ts';

export const RecordItem = z.object({
  id: z.string(),
  entity_id: z.string(),
  name: z.string(),
  entity_type: z.string(),
  source_name: z.string(),
  breadcrumbs: z.array(z.string()),
  url: z.string(),
  updated_at: z.string().nullable(),
});
export type RecordItem = z.infer<typeof RecordItem>;

/** A name, and an address, may take at most this many tokens. */
export const NAME = 60;
const URL = 300;

/**
 * Shortens what no reader needs in full. An id stays whole, whatever its length, because a caller asks for the
 * record by it.
 */
export const briefItem = <Some extends Pick<RecordItem, 'name' | 'breadcrumbs' | 'url'>>(
  item: Some,
): Some => ({
  ...item,
  name: cut(item.name, NAME),
  breadcrumbs: item.breadcrumbs.slice(-5).map((name) => cut(name, NAME)),
  // A part of an address would lead nowhere.
  url: cut(item.url, URL) === item.url ? item.url : '',
});

export const headline = ({ name, entity_type, source_name, ...item }: RecordItem): string =>
  [
    `${[...item.breadcrumbs, name].join(' > ')} (${entity_type}, ${source_name})`,
    `id: ${item.id}`,
    item.updated_at && `updated ${item.updated_at}`,
    item.url,
  ]
    .filter(Boolean)
    .join(' · ');

/** Makes a query of the arguments that have a value. */
export function queryOf(values: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? '' : `?${query}`;
}

export const Narrow = {
  entity_type: z.string().optional().describe('Only records of this type.'),
  source_name: z.string().optional().describe('Only records of this source.'),
  after: z
    .string()
    .optional()
    .describe('Give `next` of the previous answer to continue from there.'),
};

export const next = z
  .string()
  .nullable()
  .describe('Give it as after to continue; null: nothing is left.');

/** This many tokens are reserved for the text around the parts of an answer. */
export const FRAME = 400;
