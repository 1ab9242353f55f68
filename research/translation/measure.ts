/**
 * `node research/translation/measure.ts <table.tsv> <vocabulary.json> <set>...` measures on judged sets what a
 * translation table (`model1.c`) adds to the reranker: nDCG@10 with it minus nDCG@10 without it.
 *
 * - best, any: a feature. Each of the eight heaviest words of the query that a chunk lacks counts by the probability of
 *   its best translation in the chunk, or by the probability that any word of the chunk translates to it.
 * - expansion: BM25 of translations of the query's words, weighed by their probabilities, is added to that of the
 *   query.
 *
 * The name of a set may end in `#cut`: its documents then have the first 60 characters of their text as names. Queries
 * with an odd number of Manuals and Messages are for choosing, those with an even number for checking.
 */
import { readFileSync } from 'node:fs';
import { type Prepared, prepare } from '../../bench/ranking/candidates.ts';
import { ndcgsOf, type RankedQuery } from '../../packages/server/src/eval/fit-weights.ts';
import { differenceInterval, mean } from '../../packages/server/src/eval/metrics.ts';
import { termNumbers } from '../../packages/server/src/model/terms.ts';
import { inverseFrequency } from '../../packages/server/src/search/question.ts';
import {
  RERANK,
  type RerankWeights,
  weightedMeans,
} from '../../packages/server/src/search/rank.ts';

const KEPT = 10;
const LEAST = 0.01;
/** The feature `related` compares this many words of a query, too. */
const MOST_WORDS = 8;
const CLOSER = 100;
const LONGEST_EXPANDED = 12;
const CUT_NAME = 60;
const CHOOSING = ['cranfield', 'chunkeval', 'codebase'];
const HALVED = ['manuals', 'messages'];

const [tableFile = '', vocabularyFile = '', ...folders] = process.argv.slice(2);
const numberOf = (term: string) => termNumbers([term])[0]!;
const { toQuery, toPassage, entries } = readTable();

type PreparedQuery = Prepared['asked'][number];
/** Returns a value for each candidate. */
type Signal = (query: PreparedQuery, set: Prepared) => Float64Array;

interface Trial {
  readonly name: string;
  readonly weight: number;
  readonly signal: Signal;
  readonly weights: RerankWeights;
}

const featureOf =
  (join: (before: number, probability: number) => number): Signal =>
  ({ question, digests, features }) => {
    const values = new Float64Array(digests.length);
    const [reading] = question.readings;
    if (!reading) return values;
    const total = reading.weights.reduce((sum, weight) => sum + weight, 0);
    const wanted = [...reading.slots]
      .map(([term, slot]) => ({ number: numberOf(term), weight: reading.weights[slot]!, term }))
      .sort((a, b) => b.weight - a.weight)
      .slice(0, MOST_WORDS);
    for (const row of bestRows(features)) {
      const terms = new Set(digests[row]!.terms);
      for (const { term, number, weight } of wanted) {
        const from = toQuery.get(term);
        if (!from || terms.has(number)) continue;
        let found = 0;
        for (const one of terms) found = join(found, from.get(one) ?? 0);
        values[row]! += (weight * found) / total;
      }
    }
    return values;
  };

const expansionOf =
  (most: number): Signal =>
  ({ question, digests }, { chunks, frequencyOf }) => {
    const values = new Float64Array(digests.length);
    const [reading] = question.readings;
    if (!reading || reading.terms.length > LONGEST_EXPANDED) return values;
    const idf = (term: string) => inverseFrequency(chunks.length, frequencyOf(term));
    const added = new Map<number, number>();
    for (const term of reading.slots.keys())
      for (const [other, probability] of (toPassage.get(term) ?? [])
        .filter(([one]) => frequencyOf(one) > 0 && !reading.slots.has(one))
        .slice(0, most)) {
        const weight = probability * Math.min(idf(term), idf(other));
        added.set(numberOf(other), Math.max(added.get(numberOf(other)) ?? 0, weight));
      }
    const total = reading.idf.reduce((sum, one) => sum + one, 0);
    digests.forEach(({ terms }, row) => {
      const counts = new Map<number, number>();
      for (const term of terms) if (added.has(term)) counts.set(term, (counts.get(term) ?? 0) + 1);
      const norm = 1.2 * (0.25 + (0.75 * terms.length) / question.averageLength);
      for (const [term, count] of counts)
        values[row]! += (added.get(term)! * count) / (count + norm) / total;
    });
    return values;
  };

