/**
 * Known items are queries made out of the documents themselves. They play a user who looks for a document that the user
 * has seen before. Each document gives at most one query, and is the only right answer to it; the kinds of queries take
 * turns.
 *
 * - title: the title of the document;
 * - heading: a heading that no other document has;
 * - sentence: a sentence, of which two words are forgotten;
 * - rare: a few of a sentence's rarest words.
 *
 * The same documents and seed give the same queries.
 */
import { words } from '../model/terms.ts';
import { isStopWord, stem } from '../model/word-table.ts';
import type { JudgedDocument, JudgedQuery } from './judged.ts';
import { createRandom, shuffled } from './random.ts';

const SENTENCE = { fewest: 8, most: 30 };
const RARE = { fewest: 2, most: 5 };
const FORGOTTEN = 2;
/** A query with fewer content words than this says too little. */
const FEWEST_WORDS = 2;

type QueryMaker = (document: JudgedDocument, corpus: Corpus, random: () => number) => string | null;

interface Corpus {
  /** The map counts the documents that have the stem. */
  readonly frequency: ReadonlyMap<string, number>;
  /** The map counts the documents that have the title or heading. */
  readonly headings: ReadonlyMap<string, number>;
}

/** Returns `count` queries, or fewer when the documents do not give more. */
export function knownItems(
  documents: readonly JudgedDocument[],
  count: number,
  seed: number,
): JudgedQuery[] {
  const random = createRandom(seed);
  const corpus = survey(documents);
  const queries: JudgedQuery[] = [];
  for (const document of shuffled(documents, random)) {
    if (queries.length === count) break;
    // A document that does not give a query of this kind is tried with the next kind.
    for (let i = 0; i < KINDS.length; i++) {
      const [kind, make] = KINDS[(queries.length + i) % KINDS.length]!;
      const text = make(document, corpus, random);
      if (text === null || contentOf(text).length < FEWEST_WORDS) continue;
      const id = `${kind}-${queries.length + 1}`;
      queries.push({ id, text, relevant: new Map([[document.id, 1]]) });
      break;
    }
  }
  return queries;
}

const KINDS: readonly (readonly [string, QueryMaker])[] = [
  ['title', ({ title }, { headings }) => (headings.get(fold(title)) === 1 ? title : null)],
  [
    'heading',
    (document, { headings }, random) =>
      pick(
        headingsOf(document).filter((heading) => headings.get(fold(heading)) === 1),
        random,
      ),
  ],
  [
    'sentence',
    (document, _, random) => {
      const sentence = pick(sentencesOf(document), random);
      if (sentence === null) return null;
      const left = words(sentence);
      for (let i = 0; i < FORGOTTEN; i++) left.splice(Math.floor(random() * left.length), 1);
      return left.join(' ');
    },
  ],
  [
    'rare',
    (document, { frequency }, random) => {
      const sentence = pick(sentencesOf(document), random);
      if (sentence === null) return null;
      const of = (word: string) => frequency.get(stem(word)) ?? 0;
      // A word that only this document has would make the query too easy.
      const usable = [...new Set(contentOf(sentence))].filter((word) => of(word) > 1);
      const most = RARE.fewest + Math.floor(random() * (RARE.most - RARE.fewest + 1));
      const kept = new Set(usable.toSorted((a, b) => of(a) - of(b)).slice(0, most));
      return words(sentence)
        .filter((word) => kept.delete(word))
        .join(' ');
    },
  ],
];

function survey(documents: readonly JudgedDocument[]): Corpus {
  const frequency = new Map<string, number>();
  const headings = new Map<string, number>();
  const count = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1);
  for (const document of documents) {
    for (const one of new Set(words(document.text).map(stem))) count(frequency, one);
    const named = [document.title, ...headingsOf(document)].map(fold);
    for (const one of new Set(named)) count(headings, one);
  }
  return { frequency, headings };
}

const headingsOf = ({ title, text }: JudgedDocument): string[] =>
  [...text.matchAll(/^#{1,6} +(.+?) *#*$/gm)]
    .map(([, heading = '']) => heading)
    .filter((heading) => fold(heading) !== fold(title));

const sentencesOf = ({ text }: JudgedDocument): string[] =>
  text.split(/(?<=[.!?])\s+|\n\s*\n/).filter((sentence) => {
    const count = words(sentence).length;
    return count >= SENTENCE.fewest && count <= SENTENCE.most;
  });

const contentOf = (text: string): string[] => words(text).filter((word) => !isStopWord(word));

const fold = (heading: string): string => words(heading).join(' ');

const pick = (from: readonly string[], random: () => number): string | null =>
  from[Math.floor(random() * from.length)] ?? null;
