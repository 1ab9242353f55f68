/**
 * Measures how right the quotes of an answer are that no language model has written. The questions are judged by
 * hand: some are about a handbook, and others about excerpts of longer texts, also of texts that are not in the
 * collection.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { split } from '../../documents/split.ts';
import { type Library as Collection, openTemporary } from '../../eval/library.ts';
import { RERANK } from '../../search/rank.ts';
import { SearchBody } from '../../search/schema.ts';
import { ask } from '../search/agentic-library.ts';
import { ENGINES, type Library, openLibrary } from '../search/library.ts';

interface Judged {
  readonly question: string;
  /** The question has this kind of difficulty. */
  readonly about: string;
  /** These sentences answer the question; the list is empty where nothing does. */
  readonly answers: readonly string[];
}

const read = (name: string) => readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');
const linesOf = <T>(name: string): T[] =>
  read(name)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as T);

/** Returns the quotes of an answer, without the ids that follow them. */
const quotesIn = (answer: string): string[] =>
  [...answer.matchAll(/(.+?) \[[^[\]]+__chunk_\d+\] ?/gs)].map(([, quote]) => quote ?? '');

for (const engine of ENGINES)
  describe(`the quotes of an answer from ${engine.name}`, () => {
    let library: Library;
    let collection: string;
    before(async () => {
      library = await openLibrary(engine);
      collection = await library.addCollection();
      const connection = await library.addConnection(collection);
      await library.put(collection, connection, linesOf('handbook.jsonl'));
    });
    after(() => library.close());

    for (const { question, about, answers } of linesOf<Judged>('handbook-questions.jsonl'))
      it(`[SRH-35] [SRH-31] ${about}: ${question}`, async () => {
        const body = { query: question, generate_answer: true, limit: 10 };
        const { completion = '' } = await library.search(collection, body);
        const { answer } = await ask(library, collection, { query: question, mode: 'fast' });
        for (const said of [completion, answer.text]) {
          const quotes = quotesIn(said);
          assert.deepEqual(
            quotes.filter((quote) => !answers.includes(quote)),
            [],
            said,
          );
          assert.equal(quotes.length > 0, answers.length > 0, said);
        }
        if (answers.length === 0) {
          assert.equal(
            completion,
            'No sentence in this collection answers the query, but the results may.',
          );
          assert.equal(
            answer.text,
            'No sentence in this collection answers the question, but the results may.',
          );
          assert.deepEqual(answer.citations, []);
        }
      });
  });

interface Excerpted {
  readonly question: string;
  readonly document: string;
  readonly excerpts: readonly (readonly [start: number, end: number])[];
}

const DOCUMENTS = ['state_of_the_union', 'chatlogs', 'finance'];
const texts = new Map(DOCUMENTS.map((name) => [name, read(`${name}.md`)]));
const plain = (text: string) => text.replace(/\s+/g, ' ').replace(/[.?!,;:\s]+$/, '');

const open = (documents: readonly string[]): Promise<Collection> =>
  openTemporary(
    documents.flatMap((name) =>
      split({ name: '', text: texts.get(name) ?? '' }).map(({ text }, i) => ({
        id: `${name}-${i}`,
        title: '',
        text,
      })),
    ),
    () => {},
  );

async function quotesOf({ place, searchWith }: Collection, query: string): Promise<string[]> {
  const request = {
    organizationId: place.organizationId,
    collectionIds: [place.collectionId],
    principals: null,
    body: SearchBody.parse({ query, generate_answer: true, limit: 10 }),
  };
  const { completion = '' } = await searchWith(RERANK).search(request, AbortSignal.timeout(60_000));
  return quotesIn(completion);
}

/** The floors lie a little below the measured values (docs/quality.md); raise them with every gain. */
describe('the quotes of an answer from long texts', () => {
  const questions = linesOf<Excerpted>('questions.jsonl');

  it('[SRH-31] hold what people have judged to answer', async (t) => {
    const library = await open(DOCUMENTS);
    const counts = { answered: 0, quotes: 0, right: 0 };
    for (const { question, document, excerpts } of questions) {
      const judged = excerpts.map((span) => plain(texts.get(document)?.slice(...span) ?? ''));
      const quotes = (await quotesOf(library, question)).map(plain);
      const right = quotes.filter((quote) =>
        judged.some((excerpt) => excerpt.includes(quote) || quote.includes(excerpt)),
      );
      if (right.length > 0) counts.answered++;
      counts.quotes += quotes.length;
      counts.right += right.length;
    }
    await library.close();
    t.diagnostic(JSON.stringify(counts));
    assert.ok(counts.answered >= 0.49 * questions.length);
    assert.ok(counts.right >= 0.4 * counts.quotes);
  });

  it('[SRH-35] are few where the text that answers is not there', async (t) => {
    let unanswered = 0;
    for (const missing of DOCUMENTS) {
      const library = await open(DOCUMENTS.filter((document) => document !== missing));
      for (const { question } of questions.filter(({ document }) => document === missing))
        if ((await quotesOf(library, question)).length === 0) unanswered++;
      await library.close();
    }
    t.diagnostic(`${unanswered} of ${questions.length} unanswered`);
    assert.ok(unanswered >= 0.95 * questions.length);
  });
});

interface Asked {
  readonly question: string;
  /** A right quote contains one of these; the list is empty where nothing in the collection answers. */
  readonly answers: readonly string[];
}

/** The other two collections of bench/answers are asked by `npm run bench:answers` only, because they take longer. */
describe('the answers to questions of which half have none', () => {
  const folder = new URL('../../../../../bench/answers/sets/', import.meta.url);
  const linesIn = <T>(name: string): T[] =>
    readFileSync(new URL(name, folder), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as T);
  const comparable = (text: string) => text.replace(/\s+/g, ' ').toLowerCase();

  for (const [set, floors] of Object.entries({
    company: { refused: 0.6, lost: 0.36, right: 0.85 },
    messages: { refused: 0.65, lost: 0.36, right: 0.75 },
    notes: { refused: 0.8, lost: 0.25, right: 0.8 },
  }))
    it(`[SRH-35] refuse and hold in ${set}`, async (t) => {
      const library = await openTemporary(linesIn(`${set}/corpus.jsonl`), () => {});
      const asked = linesIn<Asked>(`${set}/questions.jsonl`);
      const counts = { refused: 0, lost: 0, right: 0, answered: 0 };
      for (const { question, answers } of asked) {
        const quotes = (await quotesOf(library, question)).map(comparable);
        const wanted = answers.map(comparable);
        if (answers.length === 0) counts.refused += Number(quotes.length === 0);
        else if (quotes.length === 0) counts.lost++;
        else {
          counts.answered++;
          if (quotes.some((quote) => wanted.some((one) => quote.includes(one)))) counts.right++;
        }
      }
      await library.close();
      t.diagnostic(JSON.stringify(counts));
      const unanswerable = asked.filter(({ answers }) => answers.length === 0).length;
      assert.ok(counts.refused >= floors.refused * unanswerable);
      assert.ok(counts.lost <= floors.lost * (asked.length - unanswerable));
      assert.ok(counts.right >= floors.right * counts.answered);
    });
});
