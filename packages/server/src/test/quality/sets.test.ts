/**
 * Floors hold how much better the default search is than plain BM25 in the same run, on judged sets that show what
 * other sets cannot: long questions, records whose names are cut from their texts, and an embedder that the operator
 * brings. They lie about one hundredth below the measured values (docs/quality.md); raise them with every gain.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Config, readConfig } from '../../config.ts';
import { type JudgedSet, readDocuments, readQueries, withCutNames } from '../../eval/judged.ts';
import { openTemporary } from '../../eval/library.ts';
import { mean } from '../../eval/metrics.ts';
import { runSet } from '../../eval/run.ts';
import { chosenStages } from '../../eval/stages.ts';
import { startModelServer } from '../models/server.ts';
import { simulateEncoder } from './encoder.ts';

const SETS = new URL('../../../../../bench/ranking/sets/', import.meta.url);
const CUT_NAME = 60;

function read(name: string): JudgedSet {
  const folder = fileURLToPath(new URL(name, SETS));
  return { name, documents: readDocuments(folder), queries: readQueries(folder, null) };
}

interface Searched {
  readonly stages: readonly string[];
  /** The documents are stored with names that are cut from their texts. */
  readonly hasCutNames?: boolean;
  readonly settings?: Config;
}

/** Returns the nDCG@10 of each stage as a multiple of that of BM25. */
async function timesBm25(
  set: JudgedSet,
  { stages: names, hasCutNames = false, settings }: Searched,
): Promise<Record<string, number>> {
  const stored = hasCutNames ? withCutNames(set.documents, CUT_NAME) : set.documents;
  const library = await openTemporary(stored, () => {}, settings);
  try {
    const stages = chosenStages(names).filter(({ name }) => names.includes(name));
    const run = await runSet(library, set, { stages, done: () => {} });
    const found = run.stages.map(
      ({ stage, qualities }) => [stage, mean(qualities.map(({ ndcg10 }) => ndcg10))] as const,
    );
    const bm25 = found.find(([stage]) => stage === 'bm25')?.[1] ?? 1;
    return Object.fromEntries(found.map(([stage, ndcg10]) => [stage, ndcg10 / bm25]));
  } finally {
    await library.close();
  }
}

describe('the default search finds better than BM25', () => {
  for (const [what, name, hasCutNames, floor] of [
    ['long questions over documentation', 'manuals', false, 1.045],
    ['messages without names', 'messages', false, 1.028],
    ['messages with names that are cut from their texts', 'messages', true, 1.018],
  ] as const)
    it(`[SRH-10] in ${what}`, async (t) => {
      const found = await timesBm25(read(name), { stages: ['expanded'], hasCutNames });
      t.diagnostic(JSON.stringify(found));
      assert.ok((found.expanded ?? 0) >= floor);
    });

  it('[SRH-10] and better than an embedder that the operator brings, whose cosines differ little', async (t) => {
    const all = read('messages');
    const queries = all.queries.filter((_, i) => i % 3 === 0);
    const wanted = new Set(queries.flatMap(({ relevant }) => [...relevant.keys()]));
    const documents = all.documents.filter(({ id }, i) => wanted.has(id) || i % 3 === 0);
    const set = { name: 'a third of the messages', documents, queries };
    const { vectorOf, dimensions } = simulateEncoder(set, { mean: 0.8, spread: 0.03 }, 1.15);
    const server = await startModelServer(({ texts }) => ({ vectors: texts.map(vectorOf) }));
    const settings = readConfig({
      QUARRY_EMBEDDER: server.named('openai-compatible'),
      QUARRY_EMBEDDER_DIMENSIONS: `${dimensions}`,
    });
    const found = await timesBm25(set, { stages: ['neural', 'expanded'], settings });
    await server.close();
    t.diagnostic(JSON.stringify(found));
    const { neural = 0, expanded = 0 } = found;
    // The encoder is as strong as it was made to be, so the comparison means something.
    assert.ok(neural >= 1.1);
    assert.ok(expanded >= neural + 0.06);
  });
});
