/** Writes the question for a language model in each step, and the shape of its answer. Passages have numbers. */
import { z } from 'zod';
import type { LlmQuestion } from '../../engines/llm/llm.ts';
import { shown } from '../llm/answer.ts';
import type { Passage } from '../passage.ts';

/** A model reads this many characters of each passage. */
const TO_JUDGE = 1200;

type UntimedQuestion<T> = Omit<LlmQuestion<T>, 'timeoutMs'>;

const Queries = z.array(z.string()).describe('Short search queries, at most four.');
const Numbers = z.array(z.int()).describe('Numbers of passages.');

const PlanShape = z.object({ reasoning: z.string(), strategy: z.string(), queries: Queries });

const JudgementShape = z.object({
  quality_score: z.number().min(0).max(1).describe('How much of the question they answer.'),
  needs_refinement: z.boolean(),
  relevant: Numbers,
  queries: Queries,
  read_around: Numbers,
});

const about = (question: string) => ({ label: 'question', text: question });

export const planPrompt = (question: string): UntimedQuestion<z.infer<typeof PlanShape>> => ({
  purpose: 'plan',
  instructions:
    'Plan searches over a collection of records that may answer the question. The question itself is ' +
    'searched for in any case. Give queries for what it leaves out: its parts one by one, other words ' +
    'that such records would use, names in it. Say in one sentence each what is asked for (reasoning) ' +
    'and how you look for it (strategy).',
  material: [about(question)],
  schema: PlanShape,
  maxOutputTokens: 500,
});

export const evaluatePrompt = (
  question: string,
  passages: readonly Passage[],
): UntimedQuestion<z.infer<typeof JudgementShape>> => ({
  purpose: 'evaluate',
  instructions:
    'Judge how well the passages answer the question. relevant: those that bear on it. If something ' +
    'is missing, needs_refinement is true, queries name what to search for next in other words than ' +
    'the question, and read_around names passages whose surroundings may hold the rest.',
  material: [about(question), ...passages.map((passage, i) => shown(passage, i, TO_JUDGE))],
  schema: JudgementShape,
  maxOutputTokens: 600,
});
