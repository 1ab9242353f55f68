/**
 * A set is a collection with questions that a person might ask about it. Its folder under `sets` has `corpus.jsonl`
 * {id, title, text} and `questions.jsonl` {id, question, kind, answers, split}. An answer is a part of a sentence: a
 * quote is right when it contains one of the answers. No record of the collection answers a question without answers.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type JudgedDocument, readDocuments } from '../../packages/server/src/eval/judged.ts';

const ANSWERABLE = ['question', 'short', 'paraphrase'] as const;
const UNANSWERABLE = ['near', 'uncovered', 'elsewhere'] as const;
export const KINDS = [...ANSWERABLE, ...UNANSWERABLE];
export const SPLITS = ['tune', 'check'] as const;
export type Split = (typeof SPLITS)[number];

export interface AnswerQuestion {
  readonly id: string;
  readonly question: string;
  readonly kind: (typeof KINDS)[number];
  /** The list is empty when nothing in the collection answers the question. */
  readonly answers: readonly string[];
  readonly split: Split;
}

export interface AnswerSet {
  readonly name: string;
  readonly documents: readonly JudgedDocument[];
  readonly questions: readonly AnswerQuestion[];
}

const FOLDER = join(import.meta.dirname, 'sets');

export const setNames = (): string[] => readdirSync(FOLDER).toSorted();

/** Throws an Error for an unknown set, and for a question whose answers contradict its kind or the collection. */
export function readSet(name: string): AnswerSet {
  if (!setNames().includes(name))
    throw new Error(`set '${name}' is not known: give one or more of ${setNames().join(', ')}`);
  const folder = join(FOLDER, name);
  const documents = readDocuments(folder);
  const whole = documents.map(({ title, text }) => comparable(`${title}\n${text}`)).join('\n');
  const questions = readFileSync(join(folder, 'questions.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as AnswerQuestion);
  for (const question of questions) check(name, question, whole);
  if (new Set(questions.map(({ id }) => id)).size < questions.length)
    throw new Error(`${name}: two questions have the same id`);
  return { name, documents, questions };
}

/** Returns the text in the form in which answers and quotes are compared. */
export const comparable = (text: string): string => text.replace(/\s+/g, ' ').toLowerCase();

function check(set: string, { id, kind, answers, split }: AnswerQuestion, whole: string): void {
  const isKnown = (names: readonly string[], name: string) => names.includes(name);
  if (!isKnown(SPLITS, split)) throw new Error(`${set}: ${id} has the unknown split '${split}'`);
  if (!isKnown(answers.length > 0 ? ANSWERABLE : UNANSWERABLE, kind))
    throw new Error(`${set}: ${id} has ${answers.length} answers, but the kind '${kind}'`);
  const missing = answers.find((answer) => !whole.includes(comparable(answer)));
  if (missing !== undefined)
    throw new Error(`${set}: no record contains the answer '${missing}' of ${id}`);
}
