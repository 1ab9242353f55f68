/**
 * A floor holds the quality of the whole search: synced, indexed, ranked and read as the service does it. The floors
 * are lower than the measured values (docs/quality.md), but higher than what remains of them when a part of the
 * ranking stops working.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { split } from '../../documents/split.ts';
import type { JudgedDocument, JudgedQuery } from '../../eval/judged.ts';
import { type Library, openTemporary } from '../../eval/library.ts';
import { mean } from '../../eval/metrics.ts';
import { runSet } from '../../eval/run.ts';
import { chosenStages } from '../../eval/stages.ts';
import { words } from '../../model/terms.ts';
import { isStopWord } from '../../model/word-table.ts';

const read = (name: string) => readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');

interface Passage extends JudgedDocument {
  readonly source: string;
  readonly start: number;
  readonly end: number;
}

/** Every third passage has its first sentence as its title, which its text then lacks. */
const passages: Passage[] = ['state_of_the_union', 'chatlogs', 'finance'].flatMap((source) => {
  const whole = read(`${source}.md`);
  let at = 0;
  return split({ name: '', text: whole }).map(({ text }, i) => {
    const start = whole.indexOf(text, at);
    at = start + text.length;
    const title = i % 3 === 0 ? (/^.{30,120}?[.?!](?=\s)/.exec(text)?.[0] ?? '') : '';
    return { id: `${source}-${i}`, title, text: text.slice(title.length), source, start, end: at };
  });
});

/** People asked these questions; half of them suffice, and keep the test fast. */
const questions: JudgedQuery[] = read('questions.jsonl')
  .trimEnd()
  .split('\n')
  .filter((_, i) => i % 2 === 0)
  .map((line, i) => {
    const { question, document, excerpts } = JSON.parse(line);
    const answers = passages.filter(
      ({ source, start, end }) =>
        source === document && excerpts.some(([from, to]: number[]) => from! < end && to! > start),
    );
    return { id: `q${i}`, text: question, relevant: new Map(answers.map(({ id }) => [id, 1])) };
  });

/** A person who looks for a passage remembers every other word of its title. */
const titles: JudgedQuery[] = passages
  .filter(({ title }) => title !== '')
  .slice(0, 60)
  .map(({ id, title }) => {
    const content = words(title).filter((word) => !isStopWord(word));
    return {
      id,
      text: content.filter((_, i) => i % 2 === 0).join(' '),
      relevant: new Map([[id, 1]]),
    };
  });

describe('the quality of a search', () => {
  let library: Library;
  before(async () => {
    library = await openTemporary(passages, () => {});
  });
  after(() => library.close());

  async function ndcg(queries: readonly JudgedQuery[], ...names: string[]) {
    const set = { name: 'floor', documents: passages, queries };
    const { stages } = await runSet(library, set, { stages: chosenStages(names), done: () => {} });
    return Object.fromEntries(
      stages.map(({ stage, qualities }) => [stage, mean(qualities.map(({ ndcg10 }) => ndcg10))]),
    );
  }

  it('[SRH-10] of questions: meaning adds to words, and so does reranking', async (t) => {
    const found = await ndcg(questions, 'keyword', 'neural', 'hybrid', 'reranked');
    t.diagnostic(JSON.stringify(found));
    const { bm25 = 1, keyword = 0, neural = 0, hybrid = 0, reranked = 0 } = found;
    assert.ok(keyword >= bm25 - 0.01);
    assert.ok(neural >= 0.6);
    assert.ok(hybrid >= keyword + 0.003);
    assert.ok(reranked >= keyword + 0.004);
  });

  it('[SRH-10] of titles: the reranker sees them', async (t) => {
    const found = await ndcg(titles, 'hybrid', 'without-title', 'reranked');
    t.diagnostic(JSON.stringify(found));
    const { hybrid = 1, reranked = 0, 'without-title': without = 1 } = found;
    assert.ok(reranked >= hybrid + 0.1);
    assert.ok(reranked >= without + 0.03);
  });
});
