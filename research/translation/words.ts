/**
 * `node research/translation/words.ts <pairs.tsv> <out> [<types>]` turns the training pairs of the embedding study
 * (research/embedder/pairs.py) into lists of word numbers for `model1.c`: <out>.bin and the vocabulary <out>.json.
 *
 * The words are the terms of the index, so stop words are left out. A pair has at most 24 distinct words of the query
 * and 90 of the passage. `types` are letters such as TDCNK; without them, all pairs are used. The packages that
 * research/embedder holds back for its synthetic questions are left out.
 */
import { once } from 'node:events';
import { createReadStream, createWriteStream, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { terms } from '../../packages/server/src/model/terms.ts';

const HELD_BACK = new Set(
  'varnish-doc krb5-doc zsh-doc borgbackup-doc tomcat10-docs python3-twisted python3-pymatgen python-scrapy-doc'.split(
    ' ',
  ),
);
const MOST_QUERY_WORDS = 24;
const MOST_PASSAGE_WORDS = 90;
const VOCABULARY_SIZE = 50_000;
const LEAST_PAIRS = 5;
const LONGEST_WORD = 24;

const [file, out, types = ''] = process.argv.slice(2);
if (!file || !out) throw new Error('name the file of pairs, and the beginning of the output files');

const distinct = (text: string, most: number) => [...new Set(terms(text))].slice(0, most);

async function* readPairs(path: string) {
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const [source = '', type = '', query = '', passage = ''] = line.split('\t');
    if (HELD_BACK.has(source) || (types !== '' && !types.includes(type))) continue;
    yield {
      query: distinct(query, MOST_QUERY_WORDS),
      passage: distinct(passage, MOST_PASSAGE_WORDS),
    };
  }
}

const frequency = new Map<string, number>();
for await (const { query, passage } of readPairs(file))
  for (const term of new Set([...query, ...passage]))
    frequency.set(term, (frequency.get(term) ?? 0) + 1);
const vocabulary = [...frequency]
  .filter(
    ([term, pairs]) => pairs >= LEAST_PAIRS && term.length <= LONGEST_WORD && !/^\d+$/.test(term),
  )
  .sort((a, b) => b[1] - a[1])
  .slice(0, VOCABULARY_SIZE)
  .map(([term]) => term);
const numbers = new Map(vocabulary.map((term, number) => [term, number]));
const known = (list: readonly string[]) => list.flatMap((term) => numbers.get(term) ?? []);

const stream = createWriteStream(`${out}.bin`);
let count = 0;
for await (const pair of readPairs(file)) {
  const query = known(pair.query);
  const passage = known(pair.passage);
  if (query.length === 0 || passage.length === 0) continue;
  const sizes = Uint16Array.of(query.length, passage.length);
  const record = Buffer.concat([
    Buffer.from(sizes.buffer),
    Buffer.from(Uint32Array.from([...query, ...passage]).buffer),
  ]);
  count++;
  if (!stream.write(record)) await once(stream, 'drain');
}
stream.end();
await once(stream, 'finish');
writeFileSync(`${out}.json`, JSON.stringify(vocabulary));
process.stdout.write(`${count} pairs, ${vocabulary.length} words\n`);
