/**
 * An answer written by a language model from results, each sentence with the chunks that it rests on.
 *
 * What it says is checked sentence by sentence: one that names no result, or says words and numbers that
 * the results it names do not have, is left out. So the answer holds nothing that was not found, whatever
 * the model or a text in the results tries.
 */
import { z } from 'zod';
import { indexTerms, isStopWord, stem, words } from '../../model/terms.ts';
import type { Assistant } from './assistant.ts';

export interface Readable {
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

export interface Sentence {
  readonly text: string;
  /** Ids of results, at least one. */
  readonly citations: readonly string[];
}

const MOST_READ = 10;
/** Of one result, in characters. */
const MOST_TEXT = 2_000;
/** Share of a sentence's words that the results it names must have. */
const SUPPORTED = 0.6;

const Answer = z.object({
  sentences: z
    .array(
      z.object({
        text: z.string().describe('One sentence of the answer.'),
        results: z.array(z.int()).describe('Numbers of the results that say so.'),
      }),
    )
    .describe('Empty when the results do not answer the question.'),
});

const INSTRUCTIONS = `Answer the question from the numbered results alone, in a few plain sentences, in the language of the
question. Every sentence names the numbers of the results that say so. Use their own words for names, numbers and terms.
Say nothing that they do not say. When they do not answer the question, give no sentences.`;

/**
 * Undefined when no model has answered. Empty when the results do not answer the question, or when
 * nothing of what the model said stood the check.
 */
export async function write(
  assistant: Assistant,
  question: string,
  results: readonly Readable[],
): Promise<readonly Sentence[] | undefined> {
  const read = results.slice(0, MOST_READ);
  const answer = await assistant.ask(
    {
      purpose: 'answer',
      instructions: INSTRUCTIONS,
      material: [
        { label: 'question', text: question },
        ...read.map(({ name, text }, i) => ({
          label: `result ${i + 1}`,
          text: `${name}\n${text.slice(0, MOST_TEXT)}`,
        })),
      ],
      schema: Answer,
      maxOutputTokens: 800,
      timeoutMs: 15_000,
    },
    'anew',
  );
  return answer?.sentences.flatMap(({ text, results: numbers }) => {
    const named = [...new Set(numbers)].flatMap((number) => read[number - 1] ?? []);
    const sentence = text.replace(/\s+/g, ' ').trim();
    return named.length > 0 && isSupported(sentence, named, question)
      ? [{ text: sentence, citations: named.map(({ id }) => id) }]
      : [];
  });
}

/** Words of the question may be repeated; numbers must be in the results. */
function isSupported(sentence: string, named: readonly Readable[], question: string): boolean {
  const found = new Set(
    named.flatMap(({ name, text }) => indexTerms({ name, heading: null, text })),
  );
  const asked = new Set(words(question).map(stem));
  const said = words(sentence).filter((word) => !isStopWord(word));
  if (said.length === 0) return false;
  if (said.some((word) => /\d/.test(word) && !found.has(stem(word)))) return false;
  const known = said.filter((word) => found.has(stem(word)) || asked.has(stem(word)));
  return known.length / said.length >= SUPPORTED && said.some((word) => found.has(stem(word)));
}
