/**
 * Lets a language model write an answer from the results, in sentences that name the passages which support them.
 */
import { z } from 'zod';
import type { LlmQuestion } from '../../engines/llm/llm.ts';
import { beginningOf } from '../../util.ts';
import type { Draft, Passage } from '../passage.ts';
import type { Assistant } from './assistant.ts';
import { grounded } from './grounded.ts';

/** A model reads this many passages, and LONGEST characters of each. */
export const SHOWN = 10;
const LONGEST = 2000;
const TIMEOUT_MS = 15_000;

const Shape = z.object({
  answered: z.boolean().describe('False when the passages do not answer the question.'),
  text: z.string(),
});

export const answerPrompt = (
  question: string,
  passages: readonly Passage[],
): Omit<LlmQuestion<z.infer<typeof Shape>>, 'timeoutMs'> => ({
  purpose: 'answer',
  instructions:
    'Answer the question from the passages alone, in its language, in a few sentences. Put the numbers ' +
    'of the passages that say so in square brackets at the end of each sentence, like [1] or [2][3]. ' +
    'Use the words of the passages. Leave out what they do not say.',
  material: [
    { label: 'question', text: question },
    ...passages.map((passage, i) => shown(passage, i, LONGEST)),
  ],
  schema: Shape,
  maxOutputTokens: 1000,
});

/** Returns a passage under its number, with the name and the heading above it. */
export function shown({ row }: Pick<Passage, 'row'>, i: number, characters: number) {
  const above = [row.name, row.heading].filter(Boolean).join(' > ');
  return { label: `passage ${i + 1}`, text: `${above}\n${beginningOf(row.text, characters)}` };
}

export const NOT_ANSWERED = 'What was found does not answer the question.';

/**
 * Returns undefined when no model has answered, or when `grounded` keeps no sentence of the answer. Returns
 * `NOT_ANSWERED` without citations when the model says that the passages do not answer the question.
 */
export async function writeAnswer(
  assistant: Assistant,
  question: { readonly text: string; readonly terms: readonly string[] },
  passages: readonly Passage[],
): Promise<Draft | undefined> {
  const read = passages.slice(0, SHOWN);
  const prompt = { ...answerPrompt(question.text, read), timeoutMs: TIMEOUT_MS };
  const said = await assistant.ask(prompt, 'uncached');
  if (!said) return undefined;
  if (!said.answered) return { text: NOT_ANSWERED, citations: [] };
  return grounded(said.text, question, read) ?? undefined;
}
