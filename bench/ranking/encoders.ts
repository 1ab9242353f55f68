/**
 * `node bench/ranking/encoders.ts [--cut-names] [--vectors <file>] <set>...` measures what a search gains from an
 * embedder that the operator configures. A server on this machine speaks the protocol of `openai-compatible` and
 * answers with vectors that are known beforehand; the evaluation asks it as the service does. The table has nDCG@10 as
 * a multiple of BM25 for the embedder alone, for both arms, and for the default search.
 *
 * Without a file, three simulated encoders (test/quality/encoder.ts) are measured on each set. The means of their
 * cosines differ, and each alone reaches 1.20 × BM25 where the set allows it.
 *
 * --cut-names  gives each document the first 60 characters of its text as its name, as sources do for messages
 * --vectors    takes the vectors from a file: lines of JSON, {text, vector} or {sha256, vector}, where `sha256` is the
 *              beginning of the text's hash; a file that ends in .br is decompressed. All sets need the same model.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { brotliDecompressSync } from 'node:zlib';
import { readConfig } from '../../packages/server/src/config.ts';
import {
  type JudgedSet,
  nameOf,
  readDocuments,
  readQueries,
  untitled,
  withCutNames,
} from '../../packages/server/src/eval/judged.ts';
import { openTemporary } from '../../packages/server/src/eval/library.ts';
import { mean } from '../../packages/server/src/eval/metrics.ts';
import { runSet } from '../../packages/server/src/eval/run.ts';
import { chosenStages } from '../../packages/server/src/eval/stages.ts';
import { sha256 } from '../../packages/server/src/model/hash.ts';
import { startModelServer } from '../../packages/server/src/test/models/server.ts';
import { simulateEncoder } from '../../packages/server/src/test/quality/encoder.ts';
import { answerHelp, tellProgress } from '../../scripts/help.ts';

interface Encoder {
  readonly name: string;
  readonly dimensions: number;
  vectorOf(text: string): readonly number[];
}

const SIMULATED = [
  { mean: 0.3, spread: 0.12 },
  { mean: 0.55, spread: 0.07 },
  { mean: 0.8, spread: 0.03 },
];
const RATIO = 1.2;
const CUT_NAME = 60;
const HASH = 16;
const STAGES = ['neural', 'hybrid', 'expanded'] as const;

answerHelp(import.meta.filename);
const { values: flags, positionals: folders } = parseArgs({
  options: { 'cut-names': { type: 'boolean', default: false }, vectors: { type: 'string' } },
  allowPositionals: true,
});
if (folders.length === 0) throw new Error('give one or more folders of judged sets');

console.log('| set | cosines | alone (neural) | both arms (hybrid) | default (expanded) |');
console.log('|---|---|---|---|---|');
for (const folder of folders) {
  const set = readSet(folder);
  for (const encoder of encodersFor(set)) {
    const ratios = await measure(set, encoder);
    const cells = STAGES.map((stage) => (ratios.get(stage) ?? 0).toFixed(3));
    console.log(`| ${[set.name, encoder.name, ...cells].join(' | ')} |`);
  }
}

function readSet(folder: string): JudgedSet {
  const titled = readDocuments(folder);
  const documents = flags['cut-names'] ? untitled(titled) : titled;
  const queries = readQueries(folder, new Set(documents.map(({ id }) => id)));
  return {
    name: `${nameOf(folder)}${flags['cut-names'] ? ', cut names' : ''}`,
    documents,
    queries,
  };
}

function encodersFor(set: JudgedSet): Encoder[] {
  if (flags.vectors !== undefined) return [encoderOf(flags.vectors)];
  return SIMULATED.map((cosines) => ({
    ...simulateEncoder(set, cosines, RATIO),
    name: `${cosines.mean.toFixed(2)} ± ${cosines.spread.toFixed(2)}`,
  }));
}

function encoderOf(file: string): Encoder {
  const content = readFileSync(file);
  const lines = (file.endsWith('.br') ? brotliDecompressSync(content) : content)
    .toString()
    .trimEnd()
    .split('\n')
    .map((line): { text?: string; sha256?: string; vector: number[] } => JSON.parse(line));
  const hashOf = (text: string) => sha256(text).slice(0, HASH);
  const vectors = new Map(
    lines.map((line) => [line.sha256?.slice(0, HASH) ?? hashOf(line.text ?? ''), line.vector]),
  );
  const dimensions = lines[0]?.vector.length ?? 0;
  return {
    name: file,
    dimensions,
    vectorOf(text) {
      const vector = vectors.get(hashOf(text));
      if (vector === undefined) throw new Error(`${file} has no vector of: ${text.slice(0, 80)}`);
      return vector;
    },
  };
}

/** Returns the nDCG@10 of each stage divided by the nDCG@10 of BM25. */
async function measure(
  set: JudgedSet,
  { name, dimensions, vectorOf }: Encoder,
): Promise<Map<string, number>> {
  const server = await startModelServer(({ texts }) => ({ vectors: texts.map(vectorOf) }));
  const settings = readConfig({
    QUARRY_EMBEDDER: server.named('openai-compatible', 'known-vectors'),
    QUARRY_EMBEDDER_DIMENSIONS: `${dimensions}`,
  });
  const stored = flags['cut-names'] ? withCutNames(set.documents, CUT_NAME) : set.documents;
  const library = await openTemporary(stored, () => {}, settings);
  tellProgress(`${set.name}, ${name}: ${stored.length} documents stored`);
  try {
    const { stages } = await runSet(library, set, { stages: chosenStages(STAGES), done: () => {} });
    const found = new Map(
      stages.map(({ stage, qualities }) => [stage, mean(qualities.map(({ ndcg10 }) => ndcg10))]),
    );
    const bm25 = found.get('bm25') ?? 1;
    return new Map([...found].map(([stage, ndcg10]) => [stage, ndcg10 / bm25]));
  } finally {
    await library.close();
    await server.close();
  }
}
