/**
 * Lets a language model understand restrictions written in a query. It chooses among the sources and types of
 * which the asker may see something, and can only narrow a search: the restrictions that it finds are added to the
 * caller's filter.
 */
import { z } from 'zod';
import { terms } from '../../model/terms.ts';
import { type Clause, StandardFilter } from '../filter-schema.ts';
import type { Interpretation, Names } from '../interpret.ts';
import type { Assistant } from './assistant.ts';

/** A prompt holds this many names; a collection with more is rare. */
const MAX_NAMES = 200;

const Understood = z.object({
  search_for: z.string().describe('The query without the restrictions that were taken from it.'),
  sources: z.array(z.string()).describe('Only records from these sources; empty for any.'),
  types: z.array(z.string()).describe('Only records of these types; empty for any.'),
  name_contains: z.string().nullable().describe('A part of the name of the record.'),
  updated_from: z.string().nullable().describe('ISO 8601, the first instant that counts.'),
  updated_before: z.string().nullable().describe('ISO 8601, the first instant that does not.'),
  created_from: z.string().nullable(),
  created_before: z.string().nullable(),
});

const INSTRUCTIONS = `A query for a search engine may say in words which records it is about: from which source, of which
type, from which time. Take such restrictions out of the query. Use only sources and types from the lists, spelt as
they are there. Take only what the query says plainly; when in doubt, restrict nothing and leave the words in
the query. Times are in UTC and relative to now.`;

export async function interpretByModel(
  assistant: Assistant,
  { query, names, now }: { readonly query: string; readonly names: Names; readonly now: Date },
): Promise<Interpretation | undefined> {
  const answer = await assistant.ask(
    {
      purpose: 'interpret',
      instructions: INSTRUCTIONS,
      material: [
        { label: 'query', text: query },
        { label: 'sources', text: names.sources.slice(0, MAX_NAMES).join('\n') },
        { label: 'types', text: names.types.slice(0, MAX_NAMES).join('\n') },
        // The model gets only the day, because with the time of day no answer would come from the cache.
        { label: 'now', text: now.toISOString().slice(0, 10) },
      ],
      schema: Understood,
      maxOutputTokens: 400,
      timeoutMs: 4_000,
    },
    'cached',
  );
  return answer && interpretationOf(answer, query, names);
}

function interpretationOf(
  answer: z.infer<typeof Understood>,
  query: string,
  { sources, types }: Names,
): Interpretation {
  const must: Clause[] = [
    ...among('source_name', answer.sources, sources),
    ...among('entity_type', answer.types, types),
    ...(answer.name_contains?.trim()
      ? [{ key: 'name', match: { text: answer.name_contains.trim() } }]
      : []),
    ...between('updated_at', answer.updated_from, answer.updated_before),
    ...between('created_at', answer.created_from, answer.created_before),
  ].filter((clause) => StandardFilter.safeParse({ must: clause }).success);
  if (must.length === 0) return { query, filter: null };
  // The rest of the query must consist of words of the query, else the whole query stays.
  const asked = new Set(terms(query));
  const left = terms(answer.search_for);
  const isPart = left.length > 0 && left.every((term) => asked.has(term));
  return { query: isPart ? answer.search_for : query, filter: { must } };
}

/** A name that the collection does not have restricts nothing. */
function among(key: string, chosen: readonly string[], known: readonly string[]): Clause[] {
  const any = known.filter((name) => chosen.includes(name));
  return any.length === 0 ? [] : [{ key, match: { any } }];
}

const between = (key: string, from: string | null, before: string | null): Clause[] => [
  ...(from ? [{ key, range: { gte: from } }] : []),
  ...(before ? [{ key, range: { lt: before } }] : []),
];