const best = featureOf(Math.max);
const any = featureOf((before, probability) => 1 - (1 - before) * (1 - probability));
const withoutRelated = { ...RERANK, related: 0 };
const trials: Trial[] = [
  ...[1, 2, 4, 8].flatMap((weight) => [
    { name: 'best', weight, signal: best, weights: RERANK },
    { name: 'any', weight, signal: any, weights: RERANK },
    { name: 'any, for related', weight, signal: any, weights: withoutRelated },
  ]),
  ...[2, 5].flatMap((most) =>
    [1, 3, 6].map((weight) => ({
      ...{ name: `expansion by ${most}`, weight, signal: expansionOf(most), weights: RERANK },
    })),
  ),
];

const sets: Prepared[] = [];
for (const folder of folders) {
  const [path = '', cut] = folder.split('#');
  const set = await prepare(path, cut === undefined ? {} : { cutNames: CUT_NAME });
  sets.push(cut === undefined ? set : { ...set, name: `${set.name}#cut` });
}
const bases = sets.map(({ asked }) => ndcgsOf(asked, RERANK));
print([
  `${entries} entries`,
  ...sets.map(({ name }, i) => `${name} ${mean(bases[i]!).toFixed(4)}`),
]);
print(['', 'weight', 'choosing', 'checking (95 %)', ...sets.map(({ name }) => name), 'ms']);
for (const trial of trials) print(cellsOf(trial));

function cellsOf({ name, weight, signal, weights }: Trial): string[] {
  const began = performance.now();
  const signals = sets.map((set) => set.asked.map((query) => signal(query, set)));
  const queries = sets.reduce((sum, { asked }) => sum + asked.length, 0);
  const milliseconds = (performance.now() - began) / queries;
  // The mean is taken over all weights, so the signal is one more column.
  const more = { ...weights, signal: weight };
  const pairs = sets.map(({ asked }, i) => ({
    a: bases[i]!,
    b: ndcgsOf(
      asked.map((query, at) => ({
        ...query,
        features: { ...query.features, signal: signals[i]![at]! },
      })),
      more,
    ),
  }));
  const gainOf = (some: readonly { a: readonly number[]; b: readonly number[] }[]) =>
    signed(mean(some.map(({ a, b }) => mean(b) - mean(a))));
  const checked = pairs.flatMap((pair, i) => partOf(sets[i]!, pair, 'checking'));
  const { low, high } = differenceInterval(checked);
  return [
    name,
    `${weight}`,
    gainOf(pairs.flatMap((pair, i) => partOf(sets[i]!, pair, 'choosing'))),
    `${gainOf(checked)} (${signed(low)} .. ${signed(high)})`,
    ...pairs.map((pair) => gainOf([pair])),
    milliseconds.toFixed(2),
  ];
}

/** Returns the queries of a set that are for choosing or for checking, or nothing. */
function partOf(
  { name, asked }: Prepared,
  { a, b }: { a: readonly number[]; b: readonly number[] },
  part: 'choosing' | 'checking',
) {
  const isChosen = (id: string) =>
    CHOOSING.includes(name) || (HALVED.includes(name) && Number(id.slice(1)) % 2 === 1);
  const isWanted = (_: number, i: number) => isChosen(asked[i]!.id) === (part === 'choosing');
  const values = { a: a.filter(isWanted), b: b.filter(isWanted) };
  return values.a.length === 0 || name.endsWith('#cut') ? [] : [values];
}

function bestRows(features: RankedQuery['features']): readonly number[] {
  const scores = weightedMeans(features, RERANK);
  return [...scores.keys()].sort((a, b) => scores[b]! - scores[a]!).slice(0, CLOSER);
}

/**
 * Reads the lines of `model1.c`: the way, the given word, the other word, P(other | given). The table of a word has its
 * best translations, without the word itself.
 */
function readTable() {
  const vocabulary: string[] = JSON.parse(readFileSync(vocabularyFile, 'utf8'));
  /** The key is a word of a query. The map has numbers of words of passages, each with P(key | word). */
  const toQuery = new Map<string, Map<number, number>>();
  /** The key is a word of a query. The list has words of passages with P(word | key), the most probable one first. */
  const toPassage = new Map<string, [string, number][]>();
  const kept = new Map<string, number>();
  let entries = 0;
  for (const line of readFileSync(tableFile, 'utf8').trimEnd().split('\n')) {
    const [way = '', from = '', to = '', share = ''] = line.split('\t');
    const given = vocabulary[Number(from)]!;
    const other = vocabulary[Number(to)]!;
    const probability = Number(share);
    const before = kept.get(way + given) ?? 0;
    if (given === other || probability < LEAST || before === KEPT) continue;
    kept.set(way + given, before + 1);
    entries++;
    if (way === 'q') {
      const words = toQuery.get(other) ?? new Map<number, number>();
      toQuery.set(other, words.set(numberOf(given), probability));
    } else toPassage.set(given, [...(toPassage.get(given) ?? []), [other, probability]]);
  }
  return { toQuery, toPassage, entries };
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(4)}`;
}

function print(cells: readonly string[]): void {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}
