/**
 * A judged set holds the documents to search, the queries, and which documents answer them. Its files are those of
 * BEIR: `corpus.jsonl` {_id or id, title?, text}, `queries.jsonl` {_id or id, text}, and `qrels.tsv` or
 * `qrels/test.tsv` with lines of query, document and grade; a document with a grade over 0 is relevant.
 */
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { beginningOf } from '../util.ts';

export interface JudgedDocument {
  readonly id: string;
  /** The title is empty when the document has none. */
  readonly title: string;
  readonly text: string;
}

export interface JudgedQuery {
  readonly id: string;
  readonly text: string;
  /** The map leads from the id of each relevant document to its grade, which is over 0. */
  readonly relevant: ReadonlyMap<string, number>;
}

export interface JudgedSet {
  readonly name: string;
  readonly documents: readonly JudgedDocument[];
  readonly queries: readonly JudgedQuery[];
}

const id = z.union([z.string().min(1), z.number()]).transform(String);
const Identified = z.union([
  z.object({ _id: id }).transform(({ _id }) => _id),
  z.object({ id }).transform((line) => line.id),
]);
const Line = z.object({ title: z.string().nullish(), text: z.string() });

/** Throws an Error that names the file and the line that is malformed. */
export function readDocuments(folder: string): JudgedDocument[] {
  const documents = lines(join(folder, 'corpus.jsonl')).map(({ at, text }) => {
    const line = parsed(at, text);
    return { id: line.id, title: line.title ?? '', text: line.text };
  });
  return distinct(join(folder, 'corpus.jsonl'), documents);
}

/**
 * Returns the queries with at least one relevant document. `known` has the ids of the documents; without it (null),
 * the documents that are judged need not exist. Throws as `readDocuments` does.
 */
export function readQueries(folder: string, known: ReadonlySet<string> | null): JudgedQuery[] {
  const judgements = readJudgements(folder);
  const path = join(folder, 'queries.jsonl');
  const queries = distinct(
    path,
    lines(path).map(({ at, text }) => parsed(at, text)),
  );
  const asked = new Set(queries.map((query) => query.id));
  for (const [query, { at, relevant }] of judgements) {
    if (!asked.has(query)) throw new Error(`${at}: queries.jsonl has no query ${query}`);
    for (const document of relevant.keys())
      if (known && !known.has(document))
        throw new Error(`${at}: corpus.jsonl has no document ${document}`);
  }
  return queries.flatMap(({ id: query, text }) => {
    const relevant = judgements.get(query)?.relevant;
    return relevant && relevant.size > 0 ? { id: query, text, relevant } : [];
  });
}

/** Returns the documents without their titles. */
export const untitled = (documents: readonly JudgedDocument[]): JudgedDocument[] =>
  documents.map((document) => ({ ...document, title: '' }));

/**
 * Gives every document the first characters of its text as its title, as sources do for messages, notes and rows. Runs
 * of white space become one blank.
 */
export const withCutNames = (
  documents: readonly JudgedDocument[],
  characters: number,
): JudgedDocument[] =>
  documents.map((document) => ({
    ...document,
    title: beginningOf(document.text.replace(/\s+/g, ' ').trim(), characters),
  }));

export const nameOf = (folder: string): string => basename(join(folder, '.'));

function readJudgements(folder: string) {
  const path = [join(folder, 'qrels.tsv'), join(folder, 'qrels', 'test.tsv')].find(existsSync);
  if (!path) throw new Error(`${folder} has neither qrels.tsv nor qrels/test.tsv`);
  const judgements = new Map<string, { at: string; relevant: Map<string, number> }>();
  lines(path).forEach(({ at, text }, i) => {
    const [query = '', document = '', grade = '', ...more] = text.split('\t');
    // The first line may name the columns.
    if (i === 0 && Number.isNaN(Number(grade))) return;
    if (grade === '' || more.length > 0 || Number.isNaN(Number(grade)))
      throw new Error(`${at}: expected query, document and grade, separated by tabs`);
    const judgement = judgements.get(query) ?? { at, relevant: new Map<string, number>() };
    judgements.set(query, judgement);
    if (Number(grade) > 0) judgement.relevant.set(document, Number(grade));
  });
  return judgements;
}

function lines(path: string): { at: string; text: string }[] {
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`cannot read ${path}: ${(error as Error).message}`, { cause: error });
  }
  return content
    .split(/\r?\n/)
    .map((text, i) => ({ at: `${path}:${i + 1}`, text }))
    .filter(({ text }) => text.trim() !== '');
}

function parsed(at: string, text: string): z.infer<typeof Line> & { id: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`${at}: this is not JSON (${(error as Error).message})`, { cause: error });
  }
  const identity = Identified.safeParse(value);
  if (!identity.success) throw new Error(`${at}: an object with "_id" or "id" is expected`);
  const line = Line.safeParse(value);
  if (!line.success) throw new Error(`${at}: "text" has to be a string, and "title" where it is`);
  return { ...line.data, id: identity.data };
}

function distinct<Item extends { readonly id: string }>(path: string, items: Item[]): Item[] {
  const seen = new Set<string>();
  for (const item of items) {
    if (seen.has(item.id)) throw new Error(`${path}: the id ${item.id} occurs twice`);
    seen.add(item.id);
  }
  if (items.length === 0) throw new Error(`${path} is empty`);
  return items;
}
