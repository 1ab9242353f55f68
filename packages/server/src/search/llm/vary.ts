/** Lets a language model expand a query by other ways to ask for the same. */
import { z } from 'zod';
import { terms } from '../../model/terms.ts';
import { beginningOf } from '../../util.ts';
import type { Assistant } from './assistant.ts';

const MAX_VARIATIONS = 3;
/** A variation is a short query, so it is cut to this many characters. */
const LONGEST = 300;

const Variations = z.object({
  variations: z.array(z.string()).describe(`At most ${MAX_VARIATIONS} queries.`),
});

const INSTRUCTIONS = `You help a search engine over the documents of an organization.
Write up to ${MAX_VARIATIONS} other queries that ask for the same as the query: with synonyms, with the words that such
documents use themselves, with abbreviations written out. Keep names, numbers and identifiers as they are. Do not
add anything that was not asked for, and do not answer the query.`;

/** Returns undefined when no model has answered, else queries that have words and differ from each other. */
export async function vary(assistant: Assistant, query: string): Promise<string[] | undefined> {
  const answer = await assistant.ask(
    {
      purpose: 'expand',
      instructions: INSTRUCTIONS,
      material: [{ label: 'query', text: query }],
      schema: Variations,
      maxOutputTokens: 300,
      timeoutMs: 4_000,
    },
    'cached',
  );
  if (!answer) return undefined;
  const seen = new Set([terms(query).join(' ')]);
  const isNew = (variation: string) => {
    const said = terms(variation).join(' ');
    return said !== '' && !seen.has(said) && seen.add(said);
  };
  return answer.variations
    .map((variation) => beginningOf(variation.trim(), LONGEST))
    .filter(isNew)
    .slice(0, MAX_VARIATIONS);
}
